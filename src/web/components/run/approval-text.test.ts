import { expect, it } from "vitest";
import { approvalText } from "./approval-text.ts";

it("a run of unknown price isn't called over budget", () => {
  const waiting = { state: "queued", waitingFor: "admin" } as const;
  expect(approvalText({ ...waiting, heldMicros: 25_000 })).toBe(
    "Over budget: needs an admin’s approval",
  );
  expect(approvalText({ ...waiting, heldMicros: 0 })).toBe(
    "Price unknown: needs an admin’s approval",
  );
});

it("a run that a model requested waits for its person, and a running one waits for nobody", () => {
  expect(approvalText({ state: "queued", waitingFor: "asker", heldMicros: 0 })).toMatch(
    /your approval/,
  );
  expect(approvalText({ state: "running", waitingFor: null, heldMicros: 0 })).toBeNull();
});
