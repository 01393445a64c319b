import type { ModelDetail } from "#contract/entities.ts";
import type { PlainQuestion } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import type { EngineDeps } from "../deps.ts";
import { adapterOf, callContext } from "./open-connection.ts";

export type { PlainBlock, PlainQuestion } from "#providers/adapter.ts";

/** Clients count before each request, so a slow exact count is worth less than an estimate. */
const countMs = 3_000;

/**
 * Counts a question's tokens with the provider's free endpoint. Returns null if there is none for
 * this model, or if it refuses or takes too long.
 */
export async function countTokens(
  deps: EngineDeps,
  { connectionId, modelId }: Pick<ModelDetail, "connectionId" | "modelId">,
  question: PlainQuestion,
  gone: AbortSignal,
): Promise<number | null> {
  const connection = await getConnection(deps.store.read, connectionId);
  if (!connection || !deps.kinds.get(connection.kind)?.countsTokens) return null;
  try {
    const adapter = await adapterOf(deps, connection.kind);
    const signal = AbortSignal.any([AbortSignal.timeout(countMs), gone]);
    const context = callContext(deps, adapter, connection, signal);
    return (await adapter.countTokens?.(modelId, question, context)) ?? null;
  } catch {
    return null;
  }
}
