import { expect, it } from "vitest";
import { waitsFor } from "./waits-for.ts";

it("a run of unknown price isn't called over budget", () => {
  const waiting = { state: "queued", waitingFor: "admin" } as const;
  expect(waitsFor({ ...waiting, heldMicros: 25_000 })).toBe(
    "Over budget: needs an admin’s approval",
  );
  expect(waitsFor({ ...waiting, heldMicros: 0 })).toBe("Price unknown: needs an admin’s approval");
});

it("a run that a model requested waits for its person, and a running one waits for nobody", () => {
  expect(waitsFor({ state: "queued", waitingFor: "asker", heldMicros: 0 })).toMatch(
    /your approval/,
  );
  expect(waitsFor({ state: "running", waitingFor: null, heldMicros: 0 })).toBeNull();
});
