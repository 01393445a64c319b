import type { ErrorCode } from "#contract/errors.ts";

/** A connection's circuit: failures in a row that speak of the service itself, and until when nothing is sent to it. */
export type Circuit = { failures: number; pausedUntil: number | null };
export const closedCircuit: Circuit = { failures: 0, pausedUntil: null };

/** So many in a row are no accident of one request; one run alone gives up before, and is told why. */
const failuresToOpen = 5;
const pauseMs = { first: 30_000, longest: 10 * 60_000 };
/** What was let through as a probe has so long to fail or to be answered, before another one is. */
const probeMs = 30_000;

/**
 * closed: everything goes through. open: nothing does. half-open: one run does, as a probe. A pause that seems longer than
 * any is was written by a clock that has been set back since: it is over.
 */
export function stateOfCircuit({ pausedUntil }: Circuit, now: number): "closed" | "open" | "half-open" {
  if (pausedUntil === null) return "closed";
  return pausedUntil > now && pausedUntil <= now + pauseMs.longest ? "open" : "half-open";
}

/** A probe goes through, and nothing else for a while. */
export const whileProbing = (circuit: Circuit, now: number): Circuit => ({ ...circuit, pausedUntil: now + probeMs });

/** @param isProbe of another run it says nothing new while the circuit is open: it began before */
export function afterFailure(circuit: Circuit, isProbe: boolean, now: number): Circuit {
  if (circuit.pausedUntil !== null && !isProbe) return circuit;
  const failures = circuit.failures + 1;
  if (failures < failuresToOpen && !isProbe) return { failures, pausedUntil: null };
  const doublings = Math.max(0, failures - failuresToOpen);
  return { failures, pausedUntil: now + Math.min(pauseMs.first * 2 ** doublings, pauseMs.longest) };
}

const ofService: ReadonlySet<ErrorCode> = new Set(["provider_unreachable", "provider_timeout", "provider_overloaded"]);

/**
 * What a failed attempt says of the service: that it fails, that it answers (and refused just this), or neither.
 * @param status of its answer; null when none came
 */
export function speaksOfService(code: ErrorCode, status: number | null): "fails" | "answers" | "neither" {
  const isError = status === null || status >= 500;
  if (ofService.has(code) || ((code === "outcome_unknown" || code === "provider_failed") && isError)) return "fails";
  // A page, or bytes of another kind: something answers there, and who it is nobody knows.
  if (code === "provider_protocol" || isError) return "neither";
  return "answers";
}

/** What a check and its runs have told of a connection. */
type Standing = { status: "unchecked" | "ok" | "failing" | "disabled"; circuit: Circuit };

/**
 * Why a connection counts as one that did not accept, before anything is sent to it; null when it is asked. What its service
 * said may name accounts and addresses: that is in its `statusDetail`, for those who manage it.
 */
export function whyNotReady(connection: Standing | undefined, now: number): string | null {
  if (!connection) return "Its connection is not there any more.";
  if (connection.status === "disabled") return "Its connection is switched off.";
  if (stateOfCircuit(connection.circuit, now) === "open") return "Its service fails again and again, and is left alone for a while.";
  return connection.status === "failing" ? "Its connection did not work when it was last tried." : null;
}
