import type { MessagePart } from "#contract/entities.ts";
import { type ChatRunInput, getMessage } from "#store/content/conversations.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { EngineDeps } from "../deps.ts";

/** The text that was durable, and so shown, when the worker died. */
export async function saidSoFar(
  deps: EngineDeps,
  runId: string,
): Promise<{ text: string; reasoning: string; sources: MessagePart[] }> {
  const said = { text: "", reasoning: "", sources: [] as MessagePart[] };
  const pageSize = 500;
  for (let after = 0; ; ) {
    const events = await listRunEvents(deps.store.db, runId, after, pageSize);
    for (const event of events) {
      if (event.type === "text-delta") said.text += event.payload.text as string;
      if (event.type === "reasoning-delta") said.reasoning += event.payload.text as string;
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
