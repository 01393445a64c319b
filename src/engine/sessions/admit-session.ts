import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { costOfUse, meterOf, windowOf } from "#domain/money/session-price.ts";
import { checkInput, propertiesOf } from "#domain/schemas/input-schema.ts";
import type { Tx } from "#store/database/store.ts";
import { claimAdmitted, countSessions } from "#store/runs/claims.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { type Admission, admit } from "../admit/admit.ts";
import type { RunAsk } from "../admit/insert-runs.ts";
import { requireService } from "../connections/circuit.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { type holdForRuns, holdForSession } from "../settle/hold-budget.ts";

export type SessionAsk = { projectId: string; model: ModelRef; settings: JsonObject };
export type AdmittedSession = { run: OwnedRun; model: ModelDetail };

/**
 * Admits a live session: its run, its reservation, its owner and its attempt in one unit. The
 * session is never queued, because its person is waiting.
 * @throws Problem invalid_input, model_gone, storage_full, rate_limited, budget_exceeded,
 *   ceiling_needed
 */
export function admitSession(
  deps: EngineDeps,
  asker: Asker,
  ask: SessionAsk,
  workerId: string,
): Promise<AdmittedSession> {
  const { projectId, settings } = ask;
  return admit(
    deps,
    { asker, projectId, models: [{ ref: ask.model, task: "live" }] },
    {
      async plan([usable]) {
        const model = usable!;
        requireSettings(model, settings);
        await requireService(deps, model);
        return {
          models: [model],
          async insert(admission) {
            if ((await countSessions(admission.tx, asker.userId)) >= limits.sessionsPerPerson)
              throw new Problem("rate_limited", {
                message: sentences.sessions.tooManyOpen,
              });
            const live = { projectId, model, input: settings, mostMicros: firstHold(model) };
            const run = await startLive(deps, admission, live, holdForFirst, workerId);
            return { run, model };
          },
        };
      },
    },
  );
}

/** Inserts a live run that this worker owns at once: it never waits in the queue. */
export async function startLive(
  deps: EngineDeps,
  admission: Admission,
  live: Pick<RunAsk, "projectId" | "model" | "input" | "mostMicros">,
  hold: typeof holdForRuns,
  workerId: string,
): Promise<OwnedRun> {
  const { tx, at, start } = admission;
  const planned = {
    ...live,
    visibility: "project",
    task: "live",
    batchId: null,
    messageId: null,
  } as const;
  const [queued] = await start([planned], hold);
  const known = await getRun(tx, queued!.id);
  const { connectionId } = live.model;
  const claim = { connectionId, workerId, clientToken: deps.ids, at };
  const run = known && (await claimAdmitted(admission, known, claim));
  if (!run) throw new Problem("conflict");
  return run;
}

async function holdForFirst(
  deps: EngineDeps,
  tx: Tx,
  [run]: Parameters<typeof holdForRuns>[2],
): Promise<null> {
  const { projectId, userId, apiKeyId, connectionId, modelId, heldMicros, isBounded, at } = run!;
  await holdForSession(deps, tx, {
    payer: { projectId, userId, apiKeyId },
    connectionId,
    modelId,
    micros: isBounded ? heldMicros : null,
    admittedAt: at,
  });
  return null;
}

/**
 * The reservation for a minute, or sixty answers. Without a price, the model's ceiling covers that
 * time.
 */
function firstHold(model: Pick<ModelDetail, "prices" | "ceilingMicros">): number | null {
  const meter = meterOf(model.prices);
  return meter === null ? model.ceilingMicros : costOfUse(meter, windowOf(meter));
}

/** The model's schema without the drawing, which arrives with each input. */
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

/** Checks the settings of an input when they change, because strokes arrive by the dozen. */
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
