import { expect, it } from "vitest";
import { createTextStore } from "./streaming-text.ts";

function buildStore() {
  const frames: (() => void)[] = [];
  const store = createTextStore((run) => frames.push(run));
  const nextFrame = () => {
    for (const run of frames.splice(0)) run();
  };
  return { store, frames, nextFrame };
}

it("applies all deltas of a frame at once and in order", () => {
  const { store, frames, nextFrame } = buildStore();
  let told = 0;
  store.subscribe("a", () => told++);
  for (const delta of ["The ", "tide ", "turns."]) store.append("a", delta);
  expect(store.get("a")).toBe("");
  expect(frames).toHaveLength(1);
  nextFrame();
  expect(store.get("a")).toBe("The tide turns.");
  expect(told).toBe(1);
});

it("tells only those who watch the part that grew", () => {
  const { store, nextFrame } = buildStore();
  let told = 0;
  store.subscribe("b", () => told++);
  store.append("a", "x");
  nextFrame();
  expect(told).toBe(0);
});

it("lets a snapshot replace what was still waiting", () => {
  const { store, nextFrame } = buildStore();
  store.append("a", "old");
  store.set("a", "whole");
  nextFrame();
  expect(store.get("a")).toBe("whole");
  store.append("a", "!");
  nextFrame();
  expect(store.get("a")).toBe("whole!");
});

it("does not tell who has left", () => {
  const { store, nextFrame } = buildStore();
  let told = 0;
  store.subscribe("a", () => told++)();
  store.append("a", "x");
  nextFrame();
  expect(told).toBe(0);
});
