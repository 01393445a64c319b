import { expect, it } from "vitest";
import { packFrame, unpackFrame } from "../files/packed-frame.ts";
import {
  costOfUse,
  meterOf,
  nothingUsed,
  plus,
  readUse,
  usageOf,
  windowOf,
} from "./session-price.ts";

const price = (unit: string, micros: string) => [{ unit, micros, source: "test", at: 0 }];

it("counts what a price is per: seconds, pictures, answers, megapixels", () => {
  const use = { seconds: 61.5, answers: 40, images: 80, megapixels: 47.1 };
  const cost = (unit: string, micros: string) => costOfUse(meterOf(price(unit, micros))!, use);
  expect(cost("seconds", "1000")).toBe(61_500);
  expect(cost("compute seconds", "1000.5")).toBe(61_531);
  expect(cost("minute", "60000")).toBe(61_500);
  expect(cost("images", "3000")).toBe(240_000);
  expect(cost("requests", "10")).toBe(400);
  expect(cost("megapixels", "1000")).toBe(47_100);
});

it("makes up no cost for a price without an amount, nor for a missing price", () => {
  expect(meterOf([])).toBeNull();
  expect(meterOf(price("1000 characters", "5"))).toBeNull();
  expect(meterOf(price("second", "0"))).toBe("free");
});

it("reserves a minute if billing is by time, and sixty answers if it is by picture", () => {
  const second = meterOf(price("second", "1000"))!;
  expect(costOfUse(second, windowOf(second))).toBe(60_000);
  const image = meterOf(price("image", "3000"))!;
  expect(costOfUse(image, windowOf(image))).toBe(180_000);
  const megapixel = meterOf(price("megapixel", "1000"))!;
  expect(costOfUse(megapixel, windowOf(megapixel, 4))).toBe(240_000);
});

it("marks time and megapixels as estimates, and everything that a killed server counted", () => {
  const use = plus(nothingUsed, { seconds: 12.25, answers: 3, images: 3, megapixels: 1.769472 });
  expect(usageOf(meterOf(price("second", "1")), use).units).toMatchObject({
    seconds: "12.250",
    estimated: "yes",
  });
  expect(usageOf(meterOf(price("megapixel", "1")), use).units).toMatchObject({ estimated: "yes" });
  expect(usageOf(meterOf(price("image", "1")), use).units).not.toHaveProperty("estimated");
  expect(usageOf(meterOf(price("image", "1")), use, true).units).toHaveProperty("estimated");
  expect(readUse(usageOf(null, use))).toEqual(use);
  expect(readUse(null)).toEqual(nothingUsed);
  expect(readUse({ units: { seconds: "NaN", images: "-4" } })).toEqual(nothingUsed);
});

it("packs a header and bytes into one message, and accepts no other format", () => {
  const packed = packFrame({ frame: 7, words: "é" }, Uint8Array.of(1, 2, 3));
  expect(unpackFrame(packed)).toEqual({
    header: { frame: 7, words: "é" },
    bytes: Uint8Array.of(1, 2, 3),
  });
  // A view into a larger buffer, as sockets return it.
  const inside = new Uint8Array(packed.length + 8);
  inside.set(packed, 5);
  expect(unpackFrame(inside.subarray(5, 5 + packed.length))?.bytes).toEqual(Uint8Array.of(1, 2, 3));
  for (const broken of [
    [],
    [0, 0, 0],
    [0, 0, 0, 9, 123],
    [0, 0, 0, 1, 123],
    [255, 255, 255, 255, 1],
  ])
    expect(unpackFrame(Uint8Array.from(broken))).toBeUndefined();
});
