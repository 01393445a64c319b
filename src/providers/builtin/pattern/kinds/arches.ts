import { mixColors } from "../color.ts";
import type { Random } from "../random.ts";
import { n, opacity } from "../shapes.ts";
import { type Canvas, ground, type Kind, type Layer } from "./kind.ts";

type Form = "round" | "pointed" | "horseshoe";
type Box = { x: number; foot: number; half: number; tall: number };

/** Arcades: rows of nested arches, overlapping rainbows, or one portal with a view. */
export const arches: Kind = (canvas) => {
  const plan = canvas.random.pick(["rows", "rows", "rows", "scales", "portal"] as const);
  return { rows: drawRows, scales: drawScales, portal: drawPortal }[plan](canvas);
};

/**
 * The outline of one arch, open at `foot`, `half` to each side of `x`, `tall` in total (pixels).
 */
function archPath({ x, foot, half, tall }: Box, form: Form): string {
  const top = foot - tall;
  if (form === "pointed") {
    const spring = top + Math.min(tall * 0.7, half * 1.55);
    const side = (to: number) => `${n(x + to * half)} ${n(spring - half * 0.75)}`;
    return `M${n(x - half)} ${n(foot)}V${n(spring)}Q${side(-1)} ${n(x)} ${n(top)}Q${side(1)} ${n(x + half)} ${n(spring)}V${n(foot)}Z`;
  }
  const spring = top + Math.min(tall, half);
  const radius = n(half);
  if (form === "round" || tall < half * 1.7)
    return `M${n(x - half)} ${n(foot)}V${n(spring)}a${radius} ${radius} 0 0 1 ${n(half * 2)} 0V${n(foot)}Z`;
  const [inner, drop] = [half * 0.82, half * 0.57];
  return `M${n(x - inner)} ${n(foot)}V${n(spring + drop)}A${radius} ${radius} 0 1 1 ${n(x + inner)} ${n(spring + drop)}V${n(foot)}Z`;
}

/** Nested arches, colored from the outside in. */
function nest(
  box: Box,
  form: Form,
  colors: readonly string[],
  bands: number,
  core: number,
): string {
  return Array.from({ length: bands }, (_, band) => {
    const share = 1 - (band / bands) * (1 - core);
    const inset = box.half * (1 - share);
    return `<path d="${archPath({ ...box, half: box.half * share, tall: box.tall - inset }, form)}" fill="${colors[band % colors.length]}"/>`;
  }).join("");
}

/** Color orders shared by neighbors, so that the wall looks like one design. */
function chooseOrders(canvas: Canvas, wall: string, random: Random): string[][] {
  const { palette: p } = canvas;
  const all = [p.ink, p.deep, p.mid, p.soft, p.light, p.paper, p.accent].filter(
    (color) => color !== wall,
  );
  return Array.from({ length: random.whole(2, 3) }, () => {
    const shuffled = random.shuffle(all);
    // A strong edge against the wall first, then light and dark alternate.
    return shuffled
      .sort(
        (one, other) =>
          Number([p.light, p.paper].includes(one)) - Number([p.light, p.paper].includes(other)),
      )
      .flatMap((color, index, list) => (index < 3 ? [color, list[list.length - 1 - index]!] : []));
  });
}

function drawRows(canvas: Canvas): Layer[] {
  const { width, height, unit, palette: p, random } = canvas;
  const wall = random.pick([p.light, p.paper, p.soft, p.light, p.deep]);
  const form = random.pick<Form>(["round", "round", "pointed", "horseshoe"]);
  const across = Math.max(
    2,
    Math.round((width / unit / 100) * (2.2 + canvas.fullness * 3.2) * random.between(0.7, 1.25)),
  );
  const cell = width / across;
  const rows = Math.max(1, Math.round(height / (cell * random.between(1.35, 1.8))));
  const orders = chooseOrders(canvas, wall, random);
  const [bands, core] = [random.whole(3, 5), random.between(0.2, 0.36)];
  const [gap, isStaggered, trim] = [random.between(0.36, 0.45), random.chance(0.3), random.next()];
  const step = random.whole(1, 2);
  const rowTall = height / rows;
  const base = { name: "wall", svg: ground(canvas, wall) };
  const lines = Array.from({ length: rows }, (_, row): Layer => {
    const foot = rowTall * (row + 1) - rowTall * 0.055;
    let svg = "";
    for (let column = isStaggered && row % 2 ? -1 : 0; column < across; column++) {
      const x = cell * (column + (isStaggered && row % 2 ? 1 : 0.5));
      const box = { x, foot, half: cell * gap, tall: rowTall * 0.86 };
      svg +=
        nest(box, form, orders[((column + 2) * step + row) % orders.length]!, bands, core) +
        drawCore(canvas, box, core, random);
    }
    const sill = `<rect y="${n(foot)}" width="${width}" height="${n(rowTall * 0.055)}" fill="${trim < 0.5 ? mixColors(wall, p.ink, 0.16) : orders[0]![0]}"/>`;
    return { name: `row ${row + 1}`, svg: svg + (trim < 0.8 ? sill : "") };
  });
  return [base, ...lines];
}

/** Occasionally draws a low sun in the innermost opening. */
function drawCore(canvas: Canvas, box: Box, core: number, random: Random): string {
  const { palette: p } = canvas;
  if (!random.chance(0.14)) return "";
  const [y, radius] = [box.foot - box.tall * 0.42, box.half * core * 0.6];
  return `<circle cx="${n(box.x)}" cy="${n(y)}" r="${n(radius)}" fill="${random.pick([p.accent, p.soft])}"/>`;
}

/** Rows of half rainbows that overlap like scales, from the top down. */
function drawScales(canvas: Canvas): Layer[] {
  const { width, height, unit, palette: p, random } = canvas;
  const across = Math.max(
    2,
    Math.round((width / unit / 100) * (1.3 + canvas.fullness * 2.6) * random.between(0.8, 1.25)),
  );
  const radius = width / across / 2;
  const rows = Math.ceil(height / (radius * 0.62)) + 2;
  const bands = random.whole(4, 6);
  const orders = chooseOrders(canvas, "", random);
  const rim = random.pick([p.paper, p.ink, p.light]);
  const layers: Layer[] = [{ name: "ground", svg: ground(canvas, p.deep) }];
  for (let row = 0; row < rows; row++) {
    let svg = "";
    for (let column = -1; column <= across; column++) {
      const [x, y] = [(column * 2 + 1 + (row % 2)) * radius, row * radius * 0.62];
      const order =
        orders[random.chance(0.12) ? random.whole(0, orders.length - 1) : row % orders.length]!;
      svg += `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius * 1.02)}" fill="${rim}"/>`;
      for (let band = 0; band < bands; band++)
        svg += `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius * (0.95 - (band / bands) * 0.85))}" fill="${order[band % order.length]}"/>`;
    }
    layers.push({ name: `row ${row + 1}`, svg });
  }
  return layers;
}

/** One tall doorway, nested, with a sun and steps that lead to it. */
function drawPortal(canvas: Canvas): Layer[] {
  const { width, height, unit, palette: p, random } = canvas;
  const [wall, form] = [
    random.pick([p.light, p.paper, p.soft]),
    random.pick<Form>(["round", "pointed", "horseshoe"]),
  ];
  const x = width * random.pick([0.5, 0.5, 0.38, 0.62]);
  const floor = height * random.between(0.8, 0.88);
  const box = {
    x,
    foot: floor,
    half: Math.min(width * 0.36, height * 0.33),
    tall: height * random.between(0.66, 0.74),
  };
  const [order] = chooseOrders(canvas, wall, random);
  const bands = random.whole(4, 7);
  const core = random.between(0.3, 0.42);
  const inner = { ...box, half: box.half * core, tall: box.tall - box.half * (1 - core) };
  const sunY = floor - inner.tall * random.between(0.45, 0.65);
  const view = `<defs><clipPath id="door"><path d="${archPath(inner, form)}"/></clipPath></defs><g clip-path="url(#door)"><rect x="${n(x - inner.half)}" y="0" width="${n(inner.half * 2)}" height="${height}" fill="${p.paper}"/><circle cx="${n(x)}" cy="${n(sunY)}" r="${n(inner.half * 0.55)}" fill="${p.accent}"/><rect x="${n(x - inner.half)}" y="${n(floor - inner.tall * 0.38)}" width="${n(inner.half * 2)}" height="${n(inner.tall)}" fill="${p.mid}"/><rect x="${n(x - inner.half)}" y="${n(floor - inner.tall * 0.16)}" width="${n(inner.half * 2)}" height="${n(inner.tall)}" fill="${p.deep}"/></g>`;
  const stairs = Array.from({ length: 5 }, (_, index) => {
    const half = box.half * (1.08 + index * 0.17);
    const tall = (height - floor) / 5;
    return `<rect x="${n(x - half)}" y="${n(floor + index * tall)}" width="${n(half * 2)}" height="${n(tall + 1)}" fill="${mixColors(p.paper, p.deep, 0.12 + index * 0.17)}"/>`;
  });
  const shade = `<path d="${archPath({ ...box, x: x + unit * 2.2, half: box.half * 1.01 }, form)}" fill="${p.ink}" opacity="${opacity(0.14)}"/>`;
  const floorFill = `<rect y="${n(floor)}" width="${width}" height="${n(height - floor)}" fill="${mixColors(wall, p.deep, 0.5)}"/>`;
  return [
    { name: "wall", svg: ground(canvas, wall) + floorFill },
    { name: "shade", svg: shade },
    { name: "arches", svg: nest(box, form, order!, bands, core) },
    { name: "view", svg: view },
    { name: "steps", svg: stairs.join("") },
  ];
}
