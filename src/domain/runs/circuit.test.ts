import { expect, it } from "vitest";
import {
  afterFailure,
  type Circuit,
  type Failure,
  gateOf,
  isQuestionDue,
  pausedLonger,
  readFailure,
  stateOfCircuit,
  whileProbing,
} from "./circuit.ts";

const now = 1_795_000_000_000;
const dayMs = 24 * 60 * 60_000;

const overload: Failure = {
  kind: "overload",
  of: "model",
  input: "a",
  isUnsent: false,
  isProbe: false,
  detail: "No.",
};
const network: Failure = { ...overload, kind: "network", of: "connection" };

/** A circuit after a failure of each of these inputs, in order. */
function after(inputs: string, failure: Failure): Circuit {
  let circuit: Circuit | undefined;
  for (const input of inputs)
    circuit = afterFailure(
      circuit,
      { ...failure, input },
      failure.of === "model" ? "m" : null,
      now,
    );
  return circuit!;
}

it("five failures in a row from two inputs open the circuit; four, or one input alone, don't", () => {
  expect(stateOfCircuit(after("abab", overload), now)).toBe("closed");
  expect(stateOfCircuit(after("aaaaaaaaaaaa", overload), now)).toBe("closed");
  expect(after("aaaab", overload)).toMatchObject({
    modelId: "m",
    openedAt: now,
    pausedUntil: now + 1_000,
    inputs: ["a", "b"],
  });
  expect(after("abcde", overload).inputs).toEqual(["a", "b"]);
});

it("the pauses of an overload double with each failed probe, from 1 to 30 seconds", () => {
  let circuit = after("abcde", overload);
  const pauses: number[] = [];
  for (let i = 0; i < 7; i++) {
    pauses.push(circuit.pausedUntil! - now);
    circuit = afterFailure(circuit, { ...overload, isProbe: true }, "m", now);
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it("a quota pauses for one to ten minutes, as the provider asks within these bounds", () => {
  const quota: Failure = { ...overload, kind: "quota", of: "connection" };
  expect(after("aaaa", quota).openedAt).toBeNull();
  const pauseOf = (retryAfterMs?: number) =>
    after("ab", { ...quota, retryAfterMs }).pausedUntil! - now;
  expect([pauseOf(), pauseOf(5), pauseOf(120_000), pauseOf(dayMs)]).toEqual([
    60_000, 60_000, 120_000, 600_000,
  ]);
});

it("a refused key opens the circuit at once and for good; a missing right needs two inputs, because it may be about the input", () => {
  const auth: Failure = { ...overload, kind: "auth", of: "connection" };
  const open = after("a", auth);
  expect(open).toMatchObject({ modelId: null, openedAt: now, pausedUntil: null });
  expect(stateOfCircuit(open, now + 30 * dayMs)).toBe("open");
  expect(after("aaa", { ...auth, of: "model" }).openedAt).toBeNull();
  expect(after("ab", { ...auth, of: "model" })).toMatchObject({
    modelId: "m",
    openedAt: now,
    pausedUntil: null,
  });
});

it("a failing network is probed at once, and less often each time it doesn't answer", () => {
  const asked = after("aaaab", network);
  expect(asked).toMatchObject({ modelId: null, openedAt: now, pausedUntil: now });
  expect(isQuestionDue(asked, now, false)).toBe(true);
  expect(gateOf([asked], now).connection).toBe("open");
  const silent = pausedLonger(asked, undefined, now);
  expect(isQuestionDue(silent, now, true)).toBe(false);
  expect(silent.pausedUntil).toBe(now + 1_000);
  expect(pausedLonger(silent, undefined, now).pausedUntil).toBe(now + 2_000);
});

it("a silent service is probed after its pause while a run waits, and every five minutes otherwise", () => {
  const silent = pausedLonger(after("aaaab", network), undefined, now);
  expect(isQuestionDue(silent, now + 1_000, true)).toBe(true);
  expect(isQuestionDue(silent, now + 1_000, false)).toBe(false);
  expect(isQuestionDue(silent, now + 5 * 60_000, false)).toBe(false);
  expect(isQuestionDue(silent, now + 5 * 60_000 + 1_000, false)).toBe(true);
});

it("failures of one input cause a probe only if nothing reached the server, and pause nothing until the probe fails too", () => {
  expect(after("aaaaaaaa", network).pausedUntil).toBeNull();
  const unreached = after("aaaa", { ...network, isUnsent: true });
  expect(isQuestionDue(unreached, now, false)).toBe(true);
  expect(gateOf([unreached], now)).toEqual({ connection: "closed", models: new Map() });
  expect(gateOf([pausedLonger(unreached, undefined, now)], now).connection).toBe("open");
});

it("after a pause one probe goes through, and nothing with it", () => {
  const circuit = after("abcde", overload);
  expect(stateOfCircuit(circuit, now + 999)).toBe("open");
  expect(gateOf([circuit], now + 1_000).models).toEqual(new Map([["m", "half-open"]]));
  const probing = whileProbing(circuit, now + 1_000);
  expect(stateOfCircuit(probing, now + 1_001)).toBe("open");
  // A probe that is never heard of again doesn't keep the circuit open forever.
  expect(stateOfCircuit(probing, now + 31_000)).toBe("half-open");
});

it("failures of requests sent before the circuit opened don't extend its pause", () => {
  const circuit = after("abcde", overload);
  expect(afterFailure(circuit, overload, "m", now + 10_000)).toEqual(circuit);
});

it("a clock that jumps by a day holds nothing up for longer than the longest pause", () => {
  const circuit = after("abcde", overload);
  expect(stateOfCircuit(circuit, now - dayMs)).toBe("half-open");
  expect(stateOfCircuit(circuit, now + dayMs)).toBe("half-open");
});

it.each([
  ["provider_unreachable", null, false, "network", "connection"],
  ["provider_timeout", null, false, "network", "connection"],
  ["outcome_unknown", null, false, "network", "connection"],
  ["outcome_unknown", 502, false, "network", "connection"],
  ["provider_timeout", 504, false, "network", "connection"],
  ["provider_failed", 500, true, "overload", "model"],
  ["provider_overloaded", 503, true, "overload", "model"],
  ["provider_overloaded", 200, true, "overload", "model"],
  ["provider_auth", 401, true, "auth", "connection"],
  ["provider_auth", 403, true, "auth", "connection"],
  ["provider_forbidden", 403, true, "auth", "model"],
  ["provider_forbidden", 401, true, "auth", "model"],
  ["provider_quota", 402, true, "quota", "connection"],
  ["provider_quota", 429, true, "quota", "model"],
] as const)(
  "%s with status %s (own shape: %s) is a failure: %s of the %s",
  (code, status, own, kind, of) => {
    expect(readFailure({ code, status, own })).toEqual({ kind, of });
  },
);

it.each([
  ["outcome_unknown", 409, "answers"],
  ["outcome_unknown", 200, "answers"],
  ["provider_rejected", 400, "answers"],
  ["provider_invalid_input", 422, "answers"],
  ["provider_rate_limited", 429, "answers"],
  ["provider_timeout", 408, "neither"],
  ["provider_protocol", 200, "neither"],
  ["provider_invalid_input", null, "neither"],
  ["internal", null, "neither"],
] as const)("%s with status %s: the service %s", (code, status, what) => {
  expect(readFailure({ code, status, own: true })).toBe(what);
});
