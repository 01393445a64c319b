/** The input of the built-in model "Adjust". */
export type Adjustment = {
  brightness: number;
  contrast: number;
  saturation: number;
  hue: number;
  sharpen: number;
  blur: number;
  grayscale: boolean;
};
export const noAdjustment: Adjustment = {
  brightness: 1,
  contrast: 1,
  saturation: 1,
  hue: 0,
  sharpen: 0,
  blur: 0,
  grayscale: false,
};

type Pixels = { data: Uint8ClampedArray; width: number; height: number };

/**
 * Reproduces the server's libvips pipeline in its order: black and white, blur, then light and
 * color in CIE LCh (D65), sharpen on the lightness, and finally contrast around middle gray. Radii
 * are in pixels of the full picture.
 * @param scale the ratio of these pixels to the full picture's
 */
export function adjustPixels(pixels: Pixels, asked: Adjustment, scale: number): void {
  const { data } = pixels;
  const { brightness, saturation, hue, sharpen, blur, contrast } = asked;
  if (asked.grayscale) toGray(data);
  if (blur > 0) blurPixels(pixels, blur * scale);
  const isModulated = brightness !== 1 || saturation !== 1 || hue !== 0;
  if (isModulated) modulate(data, asked);
  if (sharpen > 0) sharpenPixels(pixels, sharpen * scale);
  if (contrast !== 1)
    applyTable(data, (value) => Math.trunc(value * contrast + 128 * (1 - contrast)));
}

function applyTable(data: Uint8ClampedArray, of: (value: number) => number): void {
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => of(value));
  for (let at = 0; at < data.length; at += 4) {
    data[at] = table[data[at]!]!;
    data[at + 1] = table[data[at + 1]!]!;
    data[at + 2] = table[data[at + 2]!]!;
  }
}

const linear = Float64Array.from({ length: 256 }, (_, value) => {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
});
const steps = 4096;
const encoded = Uint8ClampedArray.from({ length: steps + 1 }, (_, step) => {
  const part = step / steps;
  return Math.round(255 * (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055));
});
/** Dark values change by more than one per step of the table. */
const encode = (part: number): number => {
  if (part <= 0) return 0;
  if (part >= 1) return 255;
  if (part > 0.02) return encoded[Math.round(part * steps)]!;
  return Math.round(255 * (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055));
};

function toGray(data: Uint8ClampedArray): void {
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [linear[data[at]!]!, linear[data[at + 1]!]!, linear[data[at + 2]!]!];
    const gray = encode(0.2126 * red + 0.7152 * green + 0.0722 * blue);
    data[at] = gray;
    data[at + 1] = gray;
    data[at + 2] = gray;
  }
}

const [whiteX, whiteZ] = [0.95047, 1.088827];
const toCube = (part: number): number =>
  part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116;
const fromCube = (root: number): number =>
  root < 0.2069 ? (root - 0.13793) / 7.787 : root * root * root;

/** Lightness from 0 to 100, and the two color axes. */
type Lab = { l: number; a: number; b: number };

function readLab(data: Uint8ClampedArray, at: number, into: Lab): void {
  const red = linear[data[at]!]!;
  const green = linear[data[at + 1]!]!;
  const blue = linear[data[at + 2]!]!;
  const x = toCube((0.4124 * red + 0.3576 * green + 0.1805 * blue) / whiteX);
  const y = toCube(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = toCube((0.0193 * red + 0.1192 * green + 0.9505 * blue) / whiteZ);
  into.l = 116 * y - 16;
  into.a = 500 * (x - y);
  into.b = 200 * (y - z);
}

function writeLab(data: Uint8ClampedArray, at: number, { l, a, b }: Lab): void {
  const isDark = l < 8;
  const root = isDark ? (7.787 * l) / 903.3 + 16 / 116 : (l + 16) / 116;
  const y = isDark ? l / 903.3 : root * root * root;
  const x = whiteX * fromCube(a / 500 + root);
  const z = whiteZ * fromCube(root - b / 200);
  data[at] = encode(3.2406 * x - 1.5372 * y - 0.4986 * z);
  data[at + 1] = encode(-0.9689 * x + 1.8758 * y + 0.0415 * z);
  data[at + 2] = encode(0.0557 * x - 0.204 * y + 1.057 * z);
}

function modulate(
  data: Uint8ClampedArray,
  { brightness, saturation, hue }: Pick<Adjustment, "brightness" | "saturation" | "hue">,
): void {
  const turn = (hue * Math.PI) / 180;
  const [cos, sin] = [saturation * Math.cos(turn), saturation * Math.sin(turn)];
  const lab: Lab = { l: 0, a: 0, b: 0 };
  for (let at = 0; at < data.length; at += 4) {
    readLab(data, at, lab);
    const { a, b } = lab;
    lab.l *= brightness;
    lab.a = a * cos - b * sin;
    lab.b = a * sin + b * cos;
    writeLab(data, at, lab);
  }
}

/**
 * Half of a Gaussian kernel with its center, cut where it falls below the least amplitude, like
 * libvips.
 */
function kernelOf(sigma: number, least: number): Float64Array {
  const radius = Math.max(1, Math.floor(sigma * Math.sqrt(-2 * Math.log(least))));
  const kernel = Float64Array.from({ length: radius + 1 }, (_, at) =>
    Math.exp(-(at * at) / (2 * sigma * sigma)),
  );
  const sum = kernel.reduce((all, part, at) => all + (at === 0 ? part : 2 * part), 0);
  return kernel.map((part) => part / sum);
}

/** Blurs one channel in both directions; edge pixels extend outward. */
function blurChannel(
  channel: Float64Array,
  width: number,
  height: number,
  kernel: Float64Array,
): Float64Array {
  const along = (from: Float64Array, isAcross: boolean): Float64Array => {
    const to = new Float64Array(from.length);
    const [length, lines] = isAcross ? [width, height] : [height, width];
    const [step, stride] = isAcross ? [1, width] : [width, 1];
    for (let line = 0; line < lines; line += 1)
      for (let at = 0; at < length; at += 1) {
        let sum = from[line * stride + at * step]! * kernel[0]!;
        for (let off = 1; off < kernel.length; off += 1) {
          const before = Math.max(0, at - off);
          const after = Math.min(length - 1, at + off);
          sum +=
            kernel[off]! *
            (from[line * stride + before * step]! + from[line * stride + after * step]!);
        }
        to[line * stride + at * step] = sum;
      }
    return to;
  };
  return along(along(channel, true), false);
}

/** A smaller sigma has no visible effect. */
const minSigma = 0.25;

function blurPixels({ data, width, height }: Pixels, sigma: number): void {
  if (sigma < minSigma) return;
  const kernel = kernelOf(sigma, 0.2);
  for (let channel = 0; channel < 3; channel += 1) {
    const values = Float64Array.from(
      { length: width * height },
      (_, at) => data[at * 4 + channel]!,
    );
    const blurred = blurChannel(values, width, height, kernel);
    for (let at = 0; at < blurred.length; at += 1) data[at * 4 + channel] = blurred[at]!;
  }
}

/**
 * Sharp's defaults: flat areas are sharpened by 1, edges of more than 2 by 2, up to 10 brighter and
 * 20 darker.
 */
const [flat, jagged, threshold, brighter, darker] = [1, 2, 2, 10, 20];

function sharpenPixels({ data, width, height }: Pixels, sigma: number): void {
  if (sigma < minSigma) return;
  const lab: Lab = { l: 0, a: 0, b: 0 };
  const light = new Float64Array(width * height);
  for (let at = 0; at < light.length; at += 1) {
    readLab(data, at * 4, lab);
    light[at] = lab.l;
  }
  const blurred = blurChannel(light, width, height, kernelOf(sigma, 0.1));
  for (let at = 0; at < light.length; at += 1) {
    const edge = light[at]! - blurred[at]!;
    const size = Math.abs(edge);
    const gain = size < threshold ? size * flat : threshold * flat + (size - threshold) * jagged;
    readLab(data, at * 4, lab);
    lab.l = light[at]! + (edge < 0 ? -Math.min(gain, darker) : Math.min(gain, brighter));
    writeLab(data, at * 4, lab);
  }
}
