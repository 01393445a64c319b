import type { Message, Run } from "#contract/entities.ts";
import { sentOf } from "#domain/text/context.ts";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import { filesOf, textOf } from "./message-parts.ts";

/** The "context" message that shaped a run's request. */
export function contextIdOf(run: Pick<Run, "input"> | undefined): string | null {
  const id = run?.input.context;
  return typeof id === "string" ? id : null;
}

/** A message of a branch, with its content once it is loaded. */
type TurnMessage = MessageNode & Partial<Pick<Message, "parts">>;
export type Turn = { role: "system" | Message["role"]; text: string; assetIds: string[] };

/**
 * An answer's input, oldest first: the summary of left-out messages, the branch above the answer,
 * and the answer that it continues.
 */
export function requestTurns(
  run: Run,
  branch: readonly TurnMessage[],
  continued: Message | undefined,
  choice?: Message,
): Turn[] {
  const systemPrompt = typeof run.input.systemPrompt === "string" ? run.input.systemPrompt : "";
  const parent = run.input.parentMessageId;
  const end = branch.findIndex(({ id }) => id === parent);
  const { sent, summary } = sentOf(branch.slice(0, end + 1), choice);
  const messages: TurnMessage[] = [...sent, ...(continued ? [continued] : [])];
  return [
    ...(systemPrompt ? [{ role: "system" as const, text: systemPrompt, assetIds: [] }] : []),
    ...(summary ? [{ role: "context" as const, text: summary, assetIds: [] }] : []),
    ...messages.map(({ role, parts = [] }) => ({
      role,
      text: textOf(parts),
      assetIds: filesOf(parts),
    })),
  ];
}
