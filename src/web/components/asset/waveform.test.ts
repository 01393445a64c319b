import { expect, it } from "vitest";
import { toBars } from "./waveform.tsx";

it("draws the loudest peak of each span, scaled to the loudest of all", () => {
  expect(toBars([0.1, 0.5, 0.25, 0], 2)).toEqual([1, 0.5]);
});

it("never draws more bars than there are peaks", () => {
  expect(toBars([0.5, 1], 40)).toEqual([0.5, 1]);
});

it("draws silence as silence", () => {
  expect(toBars([0, 0], 2)).toEqual([0, 0]);
});
