import { expect, it } from "vitest";
import { fitSwitches } from "./fit-switches.ts";

const widths = [
  { name: 80, detail: 0, isOn: true, isPaid: false },
  { name: 90, detail: 60, isOn: true, isPaid: true },
  { name: 100, detail: 50, isOn: false, isPaid: false },
];
const fit = (room: number) => fitSwitches(widths, { room, gap: 6, icon: 34, more: 64 });

it("prices are hidden before names if there is little room", () => {
  expect(fit(392)).toEqual(["whole", "whole", "whole"]);
  expect(fit(391)).toEqual(["name", "name", "name"]);
  expect(fit(282)).toEqual(["name", "name", "name"]);
});

it("then switches that are off become icons, then all but the paid ones", () => {
  expect(fit(281)).toEqual(["name", "name", "icon"]);
  expect(fit(216)).toEqual(["name", "name", "icon"]);
  expect(fit(215)).toEqual(["icon", "name", "icon"]);
  expect(fit(170)).toEqual(["icon", "name", "icon"]);
});

it("switches that are off move into the menu first, and paid ones last", () => {
  expect(fit(169)).toEqual(["menu", "name", "menu"]);
  expect(fit(160)).toEqual(["menu", "name", "menu"]);
  expect(fit(159)).toEqual(["icon", "menu", "icon"]);
  expect(fit(143)).toEqual(["icon", "menu", "menu"]);
  expect(fit(70)).toEqual(["menu", "menu", "menu"]);
  expect(fitSwitches([], { room: 0, gap: 6, icon: 34, more: 64 })).toEqual([]);
});
