import { mixColors } from "../color.ts";
import type { Random } from "../random.ts";
import { n, type Point, smoothLine } from "../shapes.ts";
import type { Canvas } from "./kind.ts";

/** A vessel that stands with its foot at `foot`; half its greatest width is `half` (pixels). */
export type Vase = { x: number; foot: number; tall: number; half: number };

/** Half widths from the mouth (0) to the foot (1), as shares of the greatest. */
const profiles = {
  jar: [0.62, 0.56, 0.86, 1, 0.96, 0.74],
  bottle: [0.32, 0.26, 0.3, 0.78, 1, 0.9],
  pot: [1.02, 0.98, 0.92, 0.85, 0.78, 0.7],
  bowl: [1.25, 1.24, 1.14, 0.95, 0.68, 0.4],
  urn: [0.72, 0.55, 0.9, 1, 0.7, 0.46],
  cylinder: [0.74, 0.74, 0.75, 0.75, 0.75, 0.73],
} as const;

export function drawVase(canvas: Canvas, vase: Vase, wall: string, random: Random): string {
  const { palette: p } = canvas;
  const profile = random.pick(Object.values(profiles));
  const top = vase.foot - vase.tall;
  const edge = (to: number): Point[] =>
    profile.map((share, index) => [
      vase.x + to * share * vase.half,
      top + (index / (profile.length - 1)) * vase.tall,
    ]);
  const right = smoothLine(edge(1));
  const left = smoothLine(edge(-1).reverse()).replace("M", "L");
  const shape = `${right}${left}Z`;
  const color = random.pick(
    [p.accent, p.soft, p.deep, p.paper, p.mid].filter((tone) => tone !== wall),
  );
  const mouth = `<ellipse cx="${n(vase.x)}" cy="${n(top)}" rx="${n(profile[0] * vase.half)}" ry="${n(vase.half * 0.1)}" fill="${mixColors(color, p.ink, 0.4)}"/>`;
  const shade = `<rect x="${n(vase.x + vase.half * 0.18)}" y="${n(top)}" width="${n(vase.half * 1.4)}" height="${n(vase.tall)}" fill="${p.ink}" opacity="0.13"/>`;
  const clip = `<defs><clipPath id="vase"><path d="${shape}"/></clipPath></defs>`;
  return `${clip}<path d="${shape}" fill="${color}"/><g clip-path="url(#vase)">${drawGlaze(canvas, vase, top, color, random)}${shade}</g>${mouth}`;
}

/** Bands, stripes, dots or a dipped foot. */
function drawGlaze(canvas: Canvas, vase: Vase, top: number, color: string, random: Random): string {
  const { palette: p } = canvas;
  const ink = random.pick([p.paper, p.light, p.ink, p.soft].filter((tone) => tone !== color));
  const band = (from: number, share: number) =>
    `<rect x="${n(vase.x - vase.half * 1.4)}" y="${n(top + from * vase.tall)}" width="${n(vase.half * 2.8)}" height="${n(share * vase.tall)}" fill="${ink}"/>`;
  switch (random.pick(["plain", "dipped", "bands", "zigzag", "dots"] as const)) {
    case "dipped":
      return band(random.between(0.5, 0.7), 0.6);
    case "bands":
      return [0.3, 0.38, 0.5, 0.66, 0.72]
        .map((from, index) => band(from, index % 2 ? 0.015 : 0.045))
        .join("");
    case "zigzag": {
      const y = top + vase.tall * random.between(0.4, 0.55);
      const step = vase.half * 0.3;
      const line = Array.from(
        { length: 12 },
        (_, index) =>
          `${index ? "L" : "M"}${n(vase.x - vase.half * 1.5 + index * step)} ${n(y + (index % 2 ? step * 0.8 : 0))}`,
      ).join("");
      return `<path d="${line}" fill="none" stroke="${ink}" stroke-width="${n(vase.half * 0.11)}"/><path d="${line}" transform="translate(0 ${n(step * 0.9)})" fill="none" stroke="${ink}" stroke-width="${n(vase.half * 0.05)}"/>`;
    }
    case "dots":
      return Array.from({ length: 40 }, (_, index) => {
        const [column, row] = [index % 8, Math.floor(index / 8)];
        return `<circle cx="${n(vase.x + (column - 3.5 + (row % 2) * 0.5) * vase.half * 0.34)}" cy="${n(top + vase.tall * (0.3 + row * 0.14))}" r="${n(vase.half * 0.07)}" fill="${ink}"/>`;
      }).join("");
    default:
      return "";
  }
}
