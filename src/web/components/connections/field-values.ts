import type { Connection } from "#contract/entities.ts";
import type { ConnectionField, ConnectionValues } from "../../data/queries/connections.queries.ts";

/** What stands in the fields of a form, by field name. A stored key is never known here, so its field is empty. */
export type TypedValues = Record<string, string>;

/** The fields of a stored connection as text: addresses and options; secrets stay empty. */
export function typedValues(
  fields: readonly ConnectionField[],
  connection?: Connection,
): TypedValues {
  const storedValue = (field: ConnectionField): unknown => {
    if (!connection || field.kind === "secret") return "";
    return field.address ? connection.baseUrls[field.address] : connection.options[field.name];
  };
  return Object.fromEntries(fields.map((field) => [field.name, String(storedValue(field) ?? "")]));
}

/** What differs from `before`, as the server takes it. An emptied field is sent empty, which clears it; an untouched key is not sent. */
export function changedValues(
  fields: readonly ConnectionField[],
  typed: TypedValues,
  before: TypedValues,
): ConnectionValues {
  const values: ConnectionValues = {};
  for (const field of fields) {
    const value = (typed[field.name] ?? "").trim();
    if (value === (before[field.name] ?? "")) continue;
    values[field.name] =
      field.kind === "number" && value !== "" && Number.isFinite(Number(value))
        ? Number(value)
        : value;
  }
  return values;
}

/** Whether an address changes: the server then lets go of the stored key. */
export const changesAddress = (
  fields: readonly ConnectionField[],
  values: ConnectionValues,
): boolean => fields.some((field) => field.address !== undefined && field.name in values);

/** The first required field that is empty, of a new connection. */
export const firstMissing = (
  fields: readonly ConnectionField[],
  typed: TypedValues,
): ConnectionField | undefined =>
  fields.find((field) => field.required && (typed[field.name] ?? "").trim() === "");
