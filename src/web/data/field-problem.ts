import { ServerProblem } from "./client.ts";

/** A field that the server refused, and the sentence to write under it. */
export type FieldProblem = { field: string; text: string };

/** The field that an answered problem names ("email", "values.key"); null for every other error. The gate begins its sentence with the field's name, which is already the label. */
export function fieldProblem(error: unknown): FieldProblem | null {
  if (!(error instanceof ServerProblem)) return null;
  const { field, detail } = error.body;
  if (typeof field !== "string" || field === "") return null;
  const text = detail.startsWith(`${field}: `) ? detail.slice(field.length + 2) : detail;
  return { field, text };
}

/** The sentence to write under a field; null if the server refused another field or nothing. */
export function fieldError(error: unknown, field: string): string | null {
  const problem = fieldProblem(error);
  return problem?.field === field ? problem.text : null;
}
