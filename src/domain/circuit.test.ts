import { expect, it } from "vitest";
import { afterFailure, type Circuit, closedCircuit, speaksOfService, stateOfCircuit, whileProbing } from "./circuit.ts";

const now = 1_795_000_000_000;
const dayMs = 24 * 60 * 60_000;

/** A circuit after so many failures in a row, each by a probe once it is open, at the end of its pause. */
function failing(times: number): { circuit: Circuit; pauses: number[] } {
  let circuit = closedCircuit;
  let at = now;
  const pauses: number[] = [];
  for (let i = 0; i < times; i++) {
    at = circuit.pausedUntil ?? at;
    circuit = afterFailure(circuit, circuit.pausedUntil !== null, at);
    if (circuit.pausedUntil !== null) pauses.push(circuit.pausedUntil - at);
  }
  return { circuit, pauses };
}

it("four failures in a row leave it closed, the fifth opens it", () => {
  expect(stateOfCircuit(failing(4).circuit, now)).toBe("closed");
  expect(failing(5).circuit).toEqual({ failures: 5, pausedUntil: now + 30_000 });
  expect(stateOfCircuit(failing(5).circuit, now)).toBe("open");
});

it("the pause doubles with each probe that fails, from half a minute to ten", () => {
  expect(failing(12).pauses).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000, 600_000]);
});

it("at the end of its pause one probe goes through, and nothing with it", () => {
  const { circuit } = failing(5);
  expect(stateOfCircuit(circuit, now + 29_999)).toBe("open");
  expect(stateOfCircuit(circuit, now + 30_000)).toBe("half-open");
  const probing = whileProbing(circuit, now + 30_000);
  expect(stateOfCircuit(probing, now + 30_001)).toBe("open");
  // A probe that nobody hears of again does not hold it open for ever.
  expect(stateOfCircuit(probing, now + 60_000)).toBe("half-open");
});

it("what began before it opened adds nothing to the pause", () => {
  const { circuit } = failing(5);
  expect(afterFailure(circuit, false, now + 10_000)).toEqual(circuit);
});

it("a clock that jumps a day back or forth holds nothing up for longer than the longest pause", () => {
  const { circuit } = failing(5);
  expect(stateOfCircuit(circuit, now - dayMs)).toBe("half-open");
  expect(stateOfCircuit(circuit, now + dayMs)).toBe("half-open");
});

it.each([
  ["provider_unreachable", null, "fails"],
  ["provider_timeout", null, "fails"],
  ["provider_timeout", 504, "fails"],
  ["provider_timeout", 408, "fails"],
  ["provider_overloaded", 503, "fails"],
  ["outcome_unknown", null, "fails"],
  ["outcome_unknown", 500, "fails"],
  ["outcome_unknown", 409, "answers"],
  ["outcome_unknown", 200, "answers"],
  ["provider_rejected", 400, "answers"],
  ["provider_invalid_input", 422, "answers"],
  ["provider_auth", 401, "answers"],
  ["provider_quota", 402, "answers"],
  ["provider_rate_limited", 429, "answers"],
  ["provider_protocol", 200, "neither"],
  ["provider_invalid_input", null, "neither"],
  ["internal", null, "neither"],
] as const)("%s with status %s: the service %s", (code, status, what) => {
  expect(speaksOfService(code, status)).toBe(what);
});
