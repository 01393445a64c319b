import type { Json, JsonObject } from "#contract/json.ts";

/**
 * Restores a run's result to the form its model gave it: where the adapter left `{"output": n}` for
 * a file, our URL of the file is inserted. An object with a file's facts gets its `url` back; a
 * field that was a plain URL becomes one again.
 * @param addressOf returns null for an output that isn't here
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

/**
 * Restores a stream event as fal sent it: empty text marks the places of the words and the picture,
 * which the run stores separately.
 */
export function fillPartial(
  data: JsonObject,
  { words, picture }: { words: string; picture: string },
): JsonObject {
  const withWords = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      value === "" && (name === "output" || name === "text") ? words : value,
    ]),
  );
  const fill = (value: Json | undefined): Json | undefined =>
    isObject(value) && value.url === "" ? { ...value, url: picture } : value;
  const { image, images } = withWords;
  return {
    ...withWords,
    ...(isObject(image) && { image: fill(image)! }),
    ...(Array.isArray(images) && { images: images.map((one) => fill(one)!) }),
  };
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
