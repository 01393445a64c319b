import type { ModelDetail } from "#contract/entities.ts";
import { allowedTools } from "#contract/filters/provider-tools.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { isFree } from "#domain/money/free.ts";
import { type AnswerEstimate, type AnswerSize, estimateAnswer } from "#domain/money/prices.ts";
import { getConnection } from "#store/models/connections.ts";
import { tightestBudget } from "#store/money/budgets.ts";
import { runPlaceOf } from "../connections/run-place.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";

/**
 * The amount that is reserved for an answer and shown before it, and the settings that are sent.
 */
export type LimitedAnswer = {
  /** The requested settings, with the limits chosen here. */
  settings: JsonObject;
  /** Null if the model's prices give no estimate. */
  estimate: AnswerEstimate | null;
  /** The answer length that the estimate assumes at most. */
  outputTokens: number;
  /** True if neither a person nor a client set that length. */
  isAutomatic: boolean;
};
export type SizeToLimit = Omit<AnswerSize, "outputTokens" | "tools" | "toolUses"> & {
  /** An estimate of the context's tokens. */ inputTokens: number;
};

/** The answer limit in the settings; null if none is sent. */
const limitOf = ({ maxOutputTokens }: JsonObject): number | null =>
  Number(maxOutputTokens) > 0 ? Number(maxOutputTokens) : null;

/**
 * The longest possible answer: the limit in the settings, or else the model's own limit, or else a
 * default.
 * @param model undefined for a model that no longer exists
 */
export const longestAnswer = (
  model: Pick<ModelDetail, "limits"> | undefined,
  settings: JsonObject,
): number =>
  limitOf(settings) ??
  (model?.limits as { outputTokens?: number } | undefined)?.outputTokens ??
  limits.chatOutputTokens;

/**
 * Chooses an answer limit if neither a person nor a client set one, and limits the uses of the
 * provider's tools. A local server gets the rest of its context window. Under a blocking budget,
 * the limit is the largest whose reservation is at most a quarter of what is left, so that the
 * reservation bounds the cost. Otherwise no limit is sent unless the API requires one.
 */
export async function limitAnswer(
  deps: EngineDeps,
  asker: Asker,
  ask: { projectId: string; model: ModelDetail; settings: JsonObject; size: SizeToLimit },
): Promise<LimitedAnswer> {
  const { projectId, model, settings, size } = ask;
  const kind = deps.kinds.get(model.connectionKind);
  const payer = { projectId, userId: asker.userId, apiKeyId: asker.key?.id ?? null };
  const isPaid = !isFree(model.prices);
  const tightest = isPaid ? await tightestBudget(deps.store.read, payer, deps.clock.now()) : null;
  const leftMicros = tightest?.leftMicros ?? null;
  const maxUses = kind?.toolUsesMost;
  const tools = allowedTools(settings);
  const toolUses =
    tools.length === 0 ? 0 : leftMicros !== null && maxUses !== undefined ? maxUses : null;
  const estimateOf = (outputTokens: number) =>
    estimateAnswer(model.prices, { ...size, outputTokens, tools, toolUses });
  const isAutomatic = limitOf(settings) === null;
  const limited = { ...settings, ...(toolUses && { maxToolUses: toolUses }) };
  const { contextTokens = Number.POSITIVE_INFINITY } = size;
  const room = Math.max(1, contextTokens - size.inputTokens);
  const longest = longestAnswer(model, settings);
  const most = Math.min(longest, room);
  const result = (outputTokens: number, isSent: boolean): LimitedAnswer => ({
    settings: isSent ? { ...limited, maxOutputTokens: outputTokens } : limited,
    estimate: estimateOf(outputTokens),
    outputTokens,
    isAutomatic,
  });
  if (!isAutomatic) return result(longest, true);
  if (leftMicros !== null)
    return result(
      largestWithin(Math.min(most, limits.chatOutputTokensMost), leftMicros / 4, estimateOf),
      true,
    );
  const isLocal = Number.isFinite(room) && (await isOnOwnMachine(deps, model));
  if (isLocal) return result(room, true);
  return result(most, kind?.needsOutputLimit === true);
}

async function isOnOwnMachine(deps: EngineDeps, model: ModelDetail): Promise<boolean> {
  const connection = await getConnection(deps.store.read, model.connectionId);
  return (
    connection !== undefined &&
    runPlaceOf(deps.kinds.get(model.connectionKind), connection) === "local"
  );
}

/**
 * The largest limit whose reservation stays within a sum. An unbounded cost reserves the model's
 * ceiling, whatever the limit.
 */
function largestWithin(
  most: number,
  sumMicros: number,
  estimateOf: (outputTokens: number) => AnswerEstimate | null,
): number {
  const fits = (outputTokens: number): boolean => {
    const estimate = estimateOf(outputTokens);
    return estimate === null || estimate.mostMicros === null || estimate.mostMicros <= sumMicros;
  };
  let low = Math.min(limits.chatOutputTokensLeast, most);
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
