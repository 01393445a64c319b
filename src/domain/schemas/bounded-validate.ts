import { dereference, type OutputUnit, validate } from "@cfworker/json-schema";
import type { JsonSchema } from "#contract/json.ts";
import { inputDepthMost, inputStepsMost, stepsOf } from "./input-steps.ts";

/** One thing that is wrong with a value: under which keyword of its schema, where, and a sentence. */
export type Fault = OutputUnit;

/**
 * What is wrong with a value by a JSON Schema; an empty list: nothing. Undefined: it is not known, for to find out would take more
 * steps than a process or a page may be held up for, as a schema that comes back to itself can with a deep value. It is the only way to
 * the validator. @throws Error for a `$ref` that leads nowhere
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
