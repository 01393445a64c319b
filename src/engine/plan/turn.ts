import type { Conversation, ModelDetail, ModelRef } from "#contract/entities.ts";
import { withoutFileTools } from "#contract/filters/provider-tools.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { RunPrice } from "#domain/money/prices.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { bytesPerToken, contextTokensOf } from "#domain/text/context.ts";
import type { AnswerShape } from "#providers/adapter.ts";
import { getInstructions } from "#store/people/projects.ts";
import { type Asker, usableModel } from "../connections/usable-model.ts";
import type { CountedBranch, EngineDeps } from "../deps.ts";
import { bindTools, describeTools, type ToolBinding, toolsOf } from "../tools/offer.ts";
import { requireValid } from "./checks.ts";
import { countBranch } from "./context/count.ts";
import { shapeOf, shapesAnswers } from "./context/shape.ts";
import { type ContextSize, neededTokensOf, requireRoom, sizeOfRequest } from "./context/size.ts";
import { planMerge } from "./merge.ts";
import { type AnswerPrice, priceAnswer } from "./price.ts";
import { addedTo, type Priced, type Routed, routeAsk } from "./route-ask.ts";
import { measureTexts, type TextSize } from "./text-size.ts";

export type TurnAsk = { model: ModelRef; settings: JsonObject };

/** With the system prompt and the context that its hold was counted with: the project's instructions precede the conversation's own. */
export type Turn = {
  model: ModelDetail;
  settings: JsonObject;
  /** The names of settings that were chosen here. */
  added?: string[];
  systemPrompt: string;
  tools: ToolBinding[];
  answerShape?: AnswerShape | undefined;
  /** The "context" message that holds. */
  context: string | undefined;
  mostMicros: number | null;
  /** Of what was asked under an alias: what is tried next. */
  routed?: Routed;
};

export type Saying = {
  /** The message it continues from; null at the start of a conversation. */
  parentId: string | null;
  /** What is said next. */
  said: TextSize;
  assetIds: readonly string[];
};
/** All that is read before an answer, in a conversation that may not be there yet. */
type Reading = Saying & {
  projectId: string;
  systemPrompt: string;
  /** Definitions of tools and shapes. */
  described: readonly string[];
  sent: CountedBranch;
};
/** What a model is asked next, and all that it reads with it: before it is checked and priced. */
export type TurnPlan = {
  model: ModelDetail;
  settings: JsonObject;
  tools: ToolBinding[];
  answerShape: AnswerShape | undefined;
  reading: Reading;
};
type Told = Pick<Conversation, "settings" | "systemPrompt"> & {
  id?: string;
  expiresAt?: number | null;
};

/** The next answer of a conversation. @throws Problem invalid_input for a shape that the model can't answer in */
export async function planTurn(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  ask: Saying & { projectId: string; conversation: Told; settings: JsonObject },
): Promise<TurnPlan> {
  const { projectId, conversation, parentId, said, assetIds } = ask;
  const settings = withRequiredDefaults(
    model.inputSchema,
    isTemporary(conversation) ? withoutFileTools(ask.settings) : ask.settings,
  );
  const instructions = await getInstructions(deps.store.read, projectId);
  const systemPrompt = [instructions, conversation.systemPrompt].filter(Boolean).join("\n\n");
  const tools =
    model.capabilities.tools === false
      ? []
      : await bindTools(deps, asker, projectId, toolsIn(conversation));
  const described = tools.length > 0 ? [JSON.stringify(await describeTools(deps, tools))] : [];
  const sent = await countBranch(deps, conversation.id, parentId);
  const answerShape = shapeOf(deps, model, conversation.settings);
  if (answerShape) described.push(JSON.stringify(answerShape));
  const reading = { parentId, said, assetIds, projectId, systemPrompt, described, sent };
  return { model, settings, tools, answerShape, reading };
}

/** A temporary chat leaves no files: it has no tools that make some. */
const toolsIn = (conversation: Told) => {
  const tools = toolsOf(conversation.settings);
  return isTemporary(conversation) ? { ...tools, models: [] } : tools;
};
const isTemporary = ({ expiresAt = null }: Told): boolean => expiresAt !== null;

/** Which model is asked, at which price: the same while a person types and when it is admitted. */
function routeTurn<Price extends Priced>(
  deps: EngineDeps,
  { model, settings, tools, answerShape }: TurnPlan,
  priceOf: (one: ModelDetail, given: JsonObject) => Promise<Price>,
) {
  return routeAsk(deps, model, settings, {
    priceOf,
    whyUnable(one) {
      if (tools.length > 0 && one.capabilities.tools === false) return sentences.chat.noTools;
      return answerShape && !shapesAnswers(deps, one) ? sentences.chat.noShape : null;
    },
  });
}

/** The plan checked and priced, as it is admitted. @throws Problem model_gone, invalid_input, context_full */
export async function prepareTurn(deps: EngineDeps, asker: Asker, plan: TurnPlan): Promise<Turn> {
  const { settings, tools, answerShape, reading } = plan;
  requireValid(plan.model, settings);
  const routed = await routeTurn(deps, plan, (one, given) =>
    priceTurn(deps, asker, one, given, reading),
  );
  return {
    model: routed.model,
    settings: routed.given,
    ...addedTo(settings, routed.given),
    systemPrompt: reading.systemPrompt,
    tools,
    answerShape,
    context: reading.sent.choice?.id,
    mostMicros: routed.mostMicros,
    routed,
  };
}

/** What an answer costs, and what it is sent with. @throws Problem context_full where it would not fit */
async function priceTurn(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  settings: JsonObject,
  reading: Reading,
): Promise<AnswerPrice> {
  const size =
    contextTokensOf(model, settings) === null ? undefined : await sizeOfTurn(deps, asker, reading);
  if (size) requireRoom(model, settings, size);
  return priceReading(deps, asker, model, settings, reading, size);
}

const sizeOfTurn = (
  deps: EngineDeps,
  asker: Asker,
  { said, ...reading }: Reading,
): Promise<ContextSize> =>
  sizeOfRequest(deps, asker, { ...reading, saidTokens: Math.ceil(said.bytes / bytesPerToken) });

function priceReading(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  settings: JsonObject,
  { projectId, systemPrompt, described, sent, said, assetIds }: Reading,
  size: ContextSize | undefined,
): Promise<AnswerPrice> {
  const always = measureTexts([systemPrompt, sent.summary, ...described]);
  const all = {
    messages: always.messages + said.messages,
    characters: always.characters + said.characters,
    bytes: always.bytes + said.bytes,
  };
  return priceAnswer(deps, asker, model, {
    projectId,
    branch: sent,
    said: all,
    assetIds,
    settings,
    inputTokens: size?.inputTokens,
  });
}

export type EstimateAsk = {
  projectId: string;
  /** One that is not there yet: with what it is set to. */
  conversation: Told;
  parentId: string | null;
  turn: TurnAsk;
  /** The answers to `parentId` that it merges. */
  merges?: readonly string[] | undefined;
  characters: number;
  bytes: number;
  assetIds: readonly string[];
};

/** What a request takes of its model's context; `contextTokens` null where nobody knows it. */
type ContextUse = ContextSize & {
  contextTokens: number | null;
  outputTokens: number;
  neededTokens: number;
  leftOut: number;
};

export type Foretold = { price: RunPrice; context: ContextUse };

/** The conversation of a merge: its answers are there, so that nothing is looked up again. */
export const withoutTools = <C extends Told>(conversation: C): C => {
  const { tools: _, ...settings } = conversation.settings as Record<string, unknown>;
  return { ...conversation, settings };
};

/** What an answer will cost, and take of the context, that nobody has asked for yet. @throws Problem model_gone, invalid_input */
export async function estimateTurn(
  deps: EngineDeps,
  asker: Asker,
  ask: EstimateAsk,
): Promise<Foretold> {
  const { projectId, parentId, turn, characters, bytes, assetIds, merges } = ask;
  const model = await usableModel(deps, asker, projectId, turn.model, "chat");
  const { settings } = turn;
  const merge =
    merges && parentId && ask.conversation.id
      ? await planMerge(deps.store.read, { id: ask.conversation.id }, parentId, merges)
      : undefined;
  const conversation = merge ? withoutTools(ask.conversation) : ask.conversation;
  const said = merge ? measureTexts([merge.words]) : { messages: 1, characters, bytes };
  const where = { projectId, conversation, settings, parentId, said, assetIds };
  return foretell(deps, asker, await planTurn(deps, asker, model, where));
}

/** The plan priced, also where it does not fit, so that a person sees by how much. */
export async function foretell(deps: EngineDeps, asker: Asker, plan: TurnPlan): Promise<Foretold> {
  const { reading, settings } = plan;
  const size = await sizeOfTurn(deps, asker, reading);
  const { model, price } = await routeTurn(deps, plan, (one, given) =>
    priceReading(deps, asker, one, given, reading, size),
  );
  const contextTokens = contextTokensOf(model, settings);
  const { outputTokens, likelyMicros, mostMicros } = price;
  const neededTokens = neededTokensOf(contextTokens, settings);
  const { leftOut } = reading.sent;
  return {
    price: { likelyMicros, mostMicros },
    context: { ...size, contextTokens, outputTokens, neededTokens, leftOut },
  };
}
