import type { Random } from "../random.ts";
import { n, opacity, type Point } from "../shapes.ts";

/** How one plant grows: angles in radians, sizes in hundredths of the picture's shorter side. */
export type Foliage = {
  form: "lance" | "coin" | "heart" | "needle" | "slit" | "blade";
  stems: number;
  /** Leaves, or pairs of them, on a stem; the first stands at the share `from` of it. */
  leaves: number;
  from: number;
  isPaired: boolean;
  size: number;
  /** Width of a leaf as a share of its length. */
  wide: number;
  angle: number;
  taper: boolean;
  droop: number;
  stroke: number;
  hasTip: boolean;
  canFlower: boolean;
};

export const foliages: readonly Foliage[] = [
  {
    form: "lance",
    stems: 7,
    leaves: 8,
    from: 0.25,
    isPaired: true,
    size: 8,
    wide: 0.32,
    angle: 0.75,
    taper: true,
    droop: 0.3,
    stroke: 0.55,
    hasTip: true,
    canFlower: true,
  },
  {
    form: "coin",
    stems: 7,
    leaves: 8,
    from: 0.22,
    isPaired: true,
    size: 5.6,
    wide: 0.95,
    angle: 1.1,
    taper: true,
    droop: 0.35,
    stroke: 0.5,
    hasTip: true,
    canFlower: false,
  },
  {
    form: "heart",
    stems: 7,
    leaves: 1,
    from: 0.98,
    isPaired: false,
    size: 19,
    wide: 0.86,
    angle: 0.3,
    taper: false,
    droop: 0.5,
    stroke: 0.8,
    hasTip: false,
    canFlower: false,
  },
  {
    form: "slit",
    stems: 6,
    leaves: 1,
    from: 0.98,
    isPaired: false,
    size: 24,
    wide: 0.9,
    angle: 0.35,
    taper: false,
    droop: 0.6,
    stroke: 0.8,
    hasTip: false,
    canFlower: false,
  },
  {
    form: "needle",
    stems: 8,
    leaves: 22,
    from: 0.18,
    isPaired: true,
    size: 6.5,
    wide: 0.2,
    angle: 0.85,
    taper: true,
    droop: 0.8,
    stroke: 0.45,
    hasTip: true,
    canFlower: false,
  },
  {
    form: "lance",
    stems: 9,
    leaves: 4,
    from: 0.2,
    isPaired: false,
    size: 11,
    wide: 0.24,
    angle: 0.6,
    taper: false,
    droop: 0.2,
    stroke: 0.5,
    hasTip: false,
    canFlower: true,
  },
  {
    form: "blade",
    stems: 10,
    leaves: 1,
    from: 0.05,
    isPaired: false,
    size: 46,
    wide: 0.11,
    angle: 0.12,
    taper: false,
    droop: 0.3,
    stroke: 0.4,
    hasTip: false,
    canFlower: true,
  },
];

/** One leaf from its foot at (x, y) along `angle`, `size` pixels long, with its middle vein. */
export function leafPath(
  foliage: Foliage,
  x: number,
  y: number,
  angle: number,
  size: number,
  fill: string,
  random: Random,
): string {
  const half = (size * foliage.wide) / 2;
  const turn = `transform="translate(${n(x)} ${n(y)}) rotate(${n((angle * 180) / Math.PI)})"`;
  const vein = `<path d="M${n(size * 0.06)} 0L${n(size * 0.9)} 0" fill="none" stroke="#fff" stroke-width="${n(Math.max(0.6, size * 0.018))}" opacity="${opacity(0.22)}"/>`;
  return `<g ${turn}><path d="${outline(foliage, size, half, random)}" fill="${fill}" fill-rule="evenodd"/>${foliage.form === "needle" ? "" : vein}</g>`;
}

function outline(foliage: Foliage, size: number, half: number, random: Random): string {
  const s = (share: number) => n(size * share);
  switch (foliage.form) {
    case "coin":
      return `M0 0C${s(0.1)} ${n(-half * 1.3)} ${s(0.95)} ${n(-half * 1.25)} ${s(1)} 0C${s(0.95)} ${n(half * 1.25)} ${s(0.1)} ${n(half * 1.3)} 0 0Z`;
    case "heart":
      return `M0 0C${s(-0.22)} ${n(-half * 0.9)} ${s(0.12)} ${n(-half * 1.35)} ${s(0.42)} ${n(-half * 0.88)}C${s(0.7)} ${n(-half * 0.5)} ${s(0.9)} ${n(-half * 0.16)} ${s(1)} 0C${s(0.9)} ${n(half * 0.16)} ${s(0.7)} ${n(half * 0.5)} ${s(0.42)} ${n(half * 0.88)}C${s(0.12)} ${n(half * 1.35)} ${s(-0.22)} ${n(half * 0.9)} 0 0Z`;
    case "slit":
      return slitLeaf(size, half, random);
    default:
      return `M0 0C${s(0.24)} ${n(-half * 1.3)} ${s(0.66)} ${n(-half * 1.15)} ${s(1)} 0C${s(0.66)} ${n(half * 1.15)} ${s(0.24)} ${n(half * 1.3)} 0 0Z`;
  }
}

/** A monstera's leaf: a heart whose rim is cut towards the vein. */
function slitLeaf(size: number, half: number, random: Random): string {
  const cuts = 4;
  const rim = (t: number, to: number): Point => [
    size * (-0.08 + t * 1.08),
    to * half * (t < 0.35 ? 0.62 + t * 1.1 : 1 - ((t - 0.35) / 0.65) ** 1.7),
  ];
  const side = (to: number): string[] => {
    const steps: string[] = [];
    for (let cut = 0; cut < cuts; cut++) {
      const [from, until] = [0.06 + (cut / cuts) * 0.86, 0.06 + ((cut + 0.8) / cuts) * 0.86];
      const [a, b] = [rim(from, to), rim(until, to)];
      const depth = random.between(0.3, 0.45);
      const inner: Point = [size * (until - 0.03), to * half * depth * (1 - until * 0.7)];
      const bulge: Point = [(a[0] + b[0]) / 2 + size * 0.02, ((a[1] + b[1]) / 2) * 1.14];
      steps.push(
        `L${n(a[0])} ${n(a[1])}Q${n(bulge[0])} ${n(bulge[1])} ${n(b[0])} ${n(b[1])}`,
        `Q${n(inner[0] + size * 0.05)} ${n((inner[1] + b[1]) / 2)} ${n(inner[0])} ${n(inner[1])}`,
      );
    }
    return steps;
  };
  return `M0 0${side(-1).join("")}L${n(size)} 0L0 0Z M0 0${side(1).join("")}L${n(size)} 0L0 0Z`;
}

/** A flower seen from the front: petals around a heart. */
export function bloom(
  [x, y]: Point,
  radius: number,
  petal: string,
  heart: string,
  random: Random,
): string {
  const petals = random.whole(5, 11);
  const half = radius * Math.min(0.6, 2.4 / petals + 0.06);
  const turn = random.between(0, 90);
  const leaves = Array.from({ length: petals }, (_, index) => {
    const angle = n(turn + (index / petals) * 360);
    return `<ellipse cx="${n(radius * 0.62)}" cy="0" rx="${n(radius * 0.5)}" ry="${n(half)}" transform="rotate(${angle})"/>`;
  });
  return `<g transform="translate(${n(x)} ${n(y)}) scale(1 ${random.between(0.72, 1).toFixed(2)})"><g fill="${petal}">${leaves.join("")}</g><circle r="${n(radius * 0.26)}" fill="${heart}"/></g>`;
}
