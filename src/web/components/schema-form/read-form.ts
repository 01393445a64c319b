import type { JsonSchema } from "#contract/json.ts";
import type { FormField, FormModel } from "./form-model.ts";
import { readFields } from "./read-control.ts";

/** The most settings shown at once; with more, the rarer ones are folded. */
const maxAtOnce = 8;
const mainNames =
  /^(prompt|text|input|lyrics|negative_prompt|image_size|aspect_ratio|size|resolution|duration|num_images|voice|style|seed|scale|strength|guidance_scale|num_inference_steps)$/;

const isMain = ({ name, isRequired, isRare, control }: FormField): boolean =>
  isRequired ||
  !(isRare ?? !(control.kind === "file" || control.kind === "files" || mainNames.test(name)));

/**
 * Builds a form from a model's JSON Schema. `omit` names properties that the caller handles
 * elsewhere.
 */
export function readForm(schema: JsonSchema, omit: readonly string[] = []): FormModel {
  const fields = readFields(schema, { schema, trail: [] }).filter(
    ({ name }) => !omit.includes(name),
  );
  if (fields.length <= maxAtOnce) return { main: fields, advanced: [] };
  return { main: fields.filter(isMain), advanced: fields.filter((field) => !isMain(field)) };
}
