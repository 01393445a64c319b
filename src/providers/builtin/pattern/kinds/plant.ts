import { mixColors } from "../color.ts";
import type { Random } from "../random.ts";
import { n, type Point } from "../shapes.ts";
import { type Canvas, ground, type Kind, type Layer } from "./kind.ts";
import { bloom, type Foliage, foliages, leafPath } from "./leaves.ts";
import { drawVase, type Vase } from "./vase.ts";

/** A plant in a vessel on a table, before a wall with a disc, an arch or a window of color. */
export const plant: Kind = (canvas) => {
  const { random, palette: p, width, height, unit } = canvas;
  const wall = random.pick([p.paper, p.paper, p.light, mixColors(p.soft, p.light, 0.6), p.deep]);
  const table = height * random.between(0.84, 0.9);
  const x = width * random.between(0.46, 0.54);
  const vase: Vase = {
    x,
    foot: table + unit * 3,
    tall: unit * random.between(17, 27),
    half: unit * random.between(7, 12),
  };
  const mouth: Point = [x, vase.foot - vase.tall];
  const foliage = random.pick(foliages);
  const isFlowering = random.chance(0.45);
  const tableFill = mixColors(wall, wall === p.deep ? p.ink : p.mid, 0.42);
  const behind = `${ground(canvas, wall)}${drawBackdrop(canvas, wall, table, random.fork("backdrop"))}<rect y="${n(table)}" width="${width}" height="${n(height - table)}" fill="${tableFill}"/>`;
  const shadow = `<ellipse cx="${n(x + unit * 5)}" cy="${n(vase.foot)}" rx="${n(vase.half * 1.7)}" ry="${n(unit * 1.5)}" fill="${p.ink}" opacity="0.2"/>`;
  const stems = Math.round(foliage.stems * (0.75 + canvas.fullness * 0.6));
  const layers: Layer[] = [{ name: "wall", svg: behind + shadow }];
  const order = random.shuffle(Array.from({ length: stems }, (_, index) => index));
  for (const [place, stem] of order.entries()) {
    const own = random.fork(`stem ${stem}`);
    const lean = stems === 1 ? 0 : (stem / (stems - 1)) * 2 - 1 + own.between(-0.12, 0.12);
    // Those behind are paler, so that the plant has a depth.
    const depth = 1 - place / stems;
    layers.push({
      name: `stem ${place + 1}`,
      svg: drawStem(canvas, { mouth, lean, depth, wall, foliage, isFlowering }, own),
    });
  }
  layers.push({ name: "vase", svg: drawVase(canvas, vase, wall, random.fork("vase")) });
  return layers;
};

function drawBackdrop(canvas: Canvas, wall: string, table: number, random: Random): string {
  const { width, unit, palette: p } = canvas;
  const color = random.pick(
    [p.soft, p.light, p.accent, mixColors(p.mid, p.light, 0.4)].filter((tone) => tone !== wall),
  );
  const x = width * random.between(0.36, 0.64);
  const radius = unit * random.between(25, 36);
  const plan = random.pick(["disc", "disc", "arch", "sheet", "plain"] as const);
  if (plan === "plain") return "";
  if (plan === "disc")
    return `<circle cx="${n(x)}" cy="${n(table - radius * random.between(1, 1.5))}" r="${n(radius)}" fill="${color}" opacity="0.85"/>`;
  if (plan === "sheet")
    return `<rect x="${n(x - radius)}" y="0" width="${n(radius * 2)}" height="${n(table)}" fill="${color}" opacity="0.7"/>`;
  return `<path d="M${n(x - radius)} ${n(table)}V${n(table - radius * 1.3)}a${n(radius)} ${n(radius)} 0 0 1 ${n(radius * 2)} 0V${n(table)}Z" fill="${color}" opacity="0.8"/>`;
}

type Stem = {
  mouth: Point;
  lean: number;
  depth: number;
  wall: string;
  foliage: Foliage;
  isFlowering: boolean;
};

function drawStem(canvas: Canvas, stem: Stem, random: Random): string {
  const { height, unit, palette: p, width } = canvas;
  const { mouth, lean, depth, wall, foliage } = stem;
  const reach =
    Math.min(mouth[1] - unit * 5, height * 0.62) *
    (1 - Math.abs(lean) ** 1.6 * 0.34) *
    random.between(0.72, foliage.size > 15 ? 0.86 : 1);
  const spread = Math.min(width * 0.42, unit * 52);
  const start: Point = [mouth[0] + lean * unit * 2.4, mouth[1] + unit * 2];
  const end: Point = [
    mouth[0] + lean * spread * random.between(0.7, 1),
    mouth[1] - reach + foliage.droop * Math.abs(lean) * reach * 0.5,
  ];
  const knee: Point = [
    mouth[0] + lean * spread * 0.18,
    mouth[1] - reach * random.between(0.5, 0.8),
  ];
  const at = (t: number): Point =>
    [0, 1].map(
      (axis) => (1 - t) ** 2 * start[axis]! + 2 * (1 - t) * t * knee[axis]! + t * t * end[axis]!,
    ) as unknown as Point;
  const pale = (color: string) => mixColors(color, wall, depth * 0.38);
  const greens =
    wall === p.deep
      ? [p.soft, p.mid, p.light]
      : [p.ink, p.deep, p.mid, mixColors(p.mid, p.deep, 0.5)];
  const green = random.pick(greens);
  const line = pale(mixColors(green, p.ink, 0.2));
  let svg = `<path d="M${n(start[0])} ${n(start[1])}Q${n(knee[0])} ${n(knee[1])} ${n(end[0])} ${n(end[1])}" fill="none" stroke="${line}" stroke-width="${n(unit * foliage.stroke)}" stroke-linecap="round"/>`;
  for (let index = 0; index < foliage.leaves; index++) {
    const t = foliage.from + (1 - foliage.from) * ((index + 0.5) / foliage.leaves);
    const [[x, y], [aheadX, aheadY]] = [at(t), at(Math.min(1, t + 0.02))];
    const heading = Math.atan2(aheadY - y, aheadX - x);
    const size =
      unit * foliage.size * (foliage.taper ? 1.25 - t * 0.75 : 1) * random.between(0.8, 1.15);
    for (const side of foliage.isPaired ? [-1, 1] : [index % 2 ? -1 : 1]) {
      const angle = heading + side * foliage.angle * random.between(0.75, 1.2);
      const fill = pale(
        random.chance(0.14)
          ? mixColors(green, p.accent, 0.7)
          : mixColors(green, random.pick(greens), random.next() * 0.7),
      );
      svg += leafPath(foliage, x, y, angle, size, fill, random);
    }
  }
  if (stem.isFlowering && foliage.canFlower && random.chance(0.7))
    return (
      svg +
      bloom(
        end,
        unit * random.between(3, 6.5),
        pale(random.pick([p.accent, p.soft, p.accent])),
        pale(p.light),
        random,
      )
    );
  const tip = Math.atan2(end[1] - knee[1], end[0] - knee[0]);
  return foliage.hasTip
    ? svg + leafPath(foliage, end[0], end[1], tip, unit * foliage.size * 0.85, pale(green), random)
    : svg;
}
