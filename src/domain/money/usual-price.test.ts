import { expect, it } from "vitest";
import { usualNanos } from "./usual-price.ts";

it("models are sorted by the price of a typical use, in any unit", () => {
  const image = usualNanos([{ unit: "images", micros: "25000" }]);
  const film = usualNanos([{ unit: "second", micros: "50000" }]);
  const answer = usualNanos([
    { unit: "input token", micros: "2.5" },
    { unit: "output token", micros: "10" },
    { unit: "cached input token", micros: "0.25" },
  ]);
  expect([answer, image, film]).toEqual([7_500_000, 25_000_000, 250_000_000]);
});

it("free sorts first, and a price that can't be compared is unknown", () => {
  expect(usualNanos([{ unit: "moon", micros: "0" }])).toBe(0);
  expect(usualNanos([])).toBeNull();
  expect(usualNanos([{ unit: "moon", micros: "3" }])).toBeNull();
});
