import type { Message, Run } from "#contract/entities.ts";
import { sentOf } from "#domain/text/context.ts";
import { filesOf, textOf } from "./message-parts.ts";

/** The "context" message by which a run's request was made. */
export function contextIdOf(run: Pick<Run, "input"> | undefined): string | null {
  const id = run?.input.context;
  return typeof id === "string" ? id : null;
}

export type Turn = { role: "system" | Message["role"]; text: string; assetIds: string[] };

/**
 * The input of an answer, oldest first: the summary of what was left out, the branch above the answer, and the answer that it
 * continues.
 */
export function requestTurns(
  run: Run,
  branch: readonly Message[],
  continued: Message | undefined,
  choice?: Message,
): Turn[] {
  const systemPrompt = typeof run.input.systemPrompt === "string" ? run.input.systemPrompt : "";
  const parent = run.input.parentMessageId;
  const end = branch.findIndex(({ id }) => id === parent);
  const { sent, summary } = sentOf(branch.slice(0, end + 1), choice);
  const messages = [...sent, ...(continued ? [continued] : [])];
  return [
    ...(systemPrompt ? [{ role: "system" as const, text: systemPrompt, assetIds: [] }] : []),
    ...(summary ? [{ role: "context" as const, text: summary, assetIds: [] }] : []),
    ...messages.map((message) => ({
      role: message.role,
      text: textOf(message.parts),
      assetIds: filesOf(message.parts),
    })),
  ];
}
