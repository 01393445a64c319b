import type { ModelDetail } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { type PictureShape, pictureShapes } from "#contract/picture-shapes.ts";
import { askedShape, isInShape, ratioInShape, shapeFieldsOf } from "#domain/files/picture-shape.ts";
import type { FormAsk } from "#domain/runs/variants.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { markFiles, onlyFields } from "../../../components/schema-form/field-facts.ts";
import { t } from "../../../messages/t.ts";

/**
 * The form's own field for the aspect ratio, which models name differently. No model uses this
 * name.
 */
export const shapeField = "bottega_shape";

/** Set if the prompt is sent as typed. No model uses this name. */
export const asTypedField = "bottega_as_typed";

type FormModel = Pick<ModelDetail, "name" | "inputSchema" | "capabilities">;

/**
 * The form shows the first model's schema. With several models it shows only the fields that all of
 * them share, because all get the same input. The number of pictures per call is left out, because
 * the number of variants sets it. If the models' size fields differ, one field asks for the aspect
 * ratio, and each model gets the nearest one that it supports.
 * @param values the form's values; the aspect ratio starts with the first model's
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

/** A model's settings beyond the shared fields, with several models; null if there are none. */
export function ownSchema(
  { inputSchema, capabilities }: FormModel,
  shared: JsonSchema | null,
): JsonSchema | null {
  if (!inputSchema || !shared) return null;
  const isAsked = propertiesOf(shared);
  const count = (capabilities.countField as { name: string } | undefined)?.name;
  const sizes = isAsked[shapeField] ? shapeFieldsOf(inputSchema) : [];
  const own = markFiles(
    onlyFields(
      inputSchema,
      (name) => !(name in isAsked) && name !== count && !sizes.includes(name),
    ),
  );
  return Object.keys(propertiesOf(own)).length > 0 ? own : null;
}

/** Only the values of these fields. */
export function valuesOf(schema: JsonSchema | null, values: JsonObject): JsonObject {
  const fields = propertiesOf(schema);
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => name in fields && value !== undefined),
  ) as JsonObject;
}

/** The request: the values of the visible fields, and the aspect ratio. */
export function askOf({
  schema,
  values,
  variants,
}: {
  schema: JsonSchema | null;
  values: JsonObject;
  variants: number;
}): FormAsk {
  const expand = typeof values.prompt === "string" && values[asTypedField] !== true;
  if (!schema) {
    const { [asTypedField]: _, ...input } = values;
    return { input, variants, ...(expand && { expand }) };
  }
  const fields = propertiesOf(schema);
  const shown = Object.entries(values).filter(
    ([name, value]) => name in fields && name !== shapeField && value !== undefined,
  );
  const shape =
    fields[shapeField] &&
    ((values[shapeField] ?? fields[shapeField].default) as PictureShape | undefined);
  return {
    input: Object.fromEntries(shown) as JsonObject,
    variants,
    ...(shape && { shape }),
    ...(expand && { expand }),
  };
}

/** Whether the models' size fields differ. */
function differInShape(models: readonly FormModel[]): boolean {
  const asked = models.map(({ inputSchema }) =>
    JSON.stringify(
      shapeFieldsOf(inputSchema).map((name) => [name, propertiesOf(inputSchema)[name]]),
    ),
  );
  return new Set(asked).size > 1;
}

/** Drops the prompt's description, which applies to one model only. */
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
    // Leaves out ratios that no model supports.
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

/** The models that don't support the aspect ratio, and what they make instead. */
function notesOf(models: readonly FormModel[], shape: PictureShape): string | undefined {
  const notes = models.flatMap(({ name, inputSchema }) => {
    const ratio = ratioInShape(inputSchema, shape);
    if (ratio === null) return [t("create.shape.own", { name })];
    return isInShape(ratio, shape)
      ? []
      : [t("create.shape.nearest", { name, shape: shapeText(ratio) })];
  });
  return notes.length > 0 ? notes.join(" ") : undefined;
}

const shapeText = (ratio: number): string =>
  pictureShapes.find((shape) => isInShape(ratio, shape)) ?? `${ratio.toFixed(2)}:1`;
