import { ProviderError } from "../adapter.ts";
import { isRecord } from "./error-fields.ts";

/** Returns a text that isn't empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Returns a count: an integer above zero. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;

/**
 * Returns the count that a service was asked for.
 * @throws ProviderError with this message when the response has none
 */
export function statedCount(value: unknown, message: string): number {
  const count = countOf(value);
  if (count === undefined) throw new ProviderError("provider_protocol", "no", { message });
  return count;
}

/** Returns the texts in a list. */
export const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];

/** Returns the objects in a list. */
export const recordsOf = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter(isRecord) : [];
