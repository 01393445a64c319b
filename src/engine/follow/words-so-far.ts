import type { MessagePart } from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import { newWords } from "#contract/live-words.ts";
import { type ChatRunInput, getMessage } from "#store/content/conversations.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";

type Said = { text: string; reasoning: string; sources: MessagePart[] };
type Words = RunEventPayloads["text-delta"];

const nothingSaid = (): Said => ({ text: "", reasoning: "", sources: [] });

/** The words of the last attempt that were written when the worker died. Those of its last second may have been shown and are lost. */
export async function saidSoFar(deps: EngineDeps, runId: string): Promise<Said> {
  const said = nothingSaid();
  const pageSize = 500;
  for (let after = 0; ; ) {
    const events = await listRunEvents(deps.store.db, runId, after, pageSize);
    for (const event of events) {
      if (event.type === "run-started") Object.assign(said, nothingSaid());
      if (event.type === "text-delta")
        said.text += newWords(event.payload as Words, said.text.length) ?? "";
      if (event.type === "reasoning-delta")
        said.reasoning += newWords(event.payload as Words, said.reasoning.length) ?? "";
      if (event.type === "source")
        said.sources.push({ type: "source", ...(event.payload as { title: string }) });
    }
    if (events.length < pageSize) return said;
    after = events.at(-1)!.seq;
  }
}

/** The part of an interrupted answer that the new one continues. */
export async function continuedParts(
  deps: Pick<EngineDeps, "store">,
  run: OwnedRun,
): Promise<MessagePart[]> {
  const from = (run.input as Partial<ChatRunInput>).continueFrom;
  return (from && (await getMessage(deps.store.read, from))?.parts) || [];
}
