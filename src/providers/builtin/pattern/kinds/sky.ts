import { mixColors } from "../color.ts";
import type { Random } from "../random.ts";
import { glow, n, opacity, verticalGradient } from "../shapes.ts";
import type { Canvas } from "./kind.ts";

type Hour = "day" | "dusk" | "night" | "haze";

export type Sky = {
  hour: Hour;
  stops: string[];
  sun: { x: number; y: number; radius: number; color: string };
  horizon: string;
};

/**
 * Chooses the time of day, the sky's colors from top to horizon, and the position of the sun or
 * moon. `horizonY` is in pixels.
 */
export function chooseSky(canvas: Canvas, horizonY: number, random: Random): Sky {
  const { palette: p, width, unit } = canvas;
  const hour = random.pick<Hour>(["day", "dusk", "dusk", "night", "haze"]);
  const stops = {
    day: [mixColors(p.mid, p.soft, 0.45), mixColors(p.soft, p.light, 0.5), p.light, p.paper],
    dusk: [p.deep, mixColors(p.mid, p.deep, 0.3), p.soft, p.light],
    night: [p.ink, mixColors(p.ink, p.deep, 0.7), p.deep, mixColors(p.mid, p.deep, 0.35)],
    haze: [p.light, mixColors(p.light, p.paper, 0.5), p.paper, mixColors(p.paper, p.soft, 0.45)],
  }[hour];
  const color = { day: p.paper, dusk: p.paper, night: p.paper, haze: p.accent }[hour];
  const radius = unit * random.between(4.5, hour === "night" ? 8 : 13);
  const isSetting = hour !== "night" && random.chance(0.3);
  const y = isSetting
    ? horizonY - radius * random.between(0.1, 0.7)
    : horizonY * random.between(0.3, 0.66);
  const sun = { x: width * random.between(0.2, 0.8), y: Math.max(radius * 1.3, y), radius, color };
  return { hour, stops, sun, horizon: stops[3]! };
}

export function drawAir(canvas: Canvas, sky: Sky, horizonY: number, random: Random): string {
  const { width, unit } = canvas;
  const air = `<defs>${verticalGradient("air", sky.stops)}</defs><rect width="${width}" height="${n(horizonY)}" fill="url(#air)"/>`;
  return sky.hour === "night"
    ? air + drawStars(width, horizonY, unit, canvas.palette.paper, random)
    : air;
}

function drawStars(
  width: number,
  height: number,
  unit: number,
  color: string,
  random: Random,
): string {
  return Array.from({ length: random.whole(70, 170) }, () => {
    const [x, y] = [random.next() * width, random.next() ** 1.4 * height * 0.92];
    const size = unit * (random.chance(0.08) ? 0.34 : random.between(0.08, 0.2));
    return `<circle cx="${n(x)}" cy="${n(y)}" r="${size.toFixed(2)}" fill="${color}" opacity="${opacity(random.between(0.35, 0.95))}"/>`;
  }).join("");
}

export function drawSun(sky: Sky, palette: Canvas["palette"], random: Random): string {
  const { x, y, radius, color } = sky.sun;
  const at = `cx="${n(x)}" cy="${n(y)}"`;
  const halo = `<defs>${glow("halo", sky.hour === "haze" ? palette.soft : palette.paper, sky.hour === "night" ? 0.34 : 0.6)}</defs><circle ${at} r="${n(radius * 4.2)}" fill="url(#halo)"/>`;
  if (sky.hour !== "night" || random.chance(0.4))
    return `${halo}<circle ${at} r="${n(radius)}" fill="${color}"/>`;
  const bite = radius * random.between(0.35, 0.6);
  const outer = `M${n(x + bite * 0.4)} ${n(y - radius)}A${n(radius)} ${n(radius)} 0 1 0 ${n(x + bite * 0.4)} ${n(y + radius)}`;
  return `${halo}<path d="${outer}A${n(radius * 1.25)} ${n(radius * 1.25)} 0 0 1 ${n(x + bite * 0.4)} ${n(y - radius)}Z" fill="${color}"/>`;
}

/** Long flat clouds, each a few rounded bars. */
export function drawClouds(
  canvas: Canvas,
  horizonY: number,
  color: string,
  random: Random,
): string {
  const { width, unit } = canvas;
  return Array.from({ length: random.whole(1, 4) }, () => {
    const [x, y] = [random.between(-0.1, 0.9) * width, horizonY * random.between(0.12, 0.8)];
    const bars = Array.from({ length: random.whole(2, 4) }, (_, index) => {
      const thickness = unit * random.between(0.9, 2);
      const long = unit * random.between(14, 46);
      const left = x + unit * random.between(-14, 14);
      return `<rect x="${n(left)}" y="${n(y + index * unit * 1.7)}" width="${n(long)}" height="${n(thickness)}" rx="${n(thickness / 2)}"/>`;
    });
    return `<g fill="${color}" opacity="${opacity(random.between(0.18, 0.4))}">${bars.join("")}</g>`;
  }).join("");
}

export function drawBirds(canvas: Canvas, horizonY: number, color: string, random: Random): string {
  const { width, unit } = canvas;
  const [x, y] = [width * random.between(0.15, 0.75), horizonY * random.between(0.3, 0.75)];
  return Array.from({ length: random.whole(3, 7) }, () => {
    const [left, top, wing] = [
      x + unit * random.between(-12, 12),
      y + unit * random.between(-5, 5),
      unit * random.between(0.8, 1.7),
    ];
    const half = `q${n(wing * 0.5)} ${n(-wing * 0.7)} ${n(wing)} 0`;
    return `<path d="M${n(left)} ${n(top)}${half}${half}" fill="none" stroke="${color}" stroke-width="${(unit * 0.24).toFixed(2)}" stroke-linecap="round"/>`;
  }).join("");
}
