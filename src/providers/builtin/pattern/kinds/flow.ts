import { colorAlong, mixColors } from "../color.ts";
import type { Random } from "../random.ts";
import { createField, type Point, smoothLine } from "../shapes.ts";
import { type Canvas, ground, type Kind, type Layer } from "./kind.ts";

type Angle = (x: number, y: number) => number;
type Line = { points: Point[]; width: number; birth: number };

/** Lines that follow a field and never touch, like combed hair, wind or wood grain. */
export const flow: Kind = (canvas) => {
  const { random, palette: p } = canvas;
  const isDark = random.chance(0.62);
  const base = isDark
    ? random.pick([p.ink, mixColors(p.ink, p.deep, 0.6)])
    : random.pick([p.paper, p.light]);
  const lines = comb(canvas, createAngle(canvas, random.fork("field")), random.fork("lines"));
  const inks = isDark
    ? [p.deep, p.mid, p.soft, p.light, p.paper]
    : [p.ink, p.deep, p.mid, p.soft, p.accent];
  const paint = choosePaint(canvas, inks, random.fork("paint"));
  const parts = 8;
  const layers: Layer[] = [{ name: "ground", svg: ground(canvas, base) }];
  for (let part = 0; part < parts; part++) {
    const own = lines.filter((_, index) => index % parts === part);
    const svg = own.map(
      (line) =>
        `<path d="${smoothLine(thin(line.points))}" stroke="${paint(line)}" stroke-width="${line.width.toFixed(1)}"/>`,
    );
    layers.push({
      name: `lines ${part + 1} of ${parts}`,
      svg: `<g fill="none" stroke-linecap="round">${svg.join("")}</g>`,
    });
  }
  return layers;
};

/**
 * The direction at each point in radians: slow noise, waves, or rotation around one or two centers.
 */
function createAngle(canvas: Canvas, random: Random): Angle {
  const { width, height, unit } = canvas;
  const noise = createField(random);
  const scale = 1 / (unit * random.between(42, 90));
  const [turns, lean] = [random.between(0.7, 1.5), random.between(0, Math.PI * 2)];
  const slow: Angle = (x, y) =>
    lean +
    (noise(x * scale + 7, y * scale + 7) * 0.8 + noise(x * scale * 2.4, y * scale * 2.4) * 0.2) *
      Math.PI *
      2 *
      turns;
  const plan = random.next();
  if (plan < 0.4) return slow;
  if (plan < 0.65) {
    const [a, b] = [
      random.between(0.012, 0.026) / (unit / 8),
      random.between(0.012, 0.026) / (unit / 8),
    ];
    return (x, y) =>
      lean +
      Math.sin(x * a + lean) * 1.5 +
      Math.cos(y * b - lean) * 1.5 +
      (noise(x * scale, y * scale) - 0.5) * 1.2;
  }
  const eyes = Array.from({ length: random.whole(1, 3) }, () => ({
    x: width * random.between(0.1, 0.9),
    y: height * random.between(0.1, 0.9),
    reach: unit * random.between(26, 60),
    spin: (random.chance(0.5) ? 1 : -1) * (Math.PI / 2) * random.between(0.8, 1.05),
  }));
  return (x, y) => {
    let [across, down] = [Math.cos(slow(x, y)) * 0.45, Math.sin(slow(x, y)) * 0.45];
    for (const eye of eyes) {
      const [dx, dy] = [x - eye.x, y - eye.y];
      const pull = Math.exp(-(dx * dx + dy * dy) / (eye.reach * eye.reach)) * 2.2;
      const angle = Math.atan2(dy, dx) + eye.spin;
      across += Math.cos(angle) * pull;
      down += Math.sin(angle) * pull;
    }
    return Math.atan2(down, across);
  };
}

/**
 * Grows lines in both directions from many points until they leave the picture or approach another
 * line: a simple form of evenly spaced streamlines (Jobard and Lefer, 1997) on a grid that records
 * where each line has been.
 */
function comb(canvas: Canvas, angle: Angle, random: Random): Line[] {
  const { width, height, unit } = canvas;
  const gap = unit * (2.3 - canvas.fullness * 1.25) * random.between(0.85, 1.2);
  const [columns, rows] = [Math.ceil(width / gap) + 4, Math.ceil(height / gap) + 4];
  const owner = new Int32Array(columns * rows).fill(-1);
  const cell = (x: number, y: number) =>
    (Math.floor(y / gap) + 2) * columns + Math.floor(x / gap) + 2;
  const isInside = (x: number, y: number) =>
    x > -gap && y > -gap && x < width + gap && y < height + gap;
  const stride = gap * 0.42;
  const most = Math.round((unit * random.between(40, 130)) / stride);
  const lines: Line[] = [];

  const grow = (from: Point, direction: number, line: number): Point[] => {
    const points: Point[] = [];
    let [x, y] = from;
    for (let step = 0; step < most; step++) {
      const turn = angle(x, y);
      x += Math.cos(turn) * stride * direction;
      y += Math.sin(turn) * stride * direction;
      if (!isInside(x, y)) break;
      const at = cell(x, y);
      if (owner[at] !== -1 && owner[at] !== line) break;
      owner[at] = line;
      points.push([x, y]);
    }
    return points;
  };

  for (let attempt = 0; attempt < columns * rows * 1.6; attempt++) {
    const start: Point = [random.next() * width, random.next() * height];
    if (owner[cell(...start)] !== -1) continue;
    const line = lines.length;
    owner[cell(...start)] = line;
    const points = [...grow(start, -1, line).reverse(), start, ...grow(start, 1, line)];
    if (points.length < 7) continue;
    lines.push({
      points,
      width: gap * random.between(0.18, 0.78) * (random.chance(0.3) ? 0.5 : 1),
      birth: random.next(),
    });
  }
  return lines;
}

/** Every third point is enough for a smooth curve. */
const thin = (points: readonly Point[]): Point[] =>
  points.filter((_, index) => index % 3 === 0 || index === points.length - 1);

/** Chooses how a line gets its color: by position, by distance from a disc, or at random. */
function choosePaint(
  canvas: Canvas,
  inks: readonly string[],
  random: Random,
): (line: Line) => string {
  const { width, height, unit, palette: p } = canvas;
  const plan = random.next();
  const [cx, cy, radius] = [
    width * random.between(0.25, 0.75),
    height * random.between(0.25, 0.75),
    unit * random.between(22, 38),
  ];
  const bands = createField(random);
  const tone = (line: Line): string => {
    const [x, y] = line.points[line.points.length >> 1]!;
    const share =
      bands((x / unit / 100) * 2.2, (y / unit / 100) * 2.2) * 0.85 + line.birth * 0.25 - 0.05;
    return line.birth > 0.94 ? p.accent : colorAlong(inks, share);
  };
  if (plan < 0.4) return tone;
  if (plan < 0.75) {
    return (line) => {
      const [x, y] = line.points[line.points.length >> 1]!;
      return Math.hypot(x - cx, y - cy) < radius
        ? mixColors(p.accent, p.light, line.birth * 0.5)
        : tone(line);
    };
  }
  return (line) =>
    line.birth > 0.9 ? p.accent : inks[Math.floor(line.birth * 1.11 * inks.length) % inks.length]!;
}
