import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { propertiesOf } from "./input-schema.ts";

/**
 * Splits "n variants" into runs: as many as the model gives at once in each, a seed for each run where the model takes one,
 * so that every recipe can be made again. A seed that the person set is kept for the first and counted up for the others.
 * @param randomSeed a whole number from 0 to 2^31 - 1
 */
export function inputsOfVariants(
  input: JsonObject,
  variants: number,
  model: { inputSchema: JsonSchema | null; countField?: { name: string; most: number } },
  randomSeed: () => number,
): JsonObject[] {
  const takesSeed = "seed" in propertiesOf(model.inputSchema);
  const most = model.countField?.most ?? 1;
  const inputs: JsonObject[] = [];
  for (let left = variants; left > 0; left -= most) {
    const count = Math.min(left, most);
    const seed = typeof input.seed === "number" ? input.seed + inputs.length : randomSeed();
    inputs.push({ ...input, ...(model.countField && variants > 1 && { [model.countField.name]: count }), ...(takesSeed && { seed }) });
  }
  return inputs;
}
