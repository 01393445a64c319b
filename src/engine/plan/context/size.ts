import type { ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  contextTokensOf,
  leastAnswerOf,
  tokensOfFile,
  tokensOfText,
} from "#domain/text/context.ts";
import { isSearchedFor } from "#domain/text/searched-files.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import type { ChatRunInput } from "#store/content/conversations.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import type { Asker } from "../../connections/usable-model.ts";
import type { CountedBranch, EngineDeps } from "../../deps.ts";

export type RequestContent = {
  projectId: string;
  sent: CountedBranch;
  systemPrompt: string;
  /** Tokens of the text that isn't in the branch yet. */
  saidTokens: number;
  /** Definitions of tools and shapes. */
  described: readonly string[];
  assetIds: readonly string[];
  model: Pick<ModelDetail, "inputSchema">;
  settings: JsonObject;
};

/** How much of a model's context window a request uses. */
export type ContextSize = {
  inputTokens: number;
  /** False only if the provider has counted the whole request. */
  isAbout: boolean;
  /** Files whose tokens can't be estimated; `inputTokens` doesn't include them. */
  uncountedFiles: number;
};

/** Adds an estimate of everything written since the last answer to the provider's count for it. */
export async function sizeOfRequest(
  deps: EngineDeps,
  asker: Asker,
  of: RequestContent,
): Promise<ContextSize> {
  const { sent } = of;
  const counted = await lastCounted(deps, sent, of.settings);
  const isSearched = isSearchedFor(of.model, of.settings);
  const fileIds = [...sent.fileIds.slice(counted?.files), ...of.assetIds];
  const files = await getAssetsIn(deps.store.read, of.projectId, asker.userId, [
    ...new Set(fileIds),
  ]);
  const tokensById = new Map(
    files.map((file) => [file.id, isSearched(file) ? 0 : tokensOfFile(file)]),
  );
  const fileTokens = fileIds.map((id) => tokensById.get(id));
  const always = counted
    ? 0
    : [sent.summary, ...of.described].reduce((sum, text) => sum + tokensOfText(text), 0);
  const written =
    sent.tokens -
    (counted?.tokensBefore ?? 0) +
    fileTokens.reduce<number>((sum, n) => sum + (n ?? 0), 0);
  const prompt = tokensOfText(of.systemPrompt) - (counted ? tokensOfText(counted.systemPrompt) : 0);
  const added = always + written + of.saidTokens + prompt;
  return {
    inputTokens: Math.max(0, (counted?.tokens ?? 0) + added),
    isAbout: !counted || added !== 0,
    uncountedFiles: fileTokens.filter((tokens) => tokens === null).length,
  };
}

/**
 * The last answer counted by its provider under the same context choice, with its request and its
 * own text. Answers with and without file search don't count the same files.
 */
async function lastCounted(
  deps: EngineDeps,
  { answers, choice }: CountedBranch,
  { fileSearch }: JsonObject,
) {
  const runs = await getRunsByIds(
    deps.store.read,
    answers.map(({ runId }) => runId),
  );
  for (const { runId, tokens, files } of answers.toReversed()) {
    const run = runs.find(({ id }) => id === runId);
    const { context, systemPrompt = "", settings } = (run?.input ?? {}) as Partial<ChatRunInput>;
    const { inputTokens, outputTokens, reasoningTokens, units } = (run?.usage ?? {}) as Record<
      string,
      unknown
    >;
    const isOurs = typeof units === "object" && units !== null && "estimated" in units;
    if (typeof inputTokens !== "number" || isOurs || (context ?? null) !== (choice?.id ?? null))
      continue;
    if ((settings?.fileSearch === true) !== (fileSearch === true)) continue;
    // Reasoning isn't sent again.
    const said = Math.max(0, (Number(outputTokens) || 0) - (Number(reasoningTokens) || 0));
    return { systemPrompt, tokens: inputTokens + said, tokensBefore: tokens, files };
  }
  return undefined;
}

/**
 * The tokens of a context window to leave free for an answer: the requested number, or else the
 * minimum.
 */
export function neededTokensOf(contextTokens: number | null, settings: JsonObject): number {
  const asked = Number(settings.maxOutputTokens) || 0;
  return asked > 0 || contextTokens === null ? asked : leastAnswerOf(contextTokens);
}

/**
 * Refuses a request that doesn't fit into the context window together with its answer.
 * @throws Problem context_full, with the figures
 */
export function requireRoom(model: ModelDetail, settings: JsonObject, size: ContextSize): void {
  const contextTokens = contextTokensOf(model, settings);
  const outputTokens = neededTokensOf(contextTokens, settings);
  if (contextTokens === null || size.inputTokens + outputTokens <= contextTokens) return;
  throw new Problem("context_full", {
    message: sentences.chat.contextExceeded({
      tokens: size.inputTokens,
      answer: outputTokens,
      model: model.name,
      context: contextTokens,
    }),
    contextTokens,
    outputTokens,
    inputTokens: size.inputTokens,
  });
}
