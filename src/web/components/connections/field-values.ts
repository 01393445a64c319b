import type { Connection } from "#contract/entities.ts";
import type { ConnectionField, ConnectionValues } from "../../data/queries/connections.queries.ts";

/**
 * A form's typed values, by field name. Stored keys are never sent to the browser, so their field
 * is empty.
 */
export type TypedValues = Record<string, string>;

/** A stored connection's fields as text: addresses and options. Secrets stay empty. */
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

/**
 * The values that differ from `before`, in the server's form. A cleared field is sent empty, which
 * clears the value; an untouched key isn't sent.
 */
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

/** Whether an address changes, in which case the server drops the stored key. */
export const changesAddress = (
  fields: readonly ConnectionField[],
  values: ConnectionValues,
): boolean => fields.some((field) => field.address !== undefined && field.name in values);

/** The first empty required field of a new connection. */
export const firstMissing = (
  fields: readonly ConnectionField[],
  typed: TypedValues,
): ConnectionField | undefined =>
  fields.find((field) => field.required && (typed[field.name] ?? "").trim() === "");
