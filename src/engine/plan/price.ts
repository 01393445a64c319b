import type { Asset, ModelDetail } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import {
  priceOfRun,
  type RunPrice,
  secondsOfRecordings,
  withCeiling,
} from "#domain/money/prices.ts";
import { assetsInInput } from "#domain/schemas/input-schema.ts";
import {
  bytesPerToken,
  contextTokensOf,
  tokensOfFile,
  tokensPerMessage,
} from "#domain/text/context.ts";
import { isSearchedFor } from "#domain/text/searched-files.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import type { ChatRunInput } from "#store/content/conversations.ts";
import { getModel } from "#store/models/models.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { CountedBranch, EngineDeps } from "../deps.ts";
import {
  type LimitedAnswer,
  limitAnswer,
  longestAnswer,
  type SizeToLimit,
} from "./limit-answer.ts";
import type { TextSize } from "./text-size.ts";

/**
 * The amount that a run reserves until it is settled, in micro-dollars: the most it can cost by the
 * model's prices, or the ceiling set for a model without a bounded price; null if there is neither.
 */
export const priceInput =
  (deps: EngineDeps, asker: Asker, of: { projectId: string; task: Task }) =>
  async (model: ModelDetail, input: JsonObject): Promise<{ mostMicros: number | null }> => {
    const audioSeconds =
      of.task === "transcription"
        ? await audioSecondsOf(deps, asker, of.projectId, input)
        : undefined;
    const { mostMicros } = priceOfRun(model, input, audioSeconds);
    return { mostMicros };
  };

async function audioSecondsOf(
  { store }: EngineDeps,
  asker: Asker,
  projectId: string,
  input: JsonObject,
): Promise<number | undefined> {
  const ids = assetsInInput(input).map(({ assetId }) => assetId);
  return secondsOfRecordings(await getAssetsIn(store.read, projectId, asker.userId, ids));
}

export type AnswerAsk = {
  projectId: string;
  /** The messages of the branch that are sent. */
  branch: CountedBranch;
  /**
   * The text outside the branch: system prompts, a summary of omitted messages, the message being
   * written.
   */
  said: TextSize;
  assetIds: readonly string[];
  settings: JsonObject;
  /** The context's tokens, if they have been counted. */
  inputTokens?: number | undefined;
};
export type AnswerPrice = LimitedAnswer & RunPrice;

/**
 * Prices an answer by everything the model reads and the longest answer it can give. The estimate
 * shown while a person types uses the same function as admission.
 */
export async function priceAnswer(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  ask: AnswerAsk,
): Promise<AnswerPrice> {
  const { branch, projectId, settings } = ask;
  const ids = [...ask.assetIds, ...branch.fileIds];
  const files = await getAssetsIn(deps.store.read, projectId, asker.userId, [...new Set(ids)]);
  const isSearched = isSearchedFor(model, settings);
  const read = files.filter((file) => !isSearched(file));
  const size = sizeOf(model, ask, read);
  const coming = await bytesToCome(deps, branch);
  const whole = { ...size, characters: size.characters + coming, bytes: size.bytes + coming };
  const limited = await limitAnswer(deps, asker, { projectId, model, settings, size: whole });
  return { ...limited, ...withCeiling(model, limited.estimate) };
}

/**
 * The maximum size of answers in the branch that are still streaming and will be sent as well, in
 * bytes.
 */
async function bytesToCome(deps: EngineDeps, { openRunIds }: CountedBranch): Promise<number> {
  const runs = await getRunsByIds(deps.store.read, openRunIds);
  const tokens = await Promise.all(
    runs.map(async ({ connectionId, modelId, input }) =>
      longestAnswer(
        await getModel(deps.store.read, connectionId, modelId),
        (input as ChatRunInput).settings,
      ),
    ),
  );
  return tokens.reduce((sum, count) => sum + count * bytesPerToken, 0);
}

function sizeOf(
  model: ModelDetail,
  { branch, said, settings, inputTokens }: AnswerAsk,
  files: Asset[],
): SizeToLimit {
  const messages = branch.messages + said.messages;
  const bytes = branch.bytes + said.bytes;
  const fileTokens = files.reduce((sum, file) => sum + (tokensOfFile(file) ?? 0), 0);
  return {
    messages,
    characters: branch.characters + said.characters,
    bytes,
    pictures: files.filter(({ kind }) => kind === "image").length,
    fileBytes: files.reduce((sum, file) => sum + (file.kind === "image" ? 0 : file.bytes), 0),
    documents: files.filter(({ mime }) => mime === "application/pdf").length,
    contextTokens: contextTokensOf(model, settings) ?? undefined,
    inputTokens:
      inputTokens ?? Math.ceil(bytes / bytesPerToken) + messages * tokensPerMessage + fileTokens,
  };
}
