import fc from "fast-check";
import { expect, it } from "vitest";
import type { RunState } from "#contract/entities.ts";
import {
  activeStates,
  finalStates,
  isFinal,
  nextState,
  openStates,
  type RunStep,
  transitions,
} from "./run-machine.ts";

const step: fc.Arbitrary<RunStep> = fc.oneof(
  fc.constantFrom(
    ...[...new Set(transitions().map((row) => row.step))]
      .filter((type) => type !== "refused")
      .map((type) => ({ type }) as RunStep),
  ),
  fc.boolean().map((again): RunStep => ({ type: "refused", again })),
);
const walk = (steps: RunStep[]): RunState[] => {
  const states: RunState[] = ["queued"];
  for (const next of steps) states.push(nextState(states.at(-1)!, next) ?? states.at(-1)!);
  return states;
};

it("a final state is final, whatever comes after it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const states = walk(steps);
      const end = states.findIndex(isFinal);
      if (end >= 0) expect(new Set(states.slice(end)).size).toBe(1);
    }),
  );
  // Not even a step to the same state, which would settle the run again.
  fc.assert(
    fc.property(fc.constantFrom(...finalStates), step, (state, next) => {
      expect(nextState(state, next)).toBeUndefined();
    }),
  );
});

it("a run succeeds only from storing, and becomes unconfirmed only while the provider may still be working", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const states = walk(steps);
      for (const [i, state] of states.entries()) {
        const before = states[i - 1];
        if (before === undefined || before === state) continue;
        if (state === "succeeded") expect(before).toBe("storing");
        if (state === "unconfirmed")
          expect(["submitting", "submitted", "running"]).toContain(before);
        if (before === "unconfirmed") expect(["submitted", "storing", "failed"]).toContain(state);
      }
    }),
  );
});

it("an unconfirmed run is never sent again by the program", () => {
  for (const row of transitions())
    if (row.from === "unconfirmed") expect(["queued", "submitting"]).not.toContain(row.to);
});

it("every open state can reach a final one", () => {
  const reaches = (state: RunState, seen = new Set<RunState>()): boolean =>
    isFinal(state) ||
    (!seen.has(state) &&
      transitions().some(
        (row) => row.from === state && reaches(row.to, new Set([...seen, state])),
      ));
  for (const state of openStates) expect(reaches(state)).toBe(true);
  expect([...openStates, ...finalStates]).toHaveLength(9);
  expect(activeStates.every((state) => !isFinal(state))).toBe(true);
});
