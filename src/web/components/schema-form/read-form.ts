import type { JsonSchema } from "#contract/json.ts";
import type { FormField, FormModel } from "./form-model.ts";
import { readFields } from "./read-control.ts";

/** As many settings as fit the form's pane; with more, the rarer ones are folded. */
const mostAtOnce = 8;
const mainNames =
  /^(prompt|text|input|lyrics|negative_prompt|image_size|aspect_ratio|size|resolution|duration|num_images|voice|style|seed|scale|strength|guidance_scale|num_inference_steps)$/;

const isMain = ({ name, isRequired, isRare, control }: FormField): boolean =>
  isRequired ||
  !(isRare ?? !(control.kind === "file" || control.kind === "files" || mainNames.test(name)));

/** A form from a model's JSON Schema. `omit` names properties that the caller asks for elsewhere. */
export function readForm(schema: JsonSchema, omit: readonly string[] = []): FormModel {
  const fields = readFields(schema, { schema, trail: [] }).filter(
    ({ name }) => !omit.includes(name),
  );
  if (fields.length <= mostAtOnce) return { main: fields, advanced: [] };
  return { main: fields.filter(isMain), advanced: fields.filter((field) => !isMain(field)) };
}
