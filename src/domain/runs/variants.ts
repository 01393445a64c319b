import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { PictureShape } from "#contract/picture-shapes.ts";
import { inShape } from "../files/picture-shape.ts";
import { propertiesOf, withRequiredDefaults } from "../schemas/input-schema.ts";

/** What a form asks of each of its models. */
export type FormAsk = {
  input: JsonObject;
  variants: number;
  /** The shape of the pictures, in words that every model's own form is filled from; left out, the input says it. */
  shape?: PictureShape;
};

/**
 * The input of each run that a form becomes on a model: in the shape that was asked for, with what the model's form requires.
 * "n variants" are split into runs: as many as the model gives at once in each, a seed for each run where the model takes one,
 * so that every recipe can be made again. A seed that the person set is kept for the first and counted up for the others.
 * @param randomSeed a whole number from 0 to 2^31 - 1
 */
export function inputsOfForm(
  { input: given, variants, shape }: FormAsk,
  model: { inputSchema: JsonSchema | null; countField?: { name: string; most: number } },
  randomSeed: () => number,
): JsonObject[] {
  const input = withRequiredDefaults(
    model.inputSchema,
    shape ? inShape(model.inputSchema, given, shape) : given,
  );
  const takesSeed = "seed" in propertiesOf(model.inputSchema);
  const most = model.countField?.most ?? 1;
  const inputs: JsonObject[] = [];
  for (let left = variants; left > 0; left -= most) {
    const count = Math.min(left, most);
    const seed = typeof input.seed === "number" ? input.seed + inputs.length : randomSeed();
    inputs.push({
      ...input,
      ...(model.countField && variants > 1 && { [model.countField.name]: count }),
      ...(takesSeed && { seed }),
    });
  }
  return inputs;
}
