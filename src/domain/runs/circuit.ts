import type { ErrorCode } from "#contract/errors.ts";

/**
 * What fails. `auth`: the provider refuses the key. `quota`: the account has used up what it paid for. `network`: the service does not
 * answer, or something between does. `overload`: the provider itself reports an error of its own.
 */
export const circuitKinds = ["auth", "quota", "network", "overload"] as const;
export type CircuitKind = (typeof circuitKinds)[number];

/** Failures of one kind in a row, of a connection or of one of its models. */
export type Circuit = {
  /** Null: the whole connection. */
  modelId: string | null;
  kind: CircuitKind;
  failures: number;
  /** Short hashes of the first two different inputs that met them: one input alone opens nothing. */
  inputs: readonly string[];
  /** Since when nothing is sent; null while failures are only counted. */
  openedAt: number | null;
  /** When it is tried again; null for a key that was refused, which waits for a person. */
  pausedUntil: number | null;
  detail: string | null;
};

/** So many failures in a row, from at least two inputs, are no accident of one request. */
const failuresToOpen = 5;
/** So many attempts in a row that reached nothing, even of one run: the server is asked whether it is there. */
const failuresToAsk = 4;
const inputsToOpen = 2;
const second = 1_000;
const minute = 60 * second;
const longestMs = 10 * minute;
/** A probe has so long to fail or to be answered before another one is let through. */
const probeMs = 30 * second;

/**
 * closed: everything goes through. open: nothing does. half-open: the pause is over, and one probe decides. A pause that seems longer than
 * any was written by a clock that has been set back since: it is over.
 */
export function stateOfCircuit(
  { openedAt, pausedUntil }: Circuit,
  now: number,
): "closed" | "open" | "half-open" {
  if (openedAt === null) return "closed";
  if (pausedUntil === null) return "open";
  return pausedUntil > now && pausedUntil <= now + longestMs ? "open" : "half-open";
}

/** Whether its pause is over, also that of a server which is asked whether it is there and not left alone yet. */
const isTryDue = (circuit: Circuit, now: number): boolean =>
  circuit.pausedUntil !== null && stateOfCircuit({ ...circuit, openedAt: 0 }, now) === "half-open";

/** A dead service that nothing waits for is asked no more often. */
const idleMs = 5 * minute;

/**
 * Whether the service has to be asked by a free question now.
 * @param waits whether a run waits for it: without one, only the first question comes at once
 */
export function isQuestionDue(circuit: Circuit, now: number, waits: boolean): boolean {
  if (circuit.kind !== "network" || !isTryDue(circuit, now)) return false;
  const isFirst = circuit.openedAt === null || circuit.failures === 0;
  return waits || isFirst || isTryDue(circuit, now - idleMs);
}

export const isOf = (circuit: Pick<Circuit, "modelId">, modelId: string): boolean =>
  circuit.modelId === null || circuit.modelId === modelId;

/** What a connection's circuits let through. */
export type Gate = {
  /** half-open: one run of the connection goes through. A network that fails is probed by no run. */
  connection: "closed" | "open" | "half-open";
  /** Models of their own pause; of a half-open one a single run goes through. */
  models: ReadonlyMap<string, "open" | "half-open">;
};

export function gateOf(circuits: readonly Circuit[], now: number): Gate {
  const models = new Map<string, "open" | "half-open">();
  let connection: Gate["connection"] = "closed";
  for (const circuit of circuits) {
    const state = stateOfCircuit(circuit, now);
    if (state === "closed") continue;
    const passes = state === "half-open" && circuit.kind !== "network" ? "half-open" : "open";
    if (circuit.modelId === null) connection = connection === "open" ? "open" : passes;
    else if (models.get(circuit.modelId) !== "open") models.set(circuit.modelId, passes);
  }
  return { connection, models };
}

/** When the next pause of these ends; null when none does by itself. */
export function nextTry(circuits: readonly Circuit[], now: number): number | null {
  const later = circuits.flatMap(({ pausedUntil }) =>
    pausedUntil !== null && pausedUntil > now ? [pausedUntil] : [],
  );
  return later.length > 0 ? Math.min(...later) : null;
}

/** What is sent to a model meets these now, the longest first: none when it is let through. */
export function openFor(circuits: readonly Circuit[], modelId: string, now: number): Circuit[] {
  const open = circuits.filter(
    (circuit) => isOf(circuit, modelId) && stateOfCircuit(circuit, now) !== "closed",
  );
  const end = ({ pausedUntil }: Circuit): number => pausedUntil ?? Number.POSITIVE_INFINITY;
  return open.sort((a, b) => end(b) - end(a));
}

/** A failed attempt, as a circuit reads it. */
export type Failure = {
  kind: CircuitKind;
  of: "connection" | "model";
  /** A short hash of what was asked. */
  input: string;
  /** Nothing reached the service: the network fails for every request. */
  isUnsent: boolean;
  /** The failed run was let through to try the service. */
  isProbe: boolean;
  retryAfterMs?: number | undefined;
  detail: string;
};

/** @param known what is counted already; undefined for the first failure of a row */
export function afterFailure(
  known: Circuit | undefined,
  failure: Failure,
  modelId: string | null,
  now: number,
): Circuit {
  const { kind, isProbe, detail } = failure;
  const circuit = known ?? {
    modelId,
    kind,
    failures: 0,
    inputs: [],
    openedAt: null,
    pausedUntil: null,
    detail: null,
  };
  // Of a run that began before it opened, a failure says nothing new.
  if (circuit.openedAt !== null)
    return isProbe ? pausedLonger(circuit, failure.retryAfterMs, now) : circuit;
  const inputs = [...new Set([...circuit.inputs, failure.input])].slice(0, inputsToOpen);
  const counted = { ...circuit, failures: circuit.failures + 1, inputs, detail };
  if (kind === "auth" && failure.of === "connection")
    return { ...counted, openedAt: now, pausedUntil: null };
  const needed = kind === "quota" || kind === "auth" ? inputsToOpen : failuresToOpen;
  const isRow = counted.failures >= needed && inputs.length >= inputsToOpen;
  // Asked at once: while it answers, nothing of the network fails.
  if (kind === "network") {
    const isAsked = isRow || (failure.isUnsent && counted.failures >= failuresToAsk);
    const pausedUntil = counted.pausedUntil ?? (isAsked ? now : null);
    return {
      ...counted,
      failures: isRow ? 0 : counted.failures,
      openedAt: isRow ? now : null,
      pausedUntil,
    };
  }
  if (!isRow) return counted;
  if (kind === "auth") return { ...counted, openedAt: now, pausedUntil: null };
  return pausedLonger({ ...counted, failures: 0, openedAt: now }, failure.retryAfterMs, now);
}

/** Opened, or opened further: the next pause is twice as long. `failures` counts the pauses from here on. */
export function pausedLonger(
  circuit: Circuit,
  retryAfterMs: number | undefined,
  now: number,
): Circuit {
  const failures = circuit.openedAt === null ? 1 : circuit.failures + 1;
  if (circuit.kind === "auth") return { ...circuit, failures };
  const { first, longest } =
    circuit.kind === "quota"
      ? { first: minute, longest: longestMs }
      : { first: second, longest: 30 * second };
  const pauseMs = Math.min(
    Math.max(retryAfterMs ?? first * 2 ** Math.min(failures - 1, 10), first),
    longest,
  );
  return { ...circuit, failures, openedAt: circuit.openedAt ?? now, pausedUntil: now + pauseMs };
}

/** Nobody else tries it while the probe is under way, and for no longer than `probeMs`. */
export const whileProbing = (circuit: Circuit, now: number): Circuit => ({
  ...circuit,
  pausedUntil: now + probeMs,
});

const ofNetwork: ReadonlySet<ErrorCode> = new Set([
  "provider_unreachable",
  "provider_timeout",
  "provider_interrupted",
  "outcome_unknown",
]);

/**
 * What a failed attempt shows of the service: which kind of failure, of the connection or of the model alone; that it answers, and refused
 * just this; or neither. A 5xx in another shape than the provider's comes from a proxy, for any model.
 * @param status of its answer; null when none came
 * @param own the error has the provider's own shape
 */
export function readFailure(failed: {
  code: ErrorCode;
  status: number | null;
  own: boolean;
}): Pick<Failure, "kind" | "of"> | "answers" | "neither" {
  const { code, status, own } = failed;
  if (status === null)
    return ofNetwork.has(code) ? { kind: "network", of: "connection" } : "neither";
  // A 403 may be about the model alone, or about what was asked.
  if (code === "provider_auth" && status >= 400)
    return { kind: "auth", of: status === 401 ? "connection" : "model" };
  if (code === "provider_quota")
    return { kind: "quota", of: status === 402 ? "connection" : "model" };
  if (own && (status >= 500 || code === "provider_overloaded"))
    return { kind: "overload", of: "model" };
  if (status >= 500) return { kind: "network", of: "connection" };
  // A page, or bytes of another kind: something answers there, and who it is nobody knows.
  return code === "provider_protocol" || status === 408 ? "neither" : "answers";
}

/** What people read who do not manage the connection: its provider's words may name accounts and addresses. */
export const plainWords: Record<CircuitKind, string> = {
  auth: "The provider rejected this connection’s key. Runs wait until the key is changed.",
  quota: "This connection’s quota is used up. Runs wait and are retried later.",
  network: "This connection’s service doesn’t answer. Runs wait until it does.",
  overload: "The provider reports errors for this model. Runs wait and are retried.",
};

/** What managers read after the provider's words. */
export const nextStep: Record<CircuitKind, string> = {
  auth: "Runs wait until the key is changed or a check passes.",
  quota: "Runs wait, and one of them is retried later.",
  network: "Runs wait until the service answers. It is checked automatically.",
  overload: "Runs of this model wait, and one of them is retried soon.",
};

/**
 * Why a model counts as one that did not accept, before anything is sent to it; null when it is asked. What its service
 * said may name accounts and addresses: that is in `detail`, for those who manage the connection.
 */
export function whyNotReady(
  status: "unchecked" | "ok" | "failing" | "disabled" | undefined,
  circuits: readonly Circuit[],
  modelId: string,
  now: number,
): string | null {
  if (status === undefined) return "Its connection no longer exists.";
  if (status === "disabled") return "Its connection is disabled.";
  const open = openFor(circuits, modelId, now).find(
    (circuit) => stateOfCircuit(circuit, now) === "open",
  );
  if (open) return plainWords[open.kind];
  return status === "failing" ? "Its connection failed at the last try." : null;
}
