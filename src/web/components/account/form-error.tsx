import { fieldProblem } from "../../data/field-problem.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";

/** What went wrong with a whole form; nothing when the error names one of its `fields`, which then says it itself. */
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
