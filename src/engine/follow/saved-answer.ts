import type { MessagePart, RunEvent } from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import { newText } from "#contract/live-text.ts";
import { type ChatRunInput, getMessage } from "#store/content/conversations.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";

export type SavedAnswer = {
  text: string;
  reasoning: string;
  /** How long the attempt reasoned, in milliseconds. */
  reasonedMs: number;
  sources: MessagePart[];
};
type Words = RunEventPayloads["text-delta"];

export const emptyAnswer = (): SavedAnswer => ({
  text: "",
  reasoning: "",
  reasonedMs: 0,
  sources: [],
});

/**
 * The last attempt's text that was saved when its worker died. Up to a second of text that people
 * have seen may be lost.
 */
export async function readSavedAnswer(deps: EngineDeps, runId: string): Promise<SavedAnswer> {
  const saved = emptyAnswer();
  const pageSize = 500;
  for (let after = 0; ; ) {
    const events = await listRunEvents(deps.store.db, runId, after, pageSize);
    for (const event of events) addEvent(saved, event);
    if (events.length < pageSize) return saved;
    after = events.at(-1)!.seq;
  }
}

/** Adds an event of a run's log. Each attempt starts empty. */
export function addEvent(
  saved: SavedAnswer,
  { type, payload }: Pick<RunEvent, "type" | "payload">,
): void {
  if (type === "run-started") Object.assign(saved, emptyAnswer());
  if (type === "source")
    saved.sources.push({ type: "source", ...(payload as RunEventPayloads["source"]) });
  if (type !== "text-delta" && type !== "reasoning-delta") return;
  const delta = payload as Words;
  const spoken = type === "text-delta" ? "text" : "reasoning";
  saved[spoken] += newText(delta, saved[spoken].length) ?? "";
  saved.reasonedMs = delta.reasonedMs ?? saved.reasonedMs;
}

/**
 * The parts of the interrupted answer that a new one continues. A fork's copy passes on no tool
 * record, because the container belongs to the original.
 */
export async function continuedParts(
  deps: Pick<EngineDeps, "store">,
  { input }: Pick<OwnedRun, "input">,
): Promise<MessagePart[]> {
  const from = (input as Partial<ChatRunInput>).continueFrom;
  const begun = from && (await getMessage(deps.store.read, from));
  if (!begun) return [];
  return begun.isCopy ? begun.parts.filter(({ type }) => type !== "tool-record") : begun.parts;
}
