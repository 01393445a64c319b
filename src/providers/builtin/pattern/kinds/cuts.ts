import { lightnessOf } from "../color.ts";
import type { Random } from "../random.ts";
import { n, type Point, polyline, smoothLine } from "../shapes.ts";
import { type Canvas, ground, type Kind, type Layer } from "./kind.ts";

type Cut = (size: number, random: Random) => string;

/** Cut and painted paper: sheets of color, and on them shapes cut with scissors, each with its shadow. */
export const cuts: Kind = (canvas) => {
  const { random, palette: p } = canvas;
  const sheets = random.fork("sheets");
  const base = sheets.pick([p.paper, p.light, p.paper, p.deep]);
  const papers = chooseSheets(canvas, base, sheets);
  const layers: Layer[] = [
    { name: "ground", svg: ground(canvas, base) },
    {
      name: "sheets",
      svg: papers.map(({ path, color }) => `<path d="${path}" fill="${color}"/>`).join(""),
    },
  ];
  const colorUnder = ({ x, y }: Place) =>
    papers.findLast(
      ({ left, top, right, bottom }) => x > left && x < right && y > top && y < bottom,
    )?.color ?? base;
  const places = spread(canvas, random.fork("places"));
  const others = random
    .shuffle([pebble, leaf, halfMoon, star, ribbon, ring, coin])
    .slice(0, random.whole(2, 4));
  const cast = [random.pick([frond, leaf]), frond, ...others];
  const perLayer = Math.ceil(places.length / 5);
  for (let from = 0; from < places.length; from += perLayer) {
    const svg = places
      .slice(from, from + perLayer)
      .map((place, index) =>
        drawCut(canvas, place, colorUnder(place), cast, random.fork(`cut ${from + index}`)),
      );
    layers.push({ name: `cuts ${layers.length - 1}`, svg: svg.join("") });
  }
  return layers;
};

/** Two to five rough rectangles that divide the ground. */
type Sheet = {
  left: number;
  top: number;
  right: number;
  bottom: number;
  color: string;
  path: string;
};

function chooseSheets(canvas: Canvas, base: string, random: Random): Sheet[] {
  const { width, height, palette: p, unit } = canvas;
  const colors = random.shuffle(
    [p.soft, p.mid, p.deep, p.accent, p.light, p.paper].filter((color) => color !== base),
  );
  const columns = random.whole(1, width > height ? 3 : 2);
  const rows = random.whole(1, height > width ? 3 : 2);
  const wobble = () => unit * random.between(-1.6, 1.6);
  const sheets: Sheet[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (columns * rows > 1 && random.chance(0.25)) continue;
      const margin = columns * rows === 1 ? unit * 8 : unit * random.between(-1, 2);
      const [left, top] = [(width / columns) * column + margin, (height / rows) * row + margin];
      const [right, bottom] = [
        (width / columns) * (column + 1) - margin,
        (height / rows) * (row + 1) - margin,
      ];
      const corners: Point[] = [
        [left + wobble(), top + wobble()],
        [right + wobble(), top + wobble()],
        [right + wobble(), bottom + wobble()],
        [left + wobble(), bottom + wobble()],
      ];
      sheets.push({
        left,
        top,
        right,
        bottom,
        color: colors[sheets.length % colors.length]!,
        path: `${polyline(corners)}Z`,
      });
    }
  }
  return sheets;
}

type Place = { x: number; y: number; radius: number };

/** Circles that share the surface: large ones first, each in the emptiest of many tries. */
function spread(canvas: Canvas, random: Random): Place[] {
  const { width, height, unit } = canvas;
  const count = Math.round(9 + canvas.fullness * 26);
  const places: Place[] = [];
  for (let index = 0; index < count; index++) {
    const wanted =
      unit *
      (index < 3
        ? random.between(21, 31)
        : index < count / 2
          ? random.between(10, 18)
          : random.between(3.5, 8));
    let best: (Place & { room: number }) | undefined;
    for (let attempt = 0; attempt < 40; attempt++) {
      const [x, y] = [random.next() * width, random.next() * height];
      const room = Math.min(
        wanted,
        ...places.map((other) => Math.hypot(x - other.x, y - other.y) - other.radius * 0.82),
      );
      if (!best || room > best.room) best = { x, y, radius: wanted, room };
    }
    if (best && best.room > unit * 2.4)
      places.push({ x: best.x, y: best.y, radius: Math.min(wanted, best.room * 1.12) });
  }
  return places;
}

/** A shape in a color that stands out from the paper under it. */
function drawCut(
  canvas: Canvas,
  place: Place,
  under: string,
  cast: readonly Cut[],
  random: Random,
): string {
  const { palette: p, unit } = canvas;
  const path = random.pick(cast)(place.radius, random);
  const color = random.pick(
    [p.ink, p.deep, p.mid, p.soft, p.paper, p.paper, p.accent, p.accent, p.light].filter(
      (tone) => Math.abs(lightnessOf(tone) - lightnessOf(under)) > 0.17,
    ),
  );
  const turn = `rotate(${n(random.between(0, 360))})`;
  const at = (dx: number, dy: number) =>
    `transform="translate(${n(place.x + dx)} ${n(place.y + dy)}) ${turn}"`;
  const rule = `fill-rule="evenodd"`;
  const shadow = `<path d="${path}" ${rule} ${at(unit * 0.45, unit * 0.6)} fill="${p.ink}" opacity="0.16"/>`;
  return `${shadow}<path d="${path}" ${rule} ${at(0, 0)} fill="${color}"/>`;
}

/** A stem with rounded fingers to both sides, longer in the middle. */
const frond: Cut = (size, random) => {
  const pairs = random.whole(3, 5);
  const lean = random.between(-0.25, 0.25);
  const side = (to: number): Point[] => {
    const points: Point[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const y = size * (0.78 - (pair / pairs) * 1.5);
      const long =
        size *
        (0.42 + 0.42 * Math.sin(((pair + 0.7) / pairs) * Math.PI)) *
        random.between(0.85, 1.1);
      const thick = (size / pairs) * 0.46;
      const rise = size * 0.3;
      points.push(
        [to * size * 0.1, y],
        [to * long * 0.7, y - rise * 0.5 + thick * 0.35],
        [to * long, y - rise],
        [to * long * 0.72, y - rise - thick * 0.75],
        [to * size * 0.13, y - thick * 1.25],
      );
    }
    return points.map(([x, y]) => [x + lean * y * 0.4, y] as const);
  };
  const tip: Point = [-lean * size * 0.4, -size];
  return smoothLine(
    [
      [lean * size * 0.4 + size * 0.07, size],
      ...side(1),
      tip,
      ...side(-1).reverse(),
      [lean * size * 0.4 - size * 0.07, size],
    ],
    true,
  );
};

const pebble: Cut = (size, random) => {
  const count = random.whole(5, 8);
  const points = Array.from({ length: count }, (_, index): Point => {
    const angle = (index / count) * Math.PI * 2;
    const reach = size * random.between(0.6, 1);
    return [Math.cos(angle) * reach, Math.sin(angle) * reach * 0.85];
  });
  const hole = random.chance(0.25)
    ? smoothLine(
        points.map(([x, y]) => [x * 0.42, y * 0.42]),
        true,
      )
    : "";
  return smoothLine(points, true) + hole;
};

/** A leaf with notches cut along one or both sides. */
const leaf: Cut = (size, random) => {
  const wide = size * random.between(0.42, 0.62);
  const bow = (to: number) =>
    `C${n(to * wide * 1.25)} ${n(-size * 0.45)} ${n(to * wide * 1.25)} ${n(size * 0.45)} 0 ${n(size)}`;
  const back = `C${n(-wide * 1.25)} ${n(size * 0.45)} ${n(-wide * 1.25)} ${n(-size * 0.45)} 0 ${n(-size)}Z`;
  const slits = random.whole(2, 4);
  let notches = "";
  for (let index = 0; index < slits; index++) {
    const y = size * (-0.42 + (index / slits) * 1.1);
    for (const to of random.chance(0.75) ? [-1, 1] : [1])
      notches += `M${n(to * wide * 0.1)} ${n(y + size * 0.1)}Q${n(to * wide * 0.4)} ${n(y - size * 0.05)} ${n(to * wide * 0.74)} ${n(y - size * 0.1)}Q${n(to * wide * 0.45)} ${n(y + size * 0.08)} ${n(to * wide * 0.1)} ${n(y + size * 0.1)}Z`;
  }
  return `M0 ${n(-size)}${bow(1)}${back}${notches}`;
};

const halfMoon: Cut = (size, random) => {
  const radius = n(size * 0.92);
  const outer = `M${n(-size * 0.92)} 0A${radius} ${radius} 0 0 1 ${n(size * 0.92)} 0`;
  if (random.chance(0.5)) return `${outer}Z`;
  const inner = size * random.between(0.3, 0.55);
  return `${outer}H${n(inner)}A${n(inner)} ${n(inner)} 0 0 0 ${n(-inner)} 0Z`;
};

const star: Cut = (size, random) => {
  const arms = random.whole(5, 9);
  const inner = random.between(0.3, 0.5);
  const points = Array.from({ length: arms * 2 }, (_, index): Point => {
    const reach = size * (index % 2 ? inner : random.between(0.85, 1));
    const angle = (index / (arms * 2)) * Math.PI * 2;
    return [Math.cos(angle) * reach, Math.sin(angle) * reach];
  });
  return random.chance(0.65) ? smoothLine(points, true) : `${polyline(points)}Z`;
};

/** A wavy strip with round ends. */
const ribbon: Cut = (size, random) => {
  const [waves, wide, deep] = [
    random.whole(2, 3),
    size * random.between(0.12, 0.18),
    size * random.between(0.14, 0.24),
  ];
  const side = (offset: number): Point[] =>
    Array.from({ length: waves * 8 + 1 }, (_, step) => {
      const share = step / (waves * 8);
      return [(share * 2 - 1) * size, Math.sin(share * waves * Math.PI * 2) * deep + offset];
    });
  return smoothLine(
    [...side(-wide), [size * 1.08, 0], ...side(wide).reverse(), [-size * 1.08, 0]],
    true,
  );
};

const coin: Cut = (size) => {
  const radius = n(size * 0.7);
  return `M${n(-size * 0.7)} 0a${radius} ${radius} 0 1 0 ${n(size * 1.4)} 0a${radius} ${radius} 0 1 0 ${n(-size * 1.4)} 0Z`;
};

const ring: Cut = (size, random) => {
  const circle = (radius: number, x = 0) =>
    `M${n(x - radius)} 0A${n(radius)} ${n(radius)} 0 1 0 ${n(x + radius)} 0A${n(radius)} ${n(radius)} 0 1 0 ${n(x - radius)} 0Z`;
  return (
    circle(size * 0.85) +
    (random.chance(0.6)
      ? circle(size * random.between(0.3, 0.6), size * random.between(0, 0.15))
      : "")
  );
};
