import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelDetail, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { tokensOfText } from "#domain/text/context.ts";
import type { TurnsAsk } from "#engine/admit/admit-turns.ts";
import { admitAnswers } from "#engine/admit/admit-turns.ts";
import { requireService } from "#engine/connections/circuit.ts";
import { lackedBy, parametersFor, parametersOf, type TurnsInput } from "#engine/plan/turns.ts";
import type { ServerDeps } from "../../deps.ts";
import { type Asking, keyOf, refuseBeforeFiles, requireGoing } from "./follow.ts";
import { findNamed, reachOf, taskOf } from "./models.ts";

/** A parameter, with our name for it and the request's. */
type Setting = {
  ours: string;
  theirs: string;
  value: unknown;
  /** The answer would mean something else without this parameter. */
  isNeeded?: true;
};

/** The common form of a request to a language model, from every API. */
export type ChatAsk = {
  /** Called last, because it saves the request's files, and a refused request saves none. */
  turns: () => Promise<TurnsInput["turns"]>;
  settings: readonly Setting[];
  /** Parameters that only some services have, by OpenAI's names. */
  further?: Readonly<Record<string, unknown>>;
  tools: TurnsInput["tools"];
  toolChoice?: TurnsInput["toolChoice"];
  answerShape: TurnsInput["answerShape"];
  /** Stored with the run, so that its answer can be requested again. */
  asked?: object;
  /** The original request, because an idempotency key stands for exactly one. */
  request: unknown;
};

/** A run, and the request's parameters that its model's service lacks. */
export type AskedRun = { run: Run; dropped: readonly string[] };

export async function findChatModel(
  deps: ServerDeps,
  asking: Asking,
  name: string,
): Promise<ModelDetail> {
  const model = await findNamed(deps, reachOf(asking), name);
  taskOf(model, ["chat"]);
  return model;
}

/**
 * Admits the run of an answer.
 * @throws Problem
 */
export async function askModel(
  deps: ServerDeps,
  asking: Asking,
  model: ModelDetail,
  ask: ChatAsk,
): Promise<AskedRun> {
  const { runs, dropped } = await askForAnswers(deps, asking, model, ask, 1);
  return { run: runs[0]!, dropped };
}

/** Admits runs for several answers to one request. */
export async function askForAnswers(
  deps: ServerDeps,
  asking: Asking,
  model: ModelDetail,
  ask: ChatAsk,
  count: number,
): Promise<{ runs: Run[]; dropped: readonly string[] }> {
  const { tools, toolChoice, answerShape } = ask;
  if (!asking.isBackground) deps.calls.begin(asking.c.env.outgoing);
  const { settings, passed, dropped } = fitTo(deps, model, ask);
  const key = keyOf(asking.c);
  // With a key, the request may repeat a run that already has its answer.
  if (key === undefined && !asking.isBackground) await requireService(deps, model);
  refuseBeforeFiles(deps, asking, model);
  const turns = await ask.turns();
  const contextTokens = contextFor(model, turns, tools);
  const wanted = {
    projectId: asking.projectId,
    model: { connectionId: model.connectionId, modelId: model.modelId },
    turns,
    settings: contextTokens === undefined ? settings : { contextTokens, ...settings },
    ...(passed && { passed }),
    ...(tools && tools.length > 0 && { tools, ...(toolChoice && { toolChoice }) }),
    ...(answerShape && { answerShape }),
    ...(ask.asked && { asked: ask.asked as JsonObject }),
    ...(key !== undefined && { idempotency: { key, request: withHashes(asking, ask.request) } }),
  } satisfies TurnsAsk;
  const runs = await admitAnswers(deps, asking.actor, wanted, count);
  await requireGoing(deps, runs);
  const isAlias = model.connectionId === aliasConnectionId;
  return { runs, dropped: isAlias ? [...dropped, ...droppedBehind(runs[0]!, ask)] : dropped };
}

/** What the model behind an alias doesn't get, by the request's names. */
const droppedBehind = ({ warnings }: Run, { settings }: ChatAsk): string[] =>
  warnings
    .filter(({ type }) => type === "unsupported")
    .map(({ feature }) => settings.find(({ ours }) => ours === feature)?.theirs ?? feature);

/**
 * Replaces the request's files with their hashes, because a repeat refers to them by other names.
 */
const withHashes = ({ files }: Asking, request: unknown): unknown =>
  JSON.parse(
    JSON.stringify(request, (_, value: unknown) =>
      typeof value === "string" && value.startsWith("data:")
        ? (files.find(value)?.sha256 ?? value)
        : value,
    ),
  );

/** Returns the parameters that a model's service accepts unchanged; undefined for an alias. */
export const passesOf = (
  { kinds }: Pick<ServerDeps, "kinds">,
  { connectionKind, modelId }: Pick<ModelDetail, "connectionKind" | "modelId">,
): readonly string[] | undefined => {
  const kind = kinds.get(connectionKind);
  return kind && parametersOf(kind, modelId);
};

/**
 * Selects the request's parameters that the model supports. The models behind an alias differ, so
 * each selects its own when it is tried.
 * @throws Problem invalid_input for a required parameter that this model lacks
 */
function fitTo(
  deps: Pick<ServerDeps, "kinds">,
  model: ModelDetail,
  { settings, further: wanted = {}, tools }: Pick<ChatAsk, "settings" | "further" | "tools">,
): { settings: JsonObject; passed?: JsonObject; dropped: string[] } {
  const given = settings.filter(
    ({ value }) =>
      value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  const own = model.inputSchema && propertiesOf(model.inputSchema);
  const lacks = ({ ours }: Setting): boolean => own !== null && !Object.hasOwn(own, ours);
  const needed = given.find((setting) => setting.isNeeded && lacks(setting));
  if (needed)
    throw new Problem("invalid_input", {
      field: needed.theirs,
      message: sentences.api.notTaken({ model: model.name, parameter: needed.theirs }),
    });
  const { parallel_tool_calls: _, ...withoutTools } = wanted;
  // OpenAI refuses it without tools.
  const further = tools && tools.length > 0 ? wanted : withoutTools;
  const chosen = Object.fromEntries(
    given
      .filter((setting) => !lacks(setting))
      .map(({ ours, value }) => [ours, withinForm(own?.[ours], ours, value)]),
  ) as JsonObject;
  const kind = deps.kinds.get(model.connectionKind);
  const passes = kind && parametersFor(kind, model, chosen);
  const passed = Object.entries(further).filter(([name]) => !passes || passes.includes(name));
  return {
    settings: chosen,
    ...(passed.length > 0 && { passed: Object.fromEntries(passed) as JsonObject }),
    dropped: [
      ...given.filter(lacks).map(({ theirs }) => theirs),
      ...(kind ? lackedBy(kind, model, { passed: further as JsonObject, settings: chosen }) : []),
    ],
  };
}

/**
 * Clamps a value to the model's form: an answer's length to what the model can write and its
 * service accepts, and the highest effort to the model's highest.
 */
function withinForm(field: JsonSchema | undefined, ours: string, value: unknown): unknown {
  const { minimum, maximum, enum: choices } = field ?? {};
  if (ours === "maxOutputTokens" && typeof value === "number") {
    const most = typeof maximum === "number" ? Math.min(maximum, value) : value;
    return typeof minimum === "number" ? Math.max(minimum, most) : most;
  }
  const isBeyond = ours === "reasoningEffort" && value === "max";
  return isBeyond && Array.isArray(choices) && !choices.includes(value) ? "xhigh" : value;
}

/**
 * Ollama's context when neither its server nor a request sets another
 * (docs.ollama.com/context-length).
 */
const usualContextTokens = 4_096;
/** The least of a context that is left for the answer. */
const answerTokens = 2_048;

/**
 * Returns the context to request from a model whose form has one: agents send more than a local
 * server's usual context holds, and can't request another. It doubles as a conversation grows,
 * because the server reloads the model for each different context.
 * @returns undefined when the usual context is enough
 */
function contextFor(
  { inputSchema }: Pick<ModelDetail, "inputSchema">,
  turns: TurnsInput["turns"],
  tools: TurnsInput["tools"],
): number | undefined {
  const maximum = (inputSchema && propertiesOf(inputSchema).contextTokens)?.maximum;
  if (typeof maximum !== "number") return undefined;
  const needed = tokensOfText(JSON.stringify([turns, tools ?? []])) + answerTokens;
  if (needed <= usualContextTokens) return undefined;
  const doubled = usualContextTokens * 2 ** Math.ceil(Math.log2(needed / usualContextTokens));
  return Math.min(doubled, maximum);
}

/** A function declared without parameters takes none. */
export const schemaOf = (parameters: Record<string, unknown> | null | undefined): JsonSchema =>
  parameters ?? { type: "object", properties: {}, additionalProperties: false };

/** JSON of any shape. */
export const anyObject = {
  name: "json",
  schema: { type: "object", additionalProperties: true },
  isAnyObject: true,
} as const;
