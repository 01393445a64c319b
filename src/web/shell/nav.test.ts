import { expect, it } from "vitest";
import type { RunningRun, ShellUser } from "../data/shell-data.ts";
import { sumRunning } from "../frame/running-pill.tsx";
import { screenExport } from "../screen-modules.ts";
import { listNav } from "./nav.ts";

const person = (role: ShellUser["role"]) => ({ role });
const run = (facts: Partial<RunningRun>): RunningRun => ({
  id: "r",
  title: "",
  modelName: "",
  task: "image",
  progress: null,
  queuePlace: null,
  micros: null,
  ...facts,
});

it("shows the admin screens only to owners and admins", () => {
  const has = (role: ShellUser["role"]) =>
    listNav(person(role)).some(({ screen }) => screen === "admin");
  expect([has("owner"), has("admin"), has("member")]).toEqual([true, true, false]);
});

it("puts at most four screens into a phone's tab bar", () => {
  expect(listNav(person("owner")).filter(({ isOnPhone }) => isOnPhone).length).toBeLessThanOrEqual(
    4,
  );
});

it("expects a screen's component under the screen's name", () => {
  expect(screenExport("library")).toBe("LibraryScreen");
});

it("adds up the cost of running work, and shows none if a part is unknown", () => {
  expect(sumRunning([run({ micros: 100 }), run({ micros: 50 })]).micros).toBe(150);
  expect(sumRunning([run({ micros: 100 }), run({ micros: null })]).micros).toBeNull();
});

it("shows no progress if no run reports any", () => {
  expect(sumRunning([run({}), run({})]).progress).toBeNull();
  expect(sumRunning([run({ progress: 1 }), run({ progress: null })]).progress).toBe(0.5);
});
