import type { Random } from "./random.ts";

export type Point = readonly [x: number, y: number];

/** Formats a number for the drawing: one decimal, never an exponent or a minus zero. */
export const n = (value: number): string => {
  const text = value.toFixed(1);
  return text.endsWith(".0") ? (text === "-0.0" ? "0" : text.slice(0, -2)) : text;
};

export const opacity = (value: number): string => value.toFixed(2);

export const polyline = (points: readonly Point[]): string =>
  points.map(([x, y], index) => `${index ? "L" : "M"}${n(x)} ${n(y)}`).join("");

/** A smooth line through all points (Catmull-Rom as cubic curves). */
export function smoothLine(points: readonly Point[], isClosed = false): string {
  const count = points.length;
  const at = (index: number): Point =>
    isClosed ? points[(index + count) % count]! : points[Math.min(count - 1, Math.max(0, index))]!;
  let path = `M${n(at(0)[0])} ${n(at(0)[1])}`;
  for (let index = 0; index < (isClosed ? count : count - 1); index++) {
    const [before, from, to, after] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    const first: Point = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6];
    const second: Point = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6];
    path += `C${n(first[0])} ${n(first[1])} ${n(second[0])} ${n(second[1])} ${n(to[0])} ${n(to[1])}`;
  }
  return isClosed ? `${path}Z` : path;
}

/** A top-to-bottom gradient with evenly spaced stops. Each id may be used once in a layer. */
export function verticalGradient(id: string, stops: readonly string[]): string {
  const marks = stops.map(
    (color, index) =>
      `<stop offset="${opacity(index / (stops.length - 1))}" stop-color="${color}"/>`,
  );
  return `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${marks.join("")}</linearGradient>`;
}

/** A glow: opaque in the middle, transparent at the rim. */
export function glow(id: string, color: string, most: number): string {
  const stop = (at: number, share: number) =>
    `<stop offset="${at}" stop-color="${color}" stop-opacity="${opacity(most * share)}"/>`;
  return `<radialGradient id="${id}">${stop(0, 1)}${stop(0.35, 0.5)}${stop(0.7, 0.14)}${stop(1, 0)}</radialGradient>`;
}

/** One-dimensional value noise, 0 to 1, smooth between integers. */
export function createNoise(random: Random): (x: number) => number {
  const values = Array.from({ length: 256 }, () => random.next());
  return (x) => {
    const cell = Math.floor(x);
    const share = x - cell;
    const eased = share * share * (3 - 2 * share);
    const from = values[cell & 255]!;
    return from + (values[(cell + 1) & 255]! - from) * eased;
  };
}

/** Two-dimensional value noise, like `createNoise`. */
export function createField(random: Random): (x: number, y: number) => number {
  const values = Array.from({ length: 4096 }, () => random.next());
  const value = (column: number, row: number) => values[((row & 63) << 6) | (column & 63)]!;
  return (x, y) => {
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const ease = (share: number) => share * share * (3 - 2 * share);
    const [across, down] = [ease(x - column), ease(y - row)];
    const top = value(column, row) + (value(column + 1, row) - value(column, row)) * across;
    const bottom =
      value(column, row + 1) + (value(column + 1, row + 1) - value(column, row + 1)) * across;
    return top + (bottom - top) * down;
  };
}
