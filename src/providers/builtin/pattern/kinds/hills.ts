import { mixColors } from "../color.ts";
import type { Random } from "../random.ts";
import { createNoise, n, type Point, polyline, verticalGradient } from "../shapes.ts";
import { type Canvas, ground, type Kind, type Layer } from "./kind.ts";
import { chooseSky, drawAir, drawBirds, drawClouds, drawSun, type Sky } from "./sky.ts";

type Form = "rolling" | "alpine" | "mesa";

/** Ranges of hills that fade with distance, under the sky of some time of day. */
export const hills: Kind = (canvas) => {
  const { random, palette: p, height } = canvas;
  const first = height * random.between(0.46, 0.62);
  const sky = chooseSky(canvas, first, random.fork("sky"));
  const form = random.pick<Form>(["rolling", "rolling", "alpine", "alpine", "mesa"]);
  const count = 4 + Math.round(canvas.fullness * 4);
  const shore = random.chance(0.28) ? height * random.between(0.72, 0.8) : height;
  const air = random.fork("air");
  const layers: Layer[] = [
    { name: "sky", svg: ground(canvas, sky.horizon) + drawAir(canvas, sky, height * 0.8, air) },
    {
      name: "sun",
      svg: drawSun(sky, p, air) + (air.chance(0.65) ? drawClouds(canvas, first, p.paper, air) : ""),
    },
  ];
  for (let range = 0; range < count; range++)
    layers.push(
      drawRange(canvas, sky, {
        form,
        first,
        last: shore * 0.94,
        near: range / (count - 1),
        name: `range ${range + 1}`,
      }),
    );
  if (shore < height)
    layers.push({ name: "lake", svg: drawLake(canvas, sky, shore, random.fork("lake")) });
  const front = random.fork("front");
  if (front.chance(0.55)) layers.push({ name: "trees", svg: drawTrees(canvas, sky, front) });
  if (sky.hour !== "night" && front.chance(0.5))
    layers.push({ name: "birds", svg: drawBirds(canvas, first, p.ink, front) });
  return layers;
};

/**
 * Baselines of the farthest and the nearest range in pixels from the top; `near` from 0 (far) to 1
 * (close).
 */
type Range = { form: Form; first: number; last: number; near: number; name: string };

function drawRange(canvas: Canvas, sky: Sky, { form, first, last, near, name }: Range): Layer {
  const { width, height, palette: p } = canvas;
  const base = first + (last - first) * near ** 1.15;
  const amplitude =
    height *
    (form === "alpine"
      ? 0.2 - near * 0.1
      : form === "mesa"
        ? 0.13 - near * 0.05
        : 0.12 - near * 0.02);
  const crest = drawCrest(canvas, form, base, amplitude, near, canvas.random.fork(name));
  const far = mixColors(
    sky.horizon,
    sky.hour === "night" ? p.mid : mixColors(p.mid, p.soft, 0.3),
    0.5,
  );
  const color =
    near < 0.5 ? mixColors(far, p.deep, near * 2) : mixColors(p.deep, p.ink, near * 2 - 1);
  const foot = mixColors(color, sky.horizon, sky.hour === "night" ? 0.16 : 0.34 * (1 - near * 0.6));
  const shape = `${polyline(crest)}L${width} ${height}L0 ${height}Z`;
  const snow =
    form === "alpine" && near < 0.35
      ? drawLight(crest, amplitude, sky, mixColors(color, p.paper, 0.6))
      : "";
  return {
    name,
    svg: `<defs>${verticalGradient("land", [color, foot])}</defs><path d="${shape}" fill="url(#land)"/>${snow}`,
  };
}

/** The outline of a range from left to right; `near` from 0 (far) to 1 (close). */
function drawCrest(
  canvas: Canvas,
  form: Form,
  base: number,
  amplitude: number,
  near: number,
  random: Random,
): Point[] {
  const noise = createNoise(random);
  const { width, height } = canvas;
  const scale = (width / height) * (form === "alpine" ? 3.2 : 1.9) * (1.3 - near * 0.55);
  const shift = random.between(0, 100);
  // Nearer ranges tilt more, so that they cross like the sides of a valley.
  const tilt = form === "mesa" ? 0 : height * random.between(-0.13, 0.13) * near;
  const steps = 220;
  return Array.from({ length: steps + 1 }, (_, index) => {
    const x = shift + (index / steps) * scale;
    const sharp = 1 - Math.abs(noise(x) * 2 - 1);
    let rise =
      form === "alpine"
        ? sharp ** 1.2 * 0.75 + noise(x * 3.1) * 0.2
        : noise(x) * 0.7 + noise(x * 2.3 + 40) * 0.25;
    if (form === "mesa")
      rise =
        0.25 * rise +
        0.75 *
          smoothStep(0.46, 0.54, noise(x * 1.4)) *
          (0.7 + 0.3 * smoothStep(0.5, 0.56, noise(x * 1.4 + 9)));
    rise +=
      (noise(x * 13) - 0.5) * 0.05 + (noise(x * 37) - 0.5) * (form === "alpine" ? 0.045 : 0.016);
    return [
      (index / steps) * width,
      base - rise * amplitude + tilt * (index / steps - 0.5),
    ] as const;
  });
}

const smoothStep = (from: number, to: number, value: number): number => {
  const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
};

/** Light on the side of each summit that faces the sun, with a ragged lower edge. */
function drawLight(crest: readonly Point[], amplitude: number, sky: Sky, color: string): string {
  const reach = 12;
  let svg = "";
  for (let index = reach; index < crest.length - reach; index++) {
    const [x, y] = crest[index]!;
    const around = crest.slice(index - reach, index + reach + 1);
    if (around.some((point) => point[1] < y)) continue;
    const side = sky.sun.x < x ? -1 : 1;
    const edge: Point[] = [];
    for (let step = 0; step <= reach; step++) edge.push(crest[index + side * step]!);
    const [endX, endY] = edge.at(-1)!;
    const deep = endY - y;
    // A gentle swell isn't a summit.
    if (deep < amplitude * 0.2) continue;
    const back: Point[] = [0.8, 0.62, 0.5, 0.34, 0.2].map((share, tooth) => [
      x + (endX - x) * share * 0.86,
      y + deep * (share * 1.05 + (tooth % 2 ? 0.34 : 0.06)),
    ]);
    svg += `<path d="${polyline([...edge, ...back])}Z" fill="${color}" opacity="0.5"/>`;
  }
  return svg;
}

/** Still water in front of the hills, with the light of the sky and a few strokes. */
function drawLake(canvas: Canvas, sky: Sky, shore: number, random: Random): string {
  const { width, height, unit, palette: p } = canvas;
  const water = [
    mixColors(sky.horizon, p.mid, 0.25),
    mixColors(sky.stops[1]!, p.deep, 0.55),
    mixColors(p.deep, p.ink, 0.5),
  ];
  let svg = `<defs>${verticalGradient("lake", water)}</defs><rect y="${n(shore)}" width="${width}" height="${n(height - shore)}" fill="url(#lake)"/>`;
  for (let index = 0; index < 70; index++) {
    const near = random.next() ** 1.4;
    const isGlint = index % 2 === 0;
    const x = isGlint
      ? sky.sun.x + (random.next() + random.next() - 1) * unit * (5 + near * 22)
      : random.next() * width;
    const [y, long] = [
      shore + unit * 0.5 + near * (height - shore),
      unit * (2 + near * 11) * random.between(0.4, 1.3),
    ];
    const thick = unit * (0.14 + near * 0.4);
    svg += `<rect x="${n(x - long / 2)}" y="${n(y)}" width="${n(long)}" height="${thick.toFixed(2)}" rx="${(thick / 2).toFixed(2)}" fill="${isGlint ? sky.sun.color : p.ink}" opacity="${isGlint ? 0.7 : 0.22}"/>`;
  }
  return svg;
}

function drawTrees(canvas: Canvas, sky: Sky, random: Random): string {
  const { width, height, unit, palette: p } = canvas;
  const noise = createNoise(random);
  const isTwoSided = random.chance(0.5);
  const color = mixColors(p.ink, "#000000", sky.hour === "night" ? 0.35 : 0.12);
  let svg = "";
  for (let x = -unit * 2; x < width + unit * 2; x += unit * random.between(0.7, 2.4)) {
    const edge = isTwoSided ? Math.abs(x / width - 0.5) * 2 : 0.55 + noise((x / width) * 3) * 0.45;
    const tall = unit * (3 + 17 * edge ** 2.2) * random.between(0.6, 1.15);
    svg += conifer(x, height + unit, tall, random);
  }
  return `<g fill="${color}">${svg}</g>`;
}

/** A conifer's outline: tiers of drooping branches that widen toward the base. */
function conifer(x: number, foot: number, tall: number, random: Random): string {
  const tiers = 5 + Math.round(tall / 30);
  const half = tall * random.between(0.16, 0.24);
  const left: Point[] = [];
  const right: Point[] = [];
  for (let tier = 1; tier <= tiers; tier++) {
    const y = foot - tall * (1 - tier / (tiers + 0.6));
    const reach = half * (tier / tiers) * random.between(0.8, 1.15);
    left.push([x - reach, y], [x - reach * 0.45, y - tall * 0.018]);
    right.push([x + reach * random.between(0.85, 1.1), y], [x + reach * 0.45, y - tall * 0.018]);
  }
  return `<path d="M${n(x)} ${n(foot - tall)}${polyline(right).replace("M", "L")}L${n(x)} ${n(foot)}${polyline(left.reverse()).replace("M", "L")}Z"/>`;
}
