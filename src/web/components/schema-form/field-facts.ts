import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";

export type FileKind = "image" | "video" | "audio" | "file";
/** A form field that takes a library file, or a list of them. */
export type FileField = {
  name: string;
  kind: FileKind;
  isList: boolean;
  most: number;
  required: boolean;
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const choicesOf = (schema: JsonSchema): JsonSchema[] =>
  [schema.anyOf, schema.oneOf]
    .flatMap((list) => (Array.isArray(list) ? list.filter(isSchema) : []))
    .filter(({ type }) => type !== "null");

/**
 * The kind of file that a string takes: Bottega's `x-file`, or `format: uri` with a media type;
 * null for other strings.
 */
function fileKindOf(schema: JsonSchema): FileKind | null {
  const fileKind = schema["x-file"];
  if (fileKind === "image" || fileKind === "video" || fileKind === "audio" || fileKind === "file")
    return fileKind;
  if (schema.format !== "uri" && schema.format !== "binary") return null;
  const media =
    typeof schema.contentMediaType === "string" ? schema.contentMediaType.split("/")[0] : "";
  return media === "image" || media === "video" || media === "audio" ? media : "file";
}

/** A form's top-level file fields, in the schema's order. */
export function fileFieldsOf(schema: JsonSchema | null): FileField[] {
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, field]): FileField[] => {
    for (const choice of [field, ...choicesOf(field)]) {
      const kind = fileKindOf(choice);
      if (kind) return [{ name, kind, isList: false, most: 1, required: required.includes(name) }];
      const inner = isSchema(choice.items) ? fileKindOf(choice.items) : null;
      const most = typeof choice.maxItems === "number" ? choice.maxItems : Number.POSITIVE_INFINITY;
      if (inner)
        return [{ name, kind: inner, isList: true, most, required: required.includes(name) }];
    }
    return [];
  });
}

/**
 * Whether a field that takes `wanted` accepts a file of `kind`. A field for "file" accepts all
 * kinds.
 */
const takesKind = (wanted: FileKind, kind: string): boolean => wanted === "file" || wanted === kind;

/** Whether a model's form has a field for a file of this kind. */
export const takesFile = (schema: JsonSchema | null, kind: string): boolean =>
  fileFieldsOf(schema).some((field) => takesKind(field.kind, kind));

export const assetReference = (assetId: string): string => `asset:${assetId}`;

/**
 * Puts a file into the first empty field that accepts it, required fields first; without an empty
 * one, it replaces the first. Null if no field accepts it.
 */
export function putFile(
  schema: JsonSchema | null,
  values: JsonObject,
  asset: { id: string; kind: string },
): JsonObject | null {
  const fields = fileFieldsOf(schema)
    .filter((field) => takesKind(field.kind, asset.kind))
    .sort((a, b) => Number(b.required) - Number(a.required));
  const isFree = ({ name, isList, most }: FileField): boolean => {
    const value = values[name];
    return isList ? !Array.isArray(value) || value.length < most : !value;
  };
  const field = fields.find(isFree) ?? fields[0];
  if (!field) return null;
  const reference = assetReference(asset.id);
  const before = values[field.name];
  if (!field.isList) return { ...values, [field.name]: reference };
  const list = Array.isArray(before) ? before : [];
  return {
    ...values,
    [field.name]:
      list.length < field.most ? [...list, reference] : [...list.slice(0, -1), reference],
  };
}

const sides = ["x", "y", "width", "height"];
export const isSide = (name: string): boolean => sides.includes(name);

/**
 * The picture field of a form that has the four fields of a pixel rectangle; such forms get a
 * visual crop. Null for other forms.
 */
export function cropFieldOf(schema: JsonSchema | null): string | null {
  const properties = propertiesOf(schema);
  const hasRectangle = sides.every((name) => properties[name]?.type === "integer");
  const picture = fileFieldsOf(schema).find((field) => field.kind === "image" && !field.isList);
  return hasRectangle && picture ? picture.name : null;
}

/**
 * Puts a file into the values; for a crop, also a rectangle over the whole picture, so that the
 * values can be sent immediately. Null if no field accepts the file.
 */
export function withFile(
  schema: JsonSchema | null,
  values: JsonObject,
  asset: { id: string; kind: string; width: number | null; height: number | null },
): JsonObject | null {
  const put = putFile(schema, values, asset);
  if (!put || !cropFieldOf(schema) || !asset.width || !asset.height) return put;
  return { ...put, x: 0, y: 0, width: asset.width, height: asset.height };
}

/**
 * The form path for a provider's error on a field ("input.image_size.width"), as deep as the values
 * go. For a named size it is the size itself, because a named size has no width input.
 */
export function errorPlace(values: JsonObject, field: string): string {
  const path: string[] = [];
  let value: unknown = values;
  for (const name of field.replace(/^input\./, "").split(".")) {
    if (typeof value !== "object" || value === null) break;
    path.push(name);
    value = (value as Record<string, unknown>)[name];
  }
  return path.join(".");
}

/** A schema with only some of its fields. */
export function onlyFields(schema: JsonSchema, keep: (name: string) => boolean): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(propertiesOf(schema)).filter(([name]) => keep(name)),
  );
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => keep(String(name)))
    : undefined;
  return { ...schema, properties, ...(required && { required }) };
}

/**
 * Adds `x-file` to every string that takes a file, including those declared only by `format` and a
 * media type.
 */
export function markFiles(schema: JsonSchema): JsonSchema {
  const kind = fileKindOf(schema);
  const marked: JsonSchema =
    kind && schema.type === "string" ? { ...schema, "x-file": kind } : { ...schema };
  if (isSchema(schema.items)) marked.items = markFiles(schema.items);
  for (const choices of ["anyOf", "oneOf"]) {
    const list = schema[choices];
    if (Array.isArray(list))
      marked[choices] = list.map((choice: unknown) =>
        isSchema(choice) ? markFiles(choice) : choice,
      );
  }
  const properties = schema.properties;
  if (isSchema(properties))
    marked.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        isSchema(field) ? markFiles(field) : field,
      ]),
    );
  return marked;
}
