import type { ModelDetail } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { type PictureShape, pictureShapes } from "#contract/picture-shapes.ts";
import { askedShape, isInShape, ratioInShape, shapeFieldsOf } from "#domain/files/picture-shape.ts";
import type { FormAsk } from "#domain/runs/variants.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { markFiles, onlyFields } from "../../../components/schema-form/field-facts.ts";
import { t } from "../../../messages/t.ts";

/** The form's own field for what each of several models calls differently. No model's field is named so. */
export const shapeField = "bottega_shape";

type FormModel = Pick<ModelDetail, "name" | "inputSchema" | "capabilities">;

/**
 * The form is the first model's. With others after it only the fields that all of them have are asked for, since all get the
 * same input; how many pictures one call gives is not among them, for the number of variants says it. Where they ask for a
 * picture's size in different ways, one field asks for its shape, and each model gets the nearest that it can do.
 * @param values what the form holds: the shape begins with what it asks of the first model
 */
export function sharedSchema(models: readonly FormModel[], values: JsonObject): JsonSchema | null {
  const [schema, ...others] = models.map(({ inputSchema }) => inputSchema);
  if (!schema) return null;
  const counts = models.map(
    ({ capabilities }) => (capabilities.countField as { name: string } | undefined)?.name,
  );
  const beside = others.flatMap((other) => (other ? [propertiesOf(other)] : []));
  if (others.length === 0) return markFiles(onlyFields(schema, (name) => !counts.includes(name)));
  const hasShape = differInShape(models);
  const hidden = hasShape ? models.flatMap(({ inputSchema }) => shapeFieldsOf(inputSchema)) : [];
  const isShared = (name: string) =>
    !counts.includes(name) &&
    !hidden.includes(name) &&
    beside.every((properties) => name in properties);
  const shared = withoutPromptHint(markFiles(onlyFields(schema, isShared)));
  return hasShape ? withShape(shared, models, values) : shared;
}

/** What goes out: the values of the fields that the form shows, and the shape beside them. */
export function askOf({
  schema,
  values,
  variants,
}: {
  schema: JsonSchema | null;
  values: JsonObject;
  variants: number;
}): FormAsk {
  if (!schema) return { input: values, variants };
  const fields = propertiesOf(schema);
  const shown = Object.entries(values).filter(
    ([name, value]) => name in fields && name !== shapeField && value !== undefined,
  );
  const shape =
    fields[shapeField] &&
    ((values[shapeField] ?? fields[shapeField].default) as PictureShape | undefined);
  return { input: Object.fromEntries(shown) as JsonObject, variants, ...(shape && { shape }) };
}

/** Whether models have a size to set, and not all of them in the same words. */
function differInShape(models: readonly FormModel[]): boolean {
  const asked = models.map(({ inputSchema }) =>
    JSON.stringify(
      shapeFieldsOf(inputSchema).map((name) => [name, propertiesOf(inputSchema)[name]]),
    ),
  );
  return new Set(asked).size > 1;
}

/** How one model reads its prompt is not how the others do. */
function withoutPromptHint(schema: JsonSchema): JsonSchema {
  const properties = propertiesOf(schema);
  if (!properties.prompt) return schema;
  const { description: _, ...prompt } = properties.prompt;
  return { ...schema, properties: { ...properties, prompt } };
}

function withShape(
  schema: JsonSchema,
  models: readonly FormModel[],
  values: JsonObject,
): JsonSchema {
  const start = askedShape(models[0]?.inputSchema ?? null, values) ?? "1:1";
  const shape = pictureShapes.find((one) => one === values[shapeField]) ?? start;
  const { prompt, ...rest } = propertiesOf(schema);
  const field: JsonSchema = {
    type: "string",
    title: t("create.shape"),
    // Without those that no model can do.
    enum: pictureShapes.filter((one) => models.some(({ inputSchema }) => isDone(inputSchema, one))),
    default: start,
    description: notesOf(models, shape),
  };
  return { ...schema, properties: { ...(prompt && { prompt }), [shapeField]: field, ...rest } };
}

const isDone = (schema: JsonSchema | null, shape: PictureShape): boolean => {
  const ratio = ratioInShape(schema, shape);
  return ratio !== null && isInShape(ratio, shape);
};

/** Which models can't do the shape, and what they make in its place. */
function notesOf(models: readonly FormModel[], shape: PictureShape): string | undefined {
  const notes = models.flatMap(({ name, inputSchema }) => {
    const ratio = ratioInShape(inputSchema, shape);
    if (ratio === null) return [t("create.shape.own", { name })];
    return isInShape(ratio, shape)
      ? []
      : [t("create.shape.nearest", { name, shape: shapeWords(ratio) })];
  });
  return notes.length > 0 ? notes.join(" ") : undefined;
}

const shapeWords = (ratio: number): string =>
  pictureShapes.find((shape) => isInShape(ratio, shape)) ?? `${ratio.toFixed(2)}:1`;
