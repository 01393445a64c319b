import type { Schema } from "../../data/queries/docs.queries.ts";
import { t } from "../../messages/t.ts";

/** A field as a row: its depth, name and type. */
export type Field = {
  key: string;
  depth: number;
  name: string;
  type: string;
  isRequired: boolean;
  hint: string;
};

type Named = Record<string, Schema>;
const deepest = 3;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);
const refOf = ({ $ref }: Schema): string | undefined =>
  typeof $ref === "string" ? $ref.split("/").at(-1) : undefined;

/** The type of a value: "string", "list of Run", "one of “day”, “month”". */
export function typeOf(schema: Schema): string {
  const name = refOf(schema);
  if (name) return name;
  if (Array.isArray(schema.enum))
    return t("docs.oneOf", {
      values: schema.enum.map((value) => JSON.stringify(value)).join(", "),
    });
  if ("const" in schema) return JSON.stringify(schema.const);
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(" | ");
  if (schema.type === "array")
    return t("docs.list", { of: isSchema(schema.items) ? typeOf(schema.items) : t("docs.any") });
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  return typeof schema.type === "string" ? schema.type : t("docs.any");
}

/** The fields of a schema and their nested fields, down to a useful depth. */
export function fieldsOf(schema: Schema, named: Named, depth = 0, path = ""): Field[] {
  const shape = innerOf(schema, named);
  const required = Array.isArray(shape.required) ? shape.required : [];
  const properties = isSchema(shape.properties) ? shape.properties : {};
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isSchema(field)) return [];
    const key = `${path}.${name}`;
    const line = {
      key,
      depth,
      name,
      type: typeOf(field),
      isRequired: required.includes(name),
      hint: hintOf(field),
    };
    return [
      line,
      ...(depth < deepest && !refersTo(field) ? fieldsOf(field, named, depth + 1, key) : []),
    ];
  });
}

/** Below the first level, named schemas show only their name. */
const refersTo = (field: Schema): boolean =>
  refOf(field) !== undefined ||
  (isSchema(field.items) && refersTo(field.items)) ||
  listOf(field.anyOf).some(refersTo);

function innerOf(schema: Schema, named: Named): Schema {
  const name = refOf(schema);
  if (name) return named[name] ?? {};
  if (isSchema(schema.items)) return innerOf(schema.items, named);
  const [only] = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].filter(
    ({ type }) => type !== "null",
  );
  return only && !schema.properties ? innerOf(only, named) : schema;
}

function hintOf({ description, minimum, maximum, minLength, maxLength, format }: Schema): string {
  const range = [minimum ?? minLength, maximum ?? maxLength].map((value) =>
    typeof value === "number" && Math.abs(value) < 2 ** 53 - 1 ? value : "",
  );
  return [description, format, range.some((value) => value !== "") && `${range[0]}–${range[1]}`]
    .filter(Boolean)
    .join(" · ");
}
