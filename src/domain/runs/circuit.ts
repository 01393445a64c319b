import { type ErrorCode, isKeyRefusal } from "#contract/errors.ts";

/**
 * The kind of failure. `auth`: the provider refuses the key. `quota`: the account's quota is used
 * up. `network`: the service, or something in between, doesn't answer. `overload`: the provider
 * itself reports an error.
 */
export const circuitKinds = ["auth", "quota", "network", "overload"] as const;
export type CircuitKind = (typeof circuitKinds)[number];

/** Consecutive failures of one kind, for a connection or one of its models. */
export type Circuit = {
  /** Null for the whole connection. */
  modelId: string | null;
  kind: CircuitKind;
  failures: number;
  /**
   * Short hashes of the first two different inputs that failed. Failures of a single input never
   * open the circuit.
   */
  inputs: readonly string[];
  /** Since when nothing is sent; null while failures are only counted. */
  openedAt: number | null;
  /** When the service is tried again; null for a refused key, which waits for a person. */
  pausedUntil: number | null;
  detail: string | null;
};

/** This many consecutive failures, with at least two inputs, are not one request's fault. */
const failuresToOpen = 5;
/**
 * After this many consecutive attempts that reached nothing, even of one run, the server is
 * checked.
 */
const failuresToAsk = 4;
const inputsToOpen = 2;
const second = 1_000;
const minute = 60 * second;
const longestMs = 10 * minute;
/** How long a probe may take before another one is let through. */
const probeMs = 30 * second;

/**
 * closed: everything is sent. open: nothing is. half-open: the pause is over, and one probe
 * decides. A pause beyond the longest was written before the clock was set back, so it counts as
 * over.
 */
export function stateOfCircuit(
  { openedAt, pausedUntil }: Circuit,
  now: number,
): "closed" | "open" | "half-open" {
  if (openedAt === null) return "closed";
  if (pausedUntil === null) return "open";
  return pausedUntil > now && pausedUntil <= now + longestMs ? "open" : "half-open";
}

/**
 * Whether the pause is over, including that of an unopened circuit whose server is being checked.
 */
const isTryDue = (circuit: Circuit, now: number): boolean =>
  circuit.pausedUntil !== null && stateOfCircuit({ ...circuit, openedAt: 0 }, now) === "half-open";

/** How often a dead service is checked at most while nothing waits for it. */
const idleMs = 5 * minute;

/**
 * Whether the service is due for a free check.
 * @param waits whether a run waits for it; without one, only the first check is immediate
 */
export function isQuestionDue(circuit: Circuit, now: number, waits: boolean): boolean {
  if (circuit.kind !== "network" || !isTryDue(circuit, now)) return false;
  const isFirst = circuit.openedAt === null || circuit.failures === 0;
  return waits || isFirst || isTryDue(circuit, now - idleMs);
}

export const isOf = (circuit: Pick<Circuit, "modelId">, modelId: string): boolean =>
  circuit.modelId === null || circuit.modelId === modelId;

/** The requests that a connection's circuits let through. */
export type Gate = {
  /**
   * half-open: one run of the connection is let through. A network failure is probed without a run.
   */
  connection: "closed" | "open" | "half-open";
  /** Paused models; a half-open one lets a single run through. */
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

/** When the earliest pause ends; null if none ends without a person. */
export function nextTry(circuits: readonly Circuit[], now: number): number | null {
  const later = circuits.flatMap(({ pausedUntil }) =>
    pausedUntil !== null && pausedUntil > now ? [pausedUntil] : [],
  );
  return later.length > 0 ? Math.min(...later) : null;
}

/**
 * The circuits that currently affect requests to a model, longest pause first; empty if they are
 * let through.
 */
export function openFor(circuits: readonly Circuit[], modelId: string, now: number): Circuit[] {
  const open = circuits.filter(
    (circuit) => isOf(circuit, modelId) && stateOfCircuit(circuit, now) !== "closed",
  );
  const end = ({ pausedUntil }: Circuit): number => pausedUntil ?? Number.POSITIVE_INFINITY;
  return open.sort((a, b) => end(b) - end(a));
}

/** A failed attempt, as a circuit counts it. */
export type Failure = {
  kind: CircuitKind;
  of: "connection" | "model";
  /** A short hash of the request. */
  input: string;
  /** Nothing reached the service, so the network fails for every request. */
  isUnsent: boolean;
  /** The failed run was a probe. */
  isProbe: boolean;
  retryAfterMs?: number | undefined;
  detail: string;
};

/** @param known the circuit so far; undefined for the first of a series of failures */
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
  // The failure of a run that began before the circuit opened adds nothing.
  if (circuit.openedAt !== null)
    return isProbe ? pausedLonger(circuit, failure.retryAfterMs, now) : circuit;
  const inputs = [...new Set([...circuit.inputs, failure.input])].slice(0, inputsToOpen);
  const counted = { ...circuit, failures: circuit.failures + 1, inputs, detail };
  if (kind === "auth" && failure.of === "connection")
    return { ...counted, openedAt: now, pausedUntil: null };
  const needed = kind === "quota" || kind === "auth" ? inputsToOpen : failuresToOpen;
  const isRow = counted.failures >= needed && inputs.length >= inputsToOpen;
  // Checked immediately: while the server answers, the network works.
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

/** Opens the circuit, or doubles its pause. From then on `failures` counts pauses. */
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

/** Keeps others from trying while the probe is active, for at most `probeMs`. */
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
 * What a failed attempt shows about the service: a kind of failure, of the connection or only the
 * model; or that it answers and refused this request; or neither. A 5xx that isn't in the
 * provider's own format comes from a proxy and affects all models.
 * @param status of the response; null if there was none
 * @param own whether the error has the provider's own format
 */
export function readFailure(failed: {
  code: ErrorCode;
  status: number | null;
  own: boolean;
}): Pick<Failure, "kind" | "of"> | "answers" | "neither" {
  const { code, status, own } = failed;
  if (status === null)
    return ofNetwork.has(code) ? { kind: "network", of: "connection" } : "neither";
  // Missing rights may concern only the model or the content. A refused key concerns the whole
  // connection, even with a 403, which AWS returns for it.
  if (isKeyRefusal(code) && status >= 400)
    return {
      kind: "auth",
      of: code === "provider_auth" ? "connection" : "model",
    };
  if (code === "provider_quota")
    return { kind: "quota", of: status === 402 ? "connection" : "model" };
  if (own && (status >= 500 || code === "provider_overloaded"))
    return { kind: "overload", of: "model" };
  if (status >= 500) return { kind: "network", of: "connection" };
  // A web page or other content: something answers, but it may not be the service.
  return code === "provider_protocol" || status === 408 ? "neither" : "answers";
}

/**
 * The message for people who don't manage the connection, because the provider's own may name
 * accounts and addresses.
 */
export const circuitMessage = ({ kind, modelId }: Pick<Circuit, "kind" | "modelId">): string =>
  kind === "auth" && modelId !== null ? refusedModel : circuitMessages[kind];

const refusedModel =
  "The provider refused this model with this connection’s key. Runs wait until the key is changed or a check passes.";

const circuitMessages: Record<CircuitKind, string> = {
  auth: "The provider rejected this connection’s key. Runs wait until the key is changed.",
  quota: "This connection’s quota is used up. Runs wait and are retried later.",
  network: "This connection’s service doesn’t answer. Runs wait until it does.",
  overload: "The provider reports errors for this model. Runs wait and are retried.",
};

/** The message for managers, after the provider's own. */
export const nextStep: Record<CircuitKind, string> = {
  auth: "Runs wait until the key is changed or a check passes.",
  quota: "Runs wait, and one of them is retried later.",
  network: "Runs wait until the service answers. It is checked automatically.",
  overload: "Runs of this model wait, and one of them is retried soon.",
};

/**
 * Why a model is skipped before anything is sent to it; null if it is ready. The service's own
 * message may name accounts and addresses, so only `detail` contains it, for those who manage the
 * connection.
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
  if (open) return circuitMessage(open);
  return status === "failing" ? "Its connection failed at the last try." : null;
}
