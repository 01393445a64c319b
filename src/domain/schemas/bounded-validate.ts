import { dereference, type OutputUnit, validate } from "@cfworker/json-schema";
import type { JsonSchema } from "#contract/json.ts";
import { inputDepthMost, inputStepsMost, stepsOf } from "./input-steps.ts";

/** One error in a value: the schema keyword, the location, and a sentence. */
export type Fault = OutputUnit;

/**
 * Validates a value against a JSON Schema; an empty list means valid. Undefined if the check would
 * take more steps than a server or page can spend, as a recursive schema can with a deep value. All
 * validation goes through this function.
 * @throws Error for a `$ref` that can't be resolved
 */
export function findFaults(schema: JsonSchema, value: unknown): Fault[] | undefined {
  const draft =
    typeof schema.$schema === "string" && schema.$schema.includes("draft-07") ? "7" : "2020-12";
  const known = dereference(schema);
  const { steps, depth } = stepsOf(known, schema, value);
  if (steps > inputStepsMost || depth > inputDepthMost) return undefined;
  const { valid, errors } = validate(value, schema, draft, known, false);
  return valid ? [] : errors;
}
