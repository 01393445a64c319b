import { colorAlong, mixColors } from "../color.ts";
import type { Random } from "../random.ts";
import { createNoise, n, opacity, type Point, smoothLine, verticalGradient } from "../shapes.ts";
import { type Canvas, ground, type Kind, type Layer } from "./kind.ts";
import { chooseSky, drawAir, drawBirds, drawClouds, drawSun, type Sky } from "./sky.ts";

/**
 * Water to the horizon: strokes that lengthen toward the viewer, or bands of waves, with the sun's
 * path, islands and sails.
 */
export const sea: Kind = (canvas) => {
  const { random, palette: p, height, width } = canvas;
  const horizonY = Math.round(height * random.between(0.34, 0.56));
  const sky = chooseSky(canvas, horizonY, random.fork("sky"));
  const air = random.fork("air");
  const layers: Layer[] = [
    {
      name: "sky",
      svg:
        ground(canvas, sky.horizon) +
        drawAir(canvas, sky, horizonY, air) +
        (air.chance(0.6) ? drawClouds(canvas, horizonY, p.paper, air) : ""),
    },
    { name: "sun", svg: drawSun(sky, p, air) },
  ];
  if (random.chance(0.6))
    layers.push({
      name: "islands",
      svg: drawIslands(canvas, sky, horizonY, random.fork("islands")),
    });
  const water =
    sky.hour === "haze" || sky.hour === "day"
      ? [mixColors(p.soft, p.mid, 0.6), p.mid, p.deep]
      : [mixColors(p.mid, p.deep, 0.6), p.deep, p.ink];
  layers.push({
    name: "water",
    svg: `<defs>${verticalGradient("water", water)}</defs><rect y="${horizonY}" width="${width}" height="${height - horizonY}" fill="url(#water)"/>`,
  });
  layers.push(
    ...(random.chance(0.3)
      ? drawSwell(canvas, sky, horizonY, water)
      : drawStrokes(canvas, sky, horizonY)),
  );
  const sails = random.fork("sails");
  if (sails.chance(0.6)) layers.push({ name: "sails", svg: drawSails(canvas, horizonY, sails) });
  if (sky.hour !== "night" && sails.chance(0.45))
    layers.push({ name: "gulls", svg: drawBirds(canvas, horizonY, p.ink, sails) });
  return layers;
};

function drawIslands(canvas: Canvas, sky: Sky, horizonY: number, random: Random): string {
  const { width, unit, palette: p } = canvas;
  return Array.from({ length: random.whole(1, 3) }, (_, index) => {
    const [middle, half, tall] = [
      width * random.next(),
      unit * random.between(12, 46),
      unit * random.between(2, 11),
    ];
    const noise = createNoise(random);
    const points: Point[] = Array.from({ length: 25 }, (_, step) => {
      const across = step / 12 - 1;
      return [
        middle + across * half,
        horizonY + 1 - tall * (1 - across * across) * (0.45 + 0.55 * noise(step * 0.35)),
      ];
    });
    return `<path d="${smoothLine(points)}Z" fill="${mixColors(sky.horizon, index ? p.deep : p.mid, 0.55 + index * 0.15)}"/>`;
  }).join("");
}

/**
 * Short strokes of water, in three passes from far to near; those under the sun reflect its light.
 */
function drawStrokes(canvas: Canvas, sky: Sky, horizonY: number): Layer[] {
  const { width, height, unit, palette: p } = canvas;
  const glint = sky.hour === "haze" ? p.accent : p.paper;
  const total = Math.round((width / height) ** 0.5 * (240 + 520 * canvas.fullness));
  return [0, 1, 2].map((pass) => {
    const random = canvas.random.fork(`strokes ${pass}`);
    let svg = "";
    for (let index = 0; index < total / 3; index++) {
      const near = ((pass + random.next()) / 3) ** 1.75;
      const y = horizonY + unit * 0.4 + near * (height - horizonY);
      const isGlint = random.chance(0.3);
      const spread = unit * (4 + near * 26);
      const x = isGlint
        ? sky.sun.x + (random.next() + random.next() - 1) * spread
        : random.between(-0.05, 1) * width;
      const long = unit * (1.2 + near * 15) * random.between(0.4, 1.4) * (isGlint ? 0.7 : 1);
      const color = isGlint ? glint : random.pick([p.ink, p.deep, p.soft, p.light, p.mid]);
      const bow = -unit * (0.1 + near * 0.9) * random.between(0.3, 1);
      const thick = unit * (0.12 + near * 0.55) * random.between(0.6, 1.2);
      svg += `<path d="M${n(x - long / 2)} ${n(y)}q${n(long / 4)} ${n(bow)} ${n(long / 2)} 0t${n(long / 2)} 0" stroke="${color}" stroke-width="${thick.toFixed(2)}" opacity="${opacity(isGlint ? 0.85 : random.between(0.3, 0.75))}"/>`;
    }
    return { name: `strokes ${pass + 1}`, svg: `<g fill="none" stroke-linecap="round">${svg}</g>` };
  });
}

/**
 * Bands of swell in linocut style: an uneven crest, with cut lines below that follow it and fade.
 */
function drawSwell(canvas: Canvas, sky: Sky, horizonY: number, water: readonly string[]): Layer[] {
  const { width, height, unit, palette: p } = canvas;
  const count = 6 + Math.round(canvas.fullness * 5);
  const crestColor = sky.hour === "night" ? p.soft : p.paper;
  return Array.from({ length: count }, (_, band) => {
    const random = canvas.random.fork(`swell ${band}`);
    const noise = createNoise(random);
    const near = (band + 1) / count;
    const y = horizonY + (height - horizonY) * near ** 1.75 * 0.93;
    const [length, rise, shift] = [
      unit * (7 + near * 30),
      unit * (0.5 + near * 6.5),
      random.between(0, 50),
    ];
    const steps = 90;
    const lineAt = (drop: number, calm: number): Point[] =>
      Array.from({ length: steps + 1 }, (_, step) => {
        const x = (step / steps) * (width + unit * 4) - unit * 2;
        // The exponent makes narrow crests and wide troughs, like water.
        const wave = Math.abs(Math.sin(x / length + shift + noise(x / length / 2) * 1.6)) ** 0.7;
        return [x, y + drop - (1 - wave) * rise * calm * (0.45 + noise(x / length / 1.7 + 20))];
      });
    const color = mixColors(colorAlong(water, near), band % 2 ? p.mid : p.ink, 0.2);
    const body = `<path d="${smoothLine(lineAt(0, 1))}L${width} ${height}L0 ${height}Z" fill="${color}"/>`;
    const cuts = [0, 1, 2, 3].map((cut) => {
      const thick = unit * (0.12 + near * 0.5) * (1 - cut * 0.2);
      const line = smoothLine(lineAt(cut * unit * (0.5 + near * 1.9), 1 - cut * 0.2));
      return `<path d="${line}" fill="none" stroke="${mixColors(crestColor, color, 0.15 + cut * 0.23)}" stroke-width="${thick.toFixed(2)}"/>`;
    });
    return { name: `swell ${band + 1}`, svg: body + cuts.join("") };
  });
}

function drawSails(canvas: Canvas, horizonY: number, random: Random): string {
  const { width, height, unit, palette: p } = canvas;
  return Array.from({ length: random.whole(1, 3) }, () => {
    const near = random.between(0.02, 0.3);
    const [x, y, tall] = [
      width * random.between(0.12, 0.88),
      horizonY + near * (height - horizonY) * 0.6,
      unit * (3.5 + near * 26),
    ];
    const [main, jib] = random.chance(0.5) ? [p.paper, p.light] : [p.accent, p.paper];
    const lean = random.chance(0.5) ? 1 : -1;
    const at = (across: number, up: number) => `${n(x + lean * across * tall)} ${n(y - up * tall)}`;
    const hull = `<path d="M${at(-0.4, 0.1)}L${at(0.44, 0.12)}Q${at(0.3, -0.04)} ${at(0.1, -0.04)}L${at(-0.26, -0.04)}Z" fill="${p.ink}"/>`;
    const sails = `<path d="M${at(0.03, 1)}Q${at(0.02, 0.4)} ${at(0.03, 0.17)}L${at(-0.38, 0.17)}Q${at(-0.08, 0.5)} ${at(0.03, 1)}Z" fill="${main}"/><path d="M${at(0.08, 0.86)}Q${at(0.34, 0.4)} ${at(0.42, 0.17)}L${at(0.08, 0.17)}Z" fill="${jib}"/>`;
    return `${hull}${sails}<path d="M${at(-0.3, -0.09)}L${at(0.3, -0.09)}M${at(-0.18, -0.16)}L${at(0.14, -0.16)}" stroke="${main}" stroke-width="${(tall * 0.03).toFixed(2)}" stroke-linecap="round" opacity="0.5"/>`;
  }).join("");
}
