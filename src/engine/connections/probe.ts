import { ProviderError } from "#providers/adapter.ts";
import { takeQuestion } from "#store/models/circuits.ts";
import { getConnection } from "#store/models/connections.ts";
import type { EngineDeps } from "../deps.ts";
import { recordCheck } from "./circuit.ts";
import { adapterOf, callContext } from "./open-connection.ts";

/** Shorter than a probe's lease, so that two servers never check at once. */
const checkMs = 20_000;

/**
 * Checks a service that didn't answer with its adapter's free check, without sending a run. One
 * server checks at a time; if it dies, the next one checks once the probe's lease has expired.
 */
export async function checkService(
  deps: EngineDeps,
  connectionId: string,
  stop: AbortSignal,
): Promise<void> {
  if (!(await deps.commit(({ tx, at }) => takeQuestion(tx, connectionId, at)))) return;
  await deps.failpoints?.at("circuit.ask");
  const connection = await getConnection(deps.store.read, connectionId);
  if (!connection) return;
  const wire: { status: number | null } = { status: null };
  try {
    const adapter = await adapterOf(deps, connection.kind);
    const signal = AbortSignal.any([stop, AbortSignal.timeout(checkMs)]);
    const onWire = (event: { type: string; status?: number }): void => {
      if (event.status !== undefined) wire.status = event.status;
    };
    await adapter.check(callContext(deps, adapter, connection, signal, { onWire }));
    await recordCheck(deps, connectionId, null);
  } catch (error) {
    if (stop.aborted) return;
    if (!(error instanceof ProviderError)) throw error;
    // A server that refuses a request is reachable.
    const isThere =
      wire.status !== null && wire.status >= 400 && wire.status < 500 && wire.status !== 408;
    await recordCheck(deps, connectionId, isThere ? null : error);
  }
}
