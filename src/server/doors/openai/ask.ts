import type { ModelDetail, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import type { TurnsAsk } from "#engine/admit/admit-turns.ts";
import { admitTurns } from "#engine/admit/admit-turns.ts";
import { requireService } from "#engine/connections/circuit.ts";
import type { TurnsInput } from "#engine/plan/turns.ts";
import type { ServerDeps } from "../../deps.ts";
import { type Asking, keyOf, requireGoing } from "./follow.ts";
import { findNamed, taskOf } from "./models.ts";

/** What both of OpenAI's ways to ask a language model come to. */
export type ChatAsk = {
  model: string;
  turns: TurnsInput["turns"];
  /** By our names, with what the request calls each. */
  settings: readonly { ours: string; theirs: string; value: unknown }[];
  tools: TurnsInput["tools"];
  toolChoice: TurnsInput["toolChoice"];
  answerShape: TurnsInput["answerShape"];
  /** Kept with the run, so that its answer can be asked for again. */
  asked?: object;
  /** As it came: one key is one request. */
  request: unknown;
};

export async function findChatModel(
  deps: ServerDeps,
  { actor, projectId }: Asking,
  name: string,
): Promise<ModelDetail> {
  const model = await findNamed(deps, { userId: actor.userId, projectId }, name);
  taskOf(model, ["chat"]);
  return model;
}

/** Admits the run of an answer. @throws Problem */
export async function askModel(
  deps: ServerDeps,
  asking: Asking,
  model: ModelDetail,
  ask: ChatAsk,
): Promise<Run> {
  const { tools, toolChoice, answerShape, turns } = ask;
  deps.calls.begin(asking.c.env.outgoing);
  const settings = settingsFor(model, ask.settings);
  const key = keyOf(asking.c);
  // A repeat may be of a run that has its answer already.
  if (key === undefined) await requireService(deps, model);
  const run = await admitTurns(deps, asking.actor, {
    projectId: asking.projectId,
    model: { connectionId: model.connectionId, modelId: model.modelId },
    turns,
    settings,
    ...(tools && tools.length > 0 && { tools, ...(toolChoice && { toolChoice }) }),
    ...(answerShape && { answerShape }),
    ...(ask.asked && { asked: ask.asked as JsonObject }),
    ...(key !== undefined && { idempotency: { key, request: ask.request } }),
  } satisfies TurnsAsk);
  await requireGoing(deps, run);
  return run;
}

/** @throws Problem invalid_input for what this model does not take: nothing is left out in silence */
function settingsFor(model: ModelDetail, settings: ChatAsk["settings"]): JsonObject {
  const given = settings.filter(({ value }) => value !== undefined && value !== null);
  const own = model.inputSchema && propertiesOf(model.inputSchema);
  const strange = own && given.find(({ ours }) => !Object.hasOwn(own, ours));
  if (strange)
    throw new Problem("invalid_input", {
      field: strange.theirs,
      message: sentences.api.notTaken({ model: model.name, parameter: strange.theirs }),
    });
  return Object.fromEntries(given.map(({ ours, value }) => [ours, value])) as JsonObject;
}

/** A function without parameters takes none. */
export const schemaOf = (parameters: Record<string, unknown> | null | undefined): JsonSchema =>
  parameters ?? { type: "object", properties: {}, additionalProperties: false };

/** JSON of any shape. */
export const anyObject = { name: "json", schema: { type: "object", additionalProperties: true } };
