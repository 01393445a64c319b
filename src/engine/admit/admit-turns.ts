import type { ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Idempotency } from "#store/content/conversations.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { addedTo } from "../plan/route-ask.ts";
import { planTurns, type TurnsInput } from "../plan/turns.ts";
import { admit, findUnderKey, type IdempotentRequest } from "./admit.ts";

export type TurnsAsk = TurnsInput & {
  projectId: string;
  model: ModelRef;
  retryOf?: string;
  /** Covers the client's whole request, so the same key with the same body is one run. */
  idempotency?: IdempotentRequest;
};

/**
 * Admits one answer without a conversation: the run stores its own turns, and only its author sees
 * it.
 * @throws Problem invalid_input, too_large, not_found, and what `admit` throws
 */
export async function admitTurns(deps: EngineDeps, asker: Asker, ask: TurnsAsk): Promise<Run> {
  const [run] = await admitAnswers(deps, asker, ask, 1);
  return run!;
}

/**
 * Admits several answers to one request, all of them or none.
 * @throws as `admitTurns`
 */
export function admitAnswers(
  deps: EngineDeps,
  asker: Asker,
  ask: TurnsAsk,
  count: number,
): Promise<Run[]> {
  const { projectId, model: ref, retryOf, idempotency, added: _, ...input } = ask;
  return admit(
    deps,
    { asker, projectId, models: [{ ref, task: "chat" }], idempotency },
    {
      async find(key) {
        const found = await Promise.all(
          Array.from({ length: count }, (_, place) => findUnderKey(deps, placed(key, place))),
        );
        const runs = found.flatMap(({ run }) => run ?? []);
        return runs.length > 0 ? runs : undefined;
      },
      async plan([model]) {
        const { settings, files, routed } = await planTurns(deps, asker, model!, projectId, input);
        const kept = { ...input, settings: routed.given, ...addedTo(settings, routed.given) };
        return {
          models: [routed.model],
          insert: ({ start, idempotency: key }) =>
            start(
              Array.from({ length: count }, (_, place) => ({
                projectId,
                visibility: "author",
                model: routed.model,
                task: "chat",
                input: kept as unknown as JsonObject,
                mostMicros: routed.mostMicros,
                routed,
                batchId: null,
                messageId: null,
                retryOf,
                files,
                ...(key && { idempotency: placed(key, place) }),
              })),
            ),
        };
      },
    },
  );
}

/** Derives a distinct key for each run after the first. */
const placed = (of: Idempotency, place: number): Idempotency =>
  place === 0 ? of : { ...of, key: `${of.key}:${place}` };
