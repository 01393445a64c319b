import type { JsonSchema } from "#contract/json.ts";

const mostExamples = 10;
const mostExampleCharacters = 8_000;

/** Some examples hold a whole file as text, which shows nobody anything. */
export const boundedExamples = (values: readonly unknown[]): unknown[] =>
  values
    .filter((value) => (JSON.stringify(value)?.length ?? 0) <= mostExampleCharacters)
    .slice(0, mostExamples);

/** A form with examples from elsewhere at its provider; its own come first. */
export function withExamples(form: JsonSchema, values: readonly unknown[]): JsonSchema {
  const examples = boundedExamples(
    values.filter((value) => typeof value === "object" && value !== null),
  );
  return examples.length === 0 || Array.isArray(form.examples) ? form : { ...form, examples };
}
