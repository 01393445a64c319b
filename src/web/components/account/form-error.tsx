import { fieldProblem } from "../../data/field-problem.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";

/**
 * A form's error. Shows nothing if the error names one of `fields`, because that field shows it.
 */
export function FormError({
  error,
  fields,
  safe,
}: {
  error: unknown;
  fields: readonly string[];
  safe?: string;
}) {
  if (!error) return null;
  const problem = fieldProblem(error);
  if (problem && fields.includes(problem.field)) return null;
  return <ErrorState compact error={error} safe={safe} />;
}
