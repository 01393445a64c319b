import type { JsonSchema } from "#contract/json.ts";
import { t } from "../../../messages/t.ts";

export type Setting = {
  name: string;
  title: string;
  type: string;
  default: string;
  description: string;
  required: boolean;
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const schemasIn = (value: unknown): JsonSchema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];
const fileKinds = ["image", "video", "audio", "file"] as const;

/** A schema's fields as a readable table, in the schema's order. */
export function settingsOf(schema: JsonSchema): Setting[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const order = Array.isArray(schema["x-fal-order-properties"])
    ? schema["x-fal-order-properties"].map(String)
    : [];
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const names = [
    ...new Set([...order.filter((name) => name in properties), ...Object.keys(properties)]),
  ];
  return names.flatMap((name) => {
    const field = properties[name];
    if (!isSchema(field)) return [];
    return {
      name,
      title: typeof field.title === "string" ? field.title : name,
      type: typeText(field),
      default: field.default === undefined || field.default === null ? "" : asText(field.default),
      description: typeof field.description === "string" ? field.description : "",
      required: required.includes(name),
    };
  });
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** The type of a field: "one of jpeg, png", "whole number, 1 to 50", "list of a picture". */
function typeText(schema: JsonSchema): string {
  if (Array.isArray(schema.enum))
    return t("models.type.oneOf", {
      values: schema.enum
        .filter((value) => value !== null)
        .map(asText)
        .join(", "),
    });
  if (schema.const !== undefined) return asText(schema.const);
  const kind = fileKinds.find((name) => name === schema["x-file"]);
  if (kind) return t(`models.type.file.${kind}`);
  const choices = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)].filter(
    (choice) => choice.type !== "null",
  );
  if (choices.length > 0)
    return choices.map(typeText).reduce((a, b) => (a === b ? a : t("models.type.or", { a, b })));
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const type = types.find((name) => name !== "null");
  if (type === "array")
    return t("models.type.list", {
      inner: isSchema(schema.items) ? typeText(schema.items) : t("models.type.any"),
    });
  if (type === "object" || schema.$ref) return t("models.type.object");
  if (type === "string" && schema.format === "uri") return t("models.type.file.file");
  if (type === "integer" || type === "number") return withRange(t(`models.type.${type}`), schema);
  return type === "string" || type === "boolean" ? t(`models.type.${type}`) : t("models.type.any");
}

function withRange(type: string, { minimum: min, maximum: max }: JsonSchema): string {
  if (typeof min === "number" && typeof max === "number")
    return t("models.type.range", { type, min, max });
  if (typeof min === "number") return t("models.type.least", { type, min });
  return typeof max === "number" ? t("models.type.most", { type, max }) : type;
}
