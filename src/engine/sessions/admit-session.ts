import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { costOfUse, meterOf, windowOf } from "#domain/money/session-price.ts";
import { checkInput, propertiesOf } from "#domain/schemas/input-schema.ts";
import { claimAdmitted, countSessions } from "#store/runs/claims.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import {
  type Asker,
  admitRuns,
  newRun,
  requireConnections,
  usableModel,
} from "../admit/admission.ts";
import { holdForSession } from "../admit/budgets.ts";
import { requireService } from "../connections/circuit.ts";
import type { EngineDeps } from "../deps.ts";
import { refuseWhenFull } from "../room.ts";

export type SessionAsk = { projectId: string; model: ModelRef; settings: JsonObject };
export type AdmittedSession = { run: OwnedRun; model: ModelDetail };

/**
 * Admits a live session: its run, the hold for its first minute, its owner and its attempt in one unit. It is never seen
 * queued, for the person is here and waits.
 * @throws Problem invalid_input, model_gone, storage_full, rate_limited, budget_exceeded, ceiling_needed
 */
export async function admitSession(
  deps: EngineDeps,
  asker: Asker,
  ask: SessionAsk,
  workerId: string,
): Promise<AdmittedSession> {
  await refuseWhenFull(deps);
  const model = await usableModel(deps, asker, ask.projectId, ask.model, "live");
  requireSettings(model, ask.settings);
  await requireService(deps, model);
  const admitted = await deps.commit(async (tx, outbox) => {
    await requireConnections(deps, tx, [model]);
    if ((await countSessions(tx, asker.userId)) >= limits.sessionsPerPerson)
      throw new Problem("rate_limited", {
        message: "You are drawing in other windows already. Close one of them first.",
      });
    const at = deps.clock.now();
    const planned = newRun(
      deps,
      asker,
      {
        projectId: ask.projectId,
        visibility: "project",
        model,
        task: "live",
        input: ask.settings,
        mostMicros: firstHold(model),
        batchId: null,
        messageId: null,
      },
      at,
    );
    const [run] = await admitRuns(deps, tx, outbox, [planned], async () => {
      const { projectId, userId, apiKeyId, connectionId, modelId } = planned;
      const micros = planned.isBounded ? planned.heldMicros : null;
      await holdForSession(deps, tx, {
        payer: { projectId, userId, apiKeyId },
        connectionId,
        modelId,
        micros,
        admittedAt: at,
      });
      return null;
    });
    return (
      run &&
      claimAdmitted(deps.store, tx, outbox, planned, {
        connectionId: run.connectionId,
        workerId,
        clientToken: deps.ids,
        at,
      })
    );
  });
  if (!admitted) throw new Problem("conflict");
  return { run: admitted, model };
}

/** For a minute, or sixty answers; a ceiling that a person set stands for that long where the price does not tell. */
function firstHold(model: Pick<ModelDetail, "prices" | "ceilingMicros">): number | null {
  const meter = meterOf(model.prices);
  return meter === null ? model.ceilingMicros : costOfUse(meter, windowOf(meter));
}

/** The model's schema without the drawing, which comes with each input. */
function settingsSchema(
  model: Pick<ModelDetail, "inputSchema" | "capabilities">,
): JsonSchema | null {
  if (model.inputSchema === null) return null;
  const { drawing } = (model.capabilities as { live?: { drawing: string | null } }).live ?? {
    drawing: null,
  };
  const schema = model.inputSchema as JsonSchema;
  if (drawing === null) return schema;
  const { [drawing]: _, ...properties } = propertiesOf(schema);
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => name !== drawing)
    : undefined;
  return { ...schema, properties, ...(required && { required }) };
}

/** @throws Problem invalid_input with the field */
function requireSettings(model: ModelDetail, settings: JsonObject): void {
  const issue = checkInput(settingsSchema(model), settings)[0];
  if (issue)
    throw new Problem("invalid_input", {
      field: issue.field,
      message: `${model.name} does not accept this: ${issue.message}`,
    });
}

/** What is wrong with the settings of an input, if anything: looked at when they change, for strokes come by the dozen. */
export function createSettingsCheck(
  model: ModelDetail,
  checked: JsonObject,
): (settings: JsonObject) => Problem | undefined {
  let last = JSON.stringify(checked);
  let issue: Problem | undefined;
  return (settings) => {
    const now = JSON.stringify(settings);
    if (now === last) return issue;
    last = now;
    try {
      requireSettings(model, settings);
      issue = undefined;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      issue = error;
    }
    return issue;
  };
}
