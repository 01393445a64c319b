/**
 * The units of prices. `of` is the measure that is counted, and `per` how many of it one unit is: a
 * minute is 60 seconds, a thousand characters are 1,000. Other units of a provider can't be
 * counted, so their price counts as unknown.
 */
export const units = {
  "input token": { of: "input token", per: 1 },
  "cached input token": { of: "cached input token", per: 1 },
  "cache write token": { of: "cache write token", per: 1 },
  "input image token": { of: "input image token", per: 1 },
  "input audio token": { of: "input audio token", per: 1 },
  "output token": { of: "output token", per: 1 },
  "output image token": { of: "output image token", per: 1 },
  "reasoning token": { of: "reasoning token", per: 1 },
  "web search": { of: "web search", per: 1 },
  "file search": { of: "file search", per: 1 },
  "code session": { of: "code session", per: 1 },
  "tool picture": { of: "tool picture", per: 1 },
  image: { of: "image", per: 1 },
  video: { of: "video", per: 1 },
  megapixel: { of: "megapixel", per: 1 },
  second: { of: "second", per: 1 },
  minute: { of: "second", per: 60 },
  hour: { of: "second", per: 3_600 },
  "compute second": { of: "compute second", per: 1 },
  "compute minute": { of: "compute second", per: 60 },
  character: { of: "character", per: 1 },
  "1000 character": { of: "character", per: 1_000 },
  "1000000 character": { of: "character", per: 1_000_000 },
  run: { of: "run", per: 1 },
  request: { of: "run", per: 1 },
  generation: { of: "run", per: 1 },
} as const;

export type Unit = keyof typeof units;
export type Measure = (typeof units)[Unit]["of"];
export const unitNames = Object.keys(units) as [Unit, ...Unit[]];

const otherNames: Readonly<Record<string, Unit>> = {
  picture: "image",
  frame: "image",
  sec: "second",
  min: "minute",
  "gpu second": "compute second",
  "1k character": "1000 character",
  "thousand character": "1000 character",
  "1m character": "1000000 character",
  "million character": "1000000 character",
};

/**
 * Recognizes the unit in "Images", "1,000 characters" or "GPU seconds". Null for units that can't
 * be counted.
 */
export function readUnit(text: string): Unit | null {
  const name = text.trim().toLowerCase().replaceAll(",", "").replace(/s$/, "");
  if (Object.hasOwn(units, name)) return name as Unit;
  return Object.hasOwn(otherNames, name) ? otherNames[name]! : null;
}
