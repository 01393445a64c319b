import { expect, it } from "vitest";
import {
  formatBytes,
  formatClip,
  formatCount,
  formatDay,
  formatDuration,
  formatMoney,
  formatPrice,
  formatUntil,
  formatWhen,
} from "./format.ts";

const at = (text: string) => new Date(text).getTime();
const now = at("2026-11-21T14:30:00");

it("writes money with two significant digits under a dollar and never fewer than two decimals", () => {
  const written = [160_000, 25_000, 11_300, 2_000, 410_000, 1_204_500_000, 0, 9, 999_999].map(
    (micros) => formatMoney(micros),
  );
  expect(written).toEqual([
    "$0.16",
    "$0.025",
    "$0.011",
    "$0.002",
    "$0.41",
    "$1,204.50",
    "$0.00",
    "$0.000009",
    "$1.00",
  ]);
});

it("writes money to the last micro-dollar if it must be exact", () => {
  expect([11_300, 160_000, 1_000_001].map((micros) => formatMoney(micros, "exact"))).toEqual([
    "$0.0113",
    "$0.16",
    "$1.000001",
  ]);
});

it("says how certain a price is", () => {
  const prices = [
    formatPrice({ kind: "about", micros: 30_000 }),
    formatPrice({ kind: "at-most", micros: 3_200_000 }),
    formatPrice({ kind: "exact", micros: 160_000 }),
    formatPrice({ kind: "unknown" }),
    formatPrice({ kind: "free" }),
  ];
  expect(prices).toEqual(["about $0.03", "at most $3.20", "$0.16", "price unknown", "free"]);
});

it("writes bytes in decimal units", () => {
  expect([0, 1, 940, 1_200, 48_256, 2_400_000, 2 * 1024 ** 3].map(formatBytes)).toEqual([
    "0 bytes",
    "1 byte",
    "940 bytes",
    "1.2 kB",
    "48 kB",
    "2.4 MB",
    "2.1 GB",
  ]);
});

it("writes durations by length", () => {
  expect([600, 2_400, 12_000, 184_000, 7_800_000, 59_400, 59_700].map(formatDuration)).toEqual([
    "0.6 s",
    "2.4 s",
    "12 s",
    "3 min 4 s",
    "2 h 10 min",
    "59 s",
    "1 min 0 s",
  ]);
});

it("writes a clip's length like a player", () => {
  expect([6_000, 62_000, 3_729_000].map(formatClip)).toEqual(["0:06", "1:02", "1:02:09"]);
});

it("writes times in words that get less exact with age", () => {
  const times = [
    "2026-11-21T14:29:40",
    "2026-11-21T14:18:00",
    "2026-11-21T09:05:00",
    "2026-11-20T23:10:00",
    "2026-11-03T10:00:00",
    "2025-11-03T10:00:00",
    "2026-11-21T14:30:40",
    "2026-11-21T14:41:30",
    "2026-11-21T23:05:00",
    "2026-11-22T09:05:00",
    "2026-12-03T10:00:00",
  ];
  expect(times.map((time) => formatWhen(at(time), now))).toEqual([
    "just now",
    "12 minutes ago",
    "today 09:05",
    "yesterday 23:10",
    "Nov 3",
    "Nov 3, 2025",
    "just now",
    "in 12 minutes",
    "today 23:05",
    "tomorrow 09:05",
    "Dec 3",
  ]);
});

it("counts down to a moment, second by second", () => {
  const left = [20_000, 61_000, 3_600_000, 400, 0, -5_000];
  expect(left.map((ms) => formatUntil(now + ms, now))).toEqual([
    "in 20 s",
    "in 1 min 1 s",
    "in 1 h 0 min",
    "in 1 s",
    "now",
    "now",
  ]);
});

it("names days as headings", () => {
  const days = [
    "2026-11-21T00:00:01",
    "2026-11-20T12:00:00",
    "2026-11-17T12:00:00",
    "2026-11-03T12:00:00",
    "2025-11-03T12:00:00",
  ];
  expect(days.map((day) => formatDay(at(day), now))).toEqual([
    "Today",
    "Yesterday",
    "Tuesday",
    "November 3",
    "November 3, 2025",
  ]);
});

it("groups the digits of a count", () => {
  expect(formatCount(12_408)).toBe("12,408");
});
