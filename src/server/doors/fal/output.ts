import type { JsonObject } from "#contract/json.ts";

/**
 * A run's result as its model gave it: where the adapter left `{"output": n}` for a file, the file's URL is inserted
 * again, ours now. An object with a file's facts gets its `url` back; a field that was a bare address is one again.
 * @param addressOf null for an output that is not here
 */
export function restoreOutput(
  result: JsonObject,
  addressOf: (index: number) => string | null,
): JsonObject {
  const visit = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((inner) => visit(inner, key));
    if (typeof value !== "object" || value === null) return value;
    const { output, ...rest } = value as JsonObject;
    const inner = Object.fromEntries(
      Object.entries(rest).map(([name, part]) => [name, visit(part, name)]),
    );
    if (typeof output !== "number")
      return output === undefined ? inner : { ...inner, output: visit(output, "output") };
    const isBare = Object.keys(rest).length === 0 && /(^|_)urls?$/.test(key);
    return isBare ? addressOf(output) : { url: addressOf(output), ...inner };
  };
  return visit(result, "") as JsonObject;
}
