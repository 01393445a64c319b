import type { ModelDetail } from "#contract/entities.ts";
import { allowedTools } from "#contract/filters/provider-tools.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import {
  type AnswerEstimate,
  type AnswerSize,
  estimateAnswer,
  isFree,
} from "#domain/money/prices.ts";
import { getConnection } from "#store/models/connections.ts";
import { leftInBlockingBudgets } from "#store/money/budgets.ts";
import { runPlaceOf } from "../connections/run-place.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";

/** What is reserved for an answer and shown before it, and what it is sent with. */
export type LimitedAnswer = {
  /** As they were asked, with the limits that were chosen here. */
  settings: JsonObject;
  /** Null where the model's prices do not tell. */
  estimate: AnswerEstimate | null;
  /** The longest answer that is counted on. */
  outputTokens: number;
  /** Neither a person nor a program chose that. */
  isAutomatic: boolean;
};
export type SizeToLimit = Omit<AnswerSize, "outputTokens" | "tools" | "toolUses"> & {
  /** Of the context, about. */ inputTokens: number;
};

/** The limit that was asked for or chosen; null where none is sent. */
const limitOf = ({ maxOutputTokens }: JsonObject): number | null =>
  Number(maxOutputTokens) > 0 ? Number(maxOutputTokens) : null;

/**
 * The longest answer that is counted on: by its limit, else the model's own, or what is taken for it where nobody knows it.
 * @param model undefined for one that was removed since
 */
export const longestAnswer = (
  model: Pick<ModelDetail, "limits"> | undefined,
  settings: JsonObject,
): number =>
  limitOf(settings) ??
  (model?.limits as { outputTokens?: number } | undefined)?.outputTokens ??
  limits.chatOutputTokens;

/**
 * Chooses how long an answer may be, where neither a person nor a program did, and how often it may use tools of the provider.
 * A local server gets what its context leaves. Where a blocking budget counts the run, the limit is the largest whose hold is
 * at most a quarter of what is left, and so the hold is a bound. Elsewhere none is sent, unless the wire demands one.
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
  const leftMicros = isPaid
    ? await leftInBlockingBudgets(deps.store.read, payer, deps.clock.now())
    : null;
  const usesMost = kind?.toolUsesMost;
  const tools = allowedTools(settings);
  const toolUses =
    tools.length === 0 ? 0 : leftMicros !== null && usesMost !== undefined ? usesMost : null;
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

/** The largest limit whose hold stays within a sum. A cost without a bound is held by its ceiling, regardless of the limit. */
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
