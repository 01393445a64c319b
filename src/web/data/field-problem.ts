import { ServerProblem } from "./client.ts";

/** A field refused by the server, and the sentence to show under the field. */
export type FieldProblem = { field: string; text: string };

/**
 * The field that a problem names ("email", "values.key"); null for every other error. The gate's
 * sentence begins with the field's name, which is cut because the label already shows it.
 */
export function fieldProblem(error: unknown): FieldProblem | null {
  if (!(error instanceof ServerProblem)) return null;
  const { field, detail } = error.body;
  if (typeof field !== "string" || field === "") return null;
  const text = detail.startsWith(`${field}: `) ? detail.slice(field.length + 2) : detail;
  return { field, text };
}

/** The sentence to show under a field; null if the server refused another field or none. */
export function fieldError(error: unknown, field: string): string | null {
  const problem = fieldProblem(error);
  return problem?.field === field ? problem.text : null;
}
