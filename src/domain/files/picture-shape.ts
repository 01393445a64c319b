import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { type PictureShape, pictureShapes } from "#contract/picture-shapes.ts";
import { propertiesOf } from "../schemas/input-schema.ts";
import { resolveSchema, splitNull } from "../schemas/resolve-schema.ts";
import { presetSizes } from "./image-sizes.ts";

/**
 * Models' names for the field that sets a picture's shape. If a form has several, the first is set.
 */
const shapeNames = [
  "aspect_ratio",
  "aspectRatio",
  "ratio",
  "image_size",
  "imageSize",
  "size",
  "dimensions",
  "resolution",
];
const sideNames = ["width", "height"] as const;
const usualPixels = 1024 * 1024;
/** Ratios as near as 1344 × 768 is to 16:9 count as equal. */
const tolerance = 0.03;
const maxSidePx = 14_142;

type Size = { width: number; height: number };
/** One way to fill a form for a shape: the fields, and the ratio that the model makes of them. */
type FilledShape = { fields: JsonObject; ratio: number };
type Measures = { width: JsonSchema; height: JsonSchema };

/**
 * The shape in a value: "16:9", "landscape_4_3", "1024x768", "square_hd". Undefined if there is
 * none.
 */
export function ratioOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  if (/^square/i.test(value)) return 1;
  const found = /(\d+(?:\.\d+)?)\s*[:x×*_]\s*(\d+(?:\.\d+)?)/i.exec(value);
  const [width, height] = [Number(found?.[1]), Number(found?.[2])];
  if (!(width > 0 && height > 0)) return undefined;
  const ratio = width / height;
  // "portrait_4_3" names the long side first.
  return /^portrait/i.test(value) && ratio > 1 ? 1 / ratio : ratio;
}

/** The form's fields that set a picture's shape. A crop's rectangle is not one. */
export function shapeFieldsOf(schema: JsonSchema | null): string[] {
  if (!schema) return [];
  const named = shapeNames.filter((name) => canBeAsked(readSizeOptions(schema, name)));
  return measuresOf(schema) ? [...named, ...sideNames] : named;
}

/**
 * A form's input with the nearest shape that the model supports. Other fields that set the shape
 * are removed. Without such a field the input is unchanged.
 */
export function inShape(
  schema: JsonSchema | null,
  input: JsonObject,
  shape: PictureShape,
): JsonObject {
  const nearest = nearestTo(schema, shape);
  if (!nearest) return input;
  const fields = shapeFieldsOf(schema);
  return {
    ...Object.fromEntries(Object.entries(input).filter(([name]) => !fields.includes(name))),
    ...nearest.fields,
  };
}

/** The ratio a model produces for a requested shape; null if its form has no field for it. */
export const ratioInShape = (schema: JsonSchema | null, shape: PictureShape): number | null =>
  nearestTo(schema, shape)?.ratio ?? null;

/** Whether a picture of this ratio has the shape, to the eye. */
export const isInShape = (ratio: number, shape: PictureShape): boolean =>
  distance(ratio, ratioOf(shape)!) < tolerance;

/** The aspect ratio of an input, under any model's field name. Null: the model chooses. */
export function askedRatio(input: JsonObject): number | null {
  for (const name of shapeNames) {
    const ratio = ratioOf(input[name]) ?? sidesRatio(input[name]);
    if (ratio !== undefined) return ratio;
  }
  return sidesRatio(input) ?? null;
}

/** The shape of an input, or its form's default; null if it is not a common one. */
export function askedShape(schema: JsonSchema | null, input: JsonObject): PictureShape | null {
  const properties = propertiesOf(schema);
  const preset = shapeFieldsOf(schema).flatMap((name) => {
    const value = properties[name]?.default;
    return value === undefined || value === null ? [] : [[name, value]];
  });
  const ratio = askedRatio(input) ?? askedRatio(Object.fromEntries(preset) as JsonObject);
  return (ratio !== null && pictureShapes.find((shape) => isInShape(ratio, shape))) || null;
}

const distance = (a: number, b: number): number => Math.abs(Math.log(a / b));
const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);

function sidesRatio(value: unknown): number | undefined {
  const { width, height } = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  return isNumber(width) && isNumber(height) && width > 0 && height > 0
    ? width / height
    : undefined;
}

function nearestTo(schema: JsonSchema | null, shape: PictureShape): FilledShape | null {
  if (!schema) return null;
  const wanted = ratioOf(shape)!;
  for (const name of shapeNames) {
    const ways = readSizeOptions(schema, name);
    if (canBeAsked(ways)) return nearestOf(name, ways, wanted);
  }
  const measures = measuresOf(schema);
  if (!measures) return null;
  const size = sizeIn(
    measures,
    wanted,
    pixelsOf({ width: measures.width.default, height: measures.height.default }),
  );
  return { fields: size, ratio: size.width / size.height };
}

/**
 * How a field can be filled: with one of its values, or with a custom size as an object or as
 * "1024x768".
 */
type SizeOptions = { values: string[]; measures: Measures | null; isText: boolean; pixels: number };
const canBeAsked = ({ values, measures, isText }: SizeOptions): boolean =>
  values.length > 0 || measures !== null || isText;

function readSizeOptions(root: JsonSchema, name: string): SizeOptions {
  const field = propertiesOf(root)[name];
  const found = field && resolveSchema(root, { schema: field, trail: [] });
  const choices = found ? splitNull(found.schema).choices : [];
  const schemas = choices.flatMap((schema): JsonSchema[] => {
    const inner = resolveSchema(root, { schema, trail: found?.trail ?? [] });
    return inner ? [inner.schema] : [];
  });
  const listed = schemas.flatMap(({ enum: values, const: only, examples }) =>
    [values, only === undefined ? undefined : [only], examples].flatMap((list): unknown[] =>
      Array.isArray(list) ? list : [],
    ),
  );
  return {
    values: listed.filter((value): value is string => ratioOf(value) !== undefined),
    measures: schemas.map(measuresOf).find((measures) => measures !== null) ?? null,
    isText: schemas.some(
      ({ pattern }) => typeof pattern === "string" && /(\\d|0-9).*x.*(\\d|0-9)/.test(pattern),
    ),
    pixels: pixelsOf(found?.schema.default),
  };
}

/** Of two values with the same shape, the one nearest to the model's default size in pixels. */
function nearestOf(
  name: string,
  { values, measures, isText, pixels }: SizeOptions,
  wanted: number,
): FilledShape {
  const off = (value: string): number => distance(ratioOf(value)!, wanted);
  const [best] = values.toSorted(
    (a, b) => off(a) - off(b) || distance(pixelsOf(a), pixels) - distance(pixelsOf(b), pixels),
  );
  if (best !== undefined && (off(best) < tolerance || (!measures && !isText)))
    return { fields: { [name]: best }, ratio: ratioOf(best)! };
  const { width, height } = sizeIn(measures, wanted, pixels);
  return {
    fields: { [name]: measures ? { width, height } : `${width}x${height}` },
    ratio: width / height,
  };
}

function measuresOf(schema: JsonSchema): Measures | null {
  const { width, height, x } = propertiesOf(schema);
  return width && height && !x ? { width, height } : null;
}

function sizeIn(measures: Measures | null, ratio: number, pixels: number): Size {
  const width = boundsOf(measures?.width);
  const height = boundsOf(measures?.height);
  const wanted = Math.sqrt(pixels * ratio);
  const least = Math.max(width.min, height.min * ratio);
  const most = Math.min(width.max, height.max * ratio);
  const wide = Math.max(least, Math.min(most, wanted));
  return { width: inBounds(wide, width), height: inBounds(wide / ratio, height) };
}

type Bounds = { min: number; max: number; step: number };
const boundsOf = ({ minimum, maximum, multipleOf }: JsonSchema = {}): Bounds => ({
  min: isNumber(minimum) ? minimum : 1,
  max: isNumber(maximum) ? maximum : maxSidePx,
  // Most models work in blocks of 16 pixels.
  step: isNumber(multipleOf) ? multipleOf : 16,
});

function inBounds(px: number, { min, max, step }: Bounds): number {
  const rounded = Math.round(px / step) * step;
  return Math.max(Math.ceil(min / step) * step, Math.min(Math.floor(max / step) * step, rounded));
}

function pixelsOf(size: unknown): number {
  if (typeof size === "string") {
    const [width, height] = presetSizes.get(size) ?? size.split(/[x×*]/).map(Number);
    return width && height ? width * height : usualPixels;
  }
  const { width, height } = (typeof size === "object" && size !== null ? size : {}) as Record<
    string,
    unknown
  >;
  return isNumber(width) && isNumber(height) ? width * height : usualPixels;
}
