import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError, type SocketTokenAsk } from "#providers/adapter.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { admit } from "../admit/admit.ts";
import { recordFailure, recordSuccess, requireService } from "../connections/circuit.ts";
import { callContext, toProblem } from "../connections/open-connection.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { type InHand, noteOnWire, takeInHand } from "../in-hand.ts";
import { refuseUnlimited } from "../settle/hold-budget.ts";
import { type SessionEnd, settleSession } from "../settle/settle-session.ts";
import { startLive } from "./admit-session.ts";

export type SocketReach = SocketTokenAsk["opens"];
export type TokenAsk = SocketTokenAsk & {
  projectId: string;
  /** The name that the client gave, for the run's note. */
  app: string;
  /** Every model that the token opens. The first one is a realtime model, and gets the run. */
  models: readonly [ModelRef, ...ModelRef[]];
};

/**
 * Issues a token with which a client opens sockets at the service itself. Its run records who got
 * it, and ends with an unknown cost. The token is returned only after that is saved, and is stored
 * nowhere.
 * @throws Problem invalid_input, model_gone, forbidden, budget_exceeded, unavailable, and the
 *   service's own refusal
 */
export async function issueToken(
  deps: EngineDeps,
  asker: Asker,
  ask: TokenAsk,
  workerId: string,
  giveUp: AbortSignal,
): Promise<string> {
  const run = await admitToken(deps, asker, ask, workerId);
  const settle = (end: SessionEnd): Promise<OwnedRun | undefined> =>
    settleSession(deps, { run, end, used: { usage: {}, costMicros: null } }, giveUp);
  let token: string;
  let hand: InHand | undefined;
  try {
    const taken = await takeInHand(deps, run, false);
    hand = taken;
    const { adapter, connection } = taken;
    if (!adapter.realtime?.token) throw new Problem("model_gone", { connectionId: connection.id });
    const context = callContext(deps, adapter, connection, giveUp, {
      onWire: (event) => noteOnWire(deps, taken, event),
    });
    token = await adapter.realtime.token(run.modelId, ask, context);
    await recordSuccess(deps, taken);
  } catch (error) {
    if (hand && error instanceof ProviderError) await recordFailure(deps, hand, error);
    await settle({ by: "fault", error });
    throw toProblem(error, run.connectionId);
  }
  const saved = await settle({ by: "token", reason: sentences.sessions.tokenIssued(ask) });
  if (!saved) throw new Problem("unavailable", { message: sentences.sessions.stopping });
  return token;
}

function admitToken(
  deps: EngineDeps,
  asker: Asker,
  { projectId, models }: TokenAsk,
  workerId: string,
): Promise<OwnedRun> {
  const [first, ...rest] = models;
  const wanted = [{ ref: first, task: "live" as const }, ...rest.map((ref) => ({ ref }))];
  return admit(
    deps,
    { asker, projectId, models: wanted },
    {
      async plan(usable: ModelDetail[]) {
        const model = usable[0]!;
        await requireService(deps, model);
        const live = { projectId, model, input: {}, mostMicros: null };
        return {
          models: [model],
          insert: (admission) => startLive(deps, admission, live, refuseUnlimited, workerId),
        };
      },
    },
  );
}
