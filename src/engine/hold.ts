import type { Asset, Message, ModelDetail } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { type AnswerSize, type Estimate, estimateAnswer, estimateRun, isFree } from "#domain/prices.ts";
import { getAssetsIn } from "#store/assets.ts";
import type { ChatRunInput } from "#store/conversations.ts";
import { getRunsByIds } from "#store/run-lists.ts";
import type { Asker } from "./admission.ts";
import type { EngineDeps } from "./deps.ts";

/**
 * What a run holds in the books until it is settled, in micro-dollars: the most that it can cost by the model's prices, or
 * the ceiling that a person set where they give no bound.
 * @returns null where there is neither: an unknown price is shown as unknown, and nothing is made up for it
 */
export function holdOfInput(model: ModelDetail, input: JsonObject): number | null {
  return estimateRun(model, input)?.mostMicros ?? model.ceilingMicros;
}

export type AnswerAsk = {
  projectId: string;
  /** What is sent of the messages before it. */
  branch: readonly Message[];
  /** What is not in the branch: system prompts, a summary of what is left out, the message that is being said. */
  said: Words;
  assetIds: readonly string[];
  settings: JsonObject;
};
type Words = { messages: number; characters: number; bytes: number };

export const wordsOf = (texts: readonly string[]): Words => ({
  messages: texts.length,
  characters: texts.reduce((sum, text) => sum + text.length, 0),
  bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
});

/** The same for an answer: of all that the model will read, and of the output limit that is sent along. */
export async function holdOfAnswer(deps: EngineDeps, asker: Asker, model: ModelDetail, ask: AnswerAsk): Promise<number | null> {
  return (await estimateOfAnswer(deps, asker, model, ask))?.mostMicros ?? model.ceilingMicros;
}

/** @returns null where the model's prices do not tell */
export async function estimateOfAnswer(deps: EngineDeps, asker: Asker, model: ModelDetail, ask: AnswerAsk): Promise<Estimate | null> {
  if (model.prices.length === 0) return null;
  if (isFree(model.prices)) return { likelyMicros: 0, mostMicros: 0 };
  const { branch } = ask;
  const ids = [...ask.assetIds, ...branch.flatMap(filesOf)];
  const files = await getAssetsIn(deps.store.read, ask.projectId, asker.userId, [...new Set(ids)]);
  const size = sizeOf(model, ask, branch, files);
  const coming = await bytesToCome(deps, branch);
  return estimateAnswer(model.prices, { ...size, characters: size.characters + coming, bytes: size.bytes + coming });
}

const bytesPerToken = 4;

/** About the longest that answers may become which are still being written and will be read with the rest. */
async function bytesToCome(deps: EngineDeps, branch: readonly Message[]): Promise<number> {
  const runIds = branch.flatMap(({ state, runId }) => (state === "streaming" && runId !== null ? [runId] : []));
  const runs = await getRunsByIds(deps.store.read, runIds);
  const tokensOf = (input: unknown) => Number((input as ChatRunInput).settings.maxOutputTokens ?? limits.chatOutputTokens);
  return runs.reduce((sum, { input }) => sum + tokensOf(input) * bytesPerToken, 0);
}

const filesOf = (message: Message): string[] => message.parts.flatMap((part) => (part.type === "file" ? [part.assetId] : []));

function textsOf(part: Message["parts"][number]): string[] {
  if (part.type === "text") return [part.text];
  if (part.type === "tool-call") return [part.name, JSON.stringify(part.input)];
  return part.type === "tool-result" ? [part.name, part.output] : [];
}

function sizeOf(model: ModelDetail, ask: AnswerAsk, branch: readonly Message[], files: Asset[]): AnswerSize {
  const before = wordsOf(branch.flatMap((message) => message.parts.flatMap(textsOf)));
  const pictures = files.filter(({ kind }) => kind === "image");
  return {
    messages: branch.length + ask.said.messages,
    characters: before.characters + ask.said.characters,
    bytes: before.bytes + ask.said.bytes,
    pictures: pictures.length,
    fileBytes: files.reduce((sum, file) => sum + (file.kind === "image" ? 0 : file.bytes), 0),
    documents: files.filter(({ mime }) => mime === "application/pdf").length,
    outputTokens: Number(ask.settings.maxOutputTokens),
    contextTokens: (model.limits as { contextTokens?: number }).contextTokens,
  };
}
