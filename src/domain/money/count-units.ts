import type { Asset, Model } from "#contract/entities.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { type Measure, readUnit, units } from "#contract/units.ts";
import { presetSizes } from "../files/image-sizes.ts";

/** The requested results: how many pictures or videos, and the size of each. */
export type Amount = { each: number; count: number };

/** Services' names for the number of results; a model may have its own name for it. */
const countNames = ["n", "num_images", "num_samples", "num_outputs", "num_videos"];
/** Services' names for the length of a video or audio. */
const secondsNames = [
  "duration",
  "durationSeconds",
  "duration_seconds",
  "seconds",
  "seconds_total",
];
const textFields = ["prompt", "text", "input"];

/** The requested amount of a measure. Null if only the run shows it. */
export function amountOfInput(
  measure: Measure,
  input: JsonObject,
  capabilities: Model["capabilities"],
): Amount | null {
  if (measure === "run") return { each: 1, count: 1 };
  // The form doesn't show which text is read aloud, so all of them count.
  if (measure === "character") return amountOf(charactersOf(input), 1);
  const countField = capabilities.countField as { name: string } | undefined;
  const names = [...(countField ? [countField.name] : []), ...countNames];
  const asked = names
    .map((name) => input[name])
    .find((value) => value !== undefined && value !== null);
  return amountOf(measureOfOne(measure, input), Number(asked ?? 1));
}

const amountOf = (each: number | null, count: number): Amount | null =>
  each === null || !(count > 0) ? null : { each, count };

function measureOfOne(measure: Measure, input: JsonObject): number | null {
  if (measure === "image" || measure === "video") return 1;
  if (measure === "megapixel") return megapixelsOf(input);
  return measure === "second" ? secondsOf(input) : null;
}

function megapixelsOf(input: JsonObject): number | null {
  const size = input.image_size ?? input.size;
  const [width, height] =
    typeof size === "string"
      ? (presetSizes.get(size) ?? size.split("x").map(Number))
      : size && typeof size === "object" && !Array.isArray(size)
        ? [size.width, size.height]
        : [input.width, input.height];
  return typeof width === "number" && typeof height === "number" && width * height > 0
    ? (width * height) / 1e6
    : null;
}

function secondsOf(input: JsonObject): number | null {
  const spokenSeconds = secondsNames
    .map((name) => input[name])
    .find((value) => value !== undefined && value !== null);
  return toSeconds(spokenSeconds);
}

/** "5", "8s" or 5. */
function toSeconds(duration: Json | undefined): number | null {
  const count =
    typeof duration === "number"
      ? duration
      : typeof duration === "string"
        ? Number(/^(\d+(?:\.\d+)?)s?$/.exec(duration)?.[1])
        : Number.NaN;
  return Number.isFinite(count) && count > 0 ? count : null;
}

function charactersOf(input: JsonObject): number | null {
  const characters = textFields.reduce(
    (sum, name) => sum + (typeof input[name] === "string" ? input[name].length : 0),
    0,
  );
  return characters > 0 ? characters : null;
}

/** The provider's count of a measure, as decimal text. */
export const countedOf = (
  measure: Measure,
  counted: Readonly<Record<string, string>>,
): string | undefined =>
  Object.entries(counted).find(([name]) => {
    const unit = readUnit(name);
    return unit !== null && units[unit].of === measure && units[unit].per === 1;
  })?.[1];

type ResultFile = Pick<Asset, "kind" | "width" | "height" | "durationMs">;

/**
 * A run's results counted from its files, for a provider that reports no usage. A partial megapixel
 * of each picture counts as a whole one, as providers bill it. A video counts with its requested
 * length, otherwise with its own.
 */
export function countFiles(
  files: readonly ResultFile[],
  input: JsonObject,
): Record<string, string> {
  const of = (kind: Asset["kind"]) => files.filter((file) => file.kind === kind);
  const [images, videos] = [of("image"), of("video")];
  const timed = [...videos, ...of("audio")];
  const megapixels = images.map(({ width, height }) =>
    width && height ? Math.ceil((width * height) / 1e6) : Number.NaN,
  );
  const asked = secondsOf(input);
  const seconds = timed.map(
    ({ durationMs }) => asked ?? (durationMs ? durationMs / 1_000 : Number.NaN),
  );
  const sum = (parts: number[]): number => parts.reduce((total, part) => total + part, 0);
  const all = {
    images: images.length,
    videos: videos.length,
    megapixels: sum(megapixels),
    seconds: Number(sum(seconds).toFixed(3)),
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([unit, count]) => (count > 0 ? [[unit, String(count)]] : [])),
  );
}
