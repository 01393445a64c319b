import type { Conversation, ModelDetail } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { choiceOf, contextTokensOf, newestChoice, sentOf } from "#domain/text/context.ts";
import { branchOf, listMessages } from "#store/content/conversations.ts";
import { type Asker, usableModel } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { countSent } from "./context/count.ts";
import { summaryQuestion, summarySystemPrompt } from "./context/summary.ts";
import { measureTexts } from "./text-size.ts";
import { pricePlan, type TurnAsk, type TurnEstimate, type TurnPlan } from "./turn.ts";

/**
 * Estimates the cost of a summary before it is requested.
 * @throws Problem model_gone
 */
export async function estimateSummary(
  deps: EngineDeps,
  asker: Asker,
  conversation: Conversation,
  upTo: string,
  { model: ref, settings }: TurnAsk,
): Promise<TurnEstimate> {
  const model = await usableModel(deps, asker, conversation.projectId, ref, "chat");
  return pricePlan(deps, asker, await planSummary(deps, model, conversation, upTo, settings));
}

/**
 * Plans a summary of the messages themselves, including those left out so far, or of an earlier
 * summary of the oldest ones.
 */
export async function planSummary(
  deps: EngineDeps,
  model: ModelDetail,
  { id, projectId }: Conversation,
  upTo: string,
  asked: JsonObject,
): Promise<TurnPlan> {
  const context = contextTokensOf(model, asked);
  const maxOutputTokens = Math.min(
    limits.summaryTokens,
    context === null
      ? limits.summaryTokens
      : Math.max(1, Math.floor(context * limits.chatOutputShare)),
  );
  const settings = { maxOutputTokens, ...asked };
  const messages = await listMessages(deps.store.read, id);
  const branch = branchOf(messages, upTo);
  const earlier = messages.filter(({ parentId }) => parentId !== upTo);
  const newest = newestChoice(branch, earlier, true);
  const choice = newest && choiceOf(newest) === "summary" ? newest : undefined;
  const sent = countSent(sentOf(branch, choice));
  const saying = { parentId: null, messageSize: measureTexts([summaryQuestion]), assetIds: [] };
  const reading = { ...saying, projectId, systemPrompt: summarySystemPrompt, described: [], sent };
  return { model, settings, tools: [], answerShape: undefined, reading };
}
