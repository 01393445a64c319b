import { errors, Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { afterFailure, type Circuit, closedCircuit, speaksOfService, stateOfCircuit } from "#domain/circuit.ts";
import type { ProviderError } from "#providers/adapter.ts";
import { lockCircuit, type SealedConnection, updateConnection } from "#store/connections.ts";
import type { Outbox } from "#store/outbox.ts";
import type { Tx } from "#store/store.ts";
import type { EngineDeps } from "./deps.ts";
import type { InHand } from "./owned.ts";

/**
 * The service answered: what stood against it is forgotten. Costs nothing where nothing does. A failure of our own to write
 * it down is no reason to break what goes well.
 */
export async function noteAnswer(deps: EngineDeps, inHand: InHand): Promise<void> {
  const { id, circuit } = inHand.connection;
  if (circuit.failures === 0 && circuit.pausedUntil === null) return;
  await quietly(deps, id, (tx, outbox) => closeCircuit(deps, tx, outbox, id));
}

/** An attempt failed before anything came of it: when it is the service that fails, again and again, nothing more is sent for a while. */
export async function noteFailure(deps: EngineDeps, inHand: InHand, error: ProviderError): Promise<void> {
  const about = speaksOfService(error.code, inHand.wire.status);
  if (about === "answers") return noteAnswer(deps, inHand);
  if (about === "neither") return;
  const { id } = inHand.connection;
  await quietly(deps, id, async (tx) => {
    const known = await lockCircuit(deps.store, tx, id);
    if (!known) return;
    const circuit = afterFailure(known.circuit, inHand.isProbe, deps.clock.now());
    const isOpen = circuit.pausedUntil !== null;
    // One run has used up its attempts by then: a server that died is shown as such before the next one meets it.
    const isGone = error.code === "provider_unreachable" && circuit.failures >= limits.attemptsPerRun;
    const isShown = (isOpen || isGone) && known.status !== "disabled";
    const statusDetail = isOpen ? reasonOf(error, circuit) : (error.detail.message ?? errors[error.code].text);
    await updateConnection(tx, id, { circuit, ...(isShown && { status: "failing" as const, statusDetail }) });
  });
}

/** In the caller's unit, for whoever knows that the service is there again: what waits for it is claimed at once. */
export async function closeCircuit(deps: Pick<EngineDeps, "store">, tx: Tx, outbox: Outbox, id: string): Promise<void> {
  const known = await lockCircuit(deps.store, tx, id);
  if (!known || (known.circuit.failures === 0 && known.circuit.pausedUntil === null)) return;
  const wasOpen = known.circuit.pausedUntil !== null;
  const recovered = known.status === "failing" && ({ status: "ok", statusDetail: null } as const);
  await updateConnection(tx, id, { circuit: closedCircuit, ...recovered });
  if (wasOpen) outbox.queued.add(id);
}

/**
 * Why a queued run of this connection waits, as a sentence; null when it is not for this.
 * @param mayManage hears what the service said, which may name accounts and addresses
 */
export function whyPaused(
  connection: { circuit: Circuit; statusDetail: string | null } | undefined,
  now: number,
  mayManage: boolean,
): string | null {
  if (!connection || stateOfCircuit(connection.circuit, now) === "closed") return null;
  const plain = "Its service fails again and again: what is asked of it waits, and one run tries it again from time to time.";
  return (mayManage && connection.statusDetail) || plain;
}

/** For who can't wait: a program is told to come again. @throws Problem unavailable while nothing is sent to the connection */
export function requireService(connection: SealedConnection | undefined, now: number): void {
  if (!connection || stateOfCircuit(connection.circuit, now) !== "open") return;
  const retryAfterMs = (connection.circuit.pausedUntil ?? now) - now;
  throw new Problem("unavailable", { connectionId: connection.id, message: whyPaused(connection, now, false) ?? undefined, retryAfterMs });
}

const reasonOf = (error: ProviderError, { failures }: Circuit): string =>
  `${error.detail.message ?? errors[error.code].text} That is ${failures} failures in a row: what is asked of it waits, and one run tries it again from time to time. Check it to try at once.`;

async function quietly(deps: EngineDeps, connectionId: string, unit: (tx: Tx, outbox: Outbox) => Promise<void>): Promise<void> {
  await deps
    .commit(unit)
    .catch((error) => deps.log.warn({ connectionId, error: String(error) }, "could not write down how a service does"));
}
