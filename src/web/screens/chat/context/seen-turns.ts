import type { Message, Run } from "#contract/entities.ts";
import { sentOf } from "#domain/text/context.ts";
import { filesOf, textOf } from "../answer/answer-facts.ts";

/** The "context" message by which a run's request was made. */
export function contextIdOf(run: Pick<Run, "input"> | undefined): string | null {
  const id = run?.input.context;
  return typeof id === "string" ? id : null;
}

/** What went into an answer, oldest first: the branch above it, and what it goes on from; of what was left out, the summary. */
export type Turn = {
  role: "system" | Message["role"];
  text: string;
  assetIds: string[];
  messageId: string | null;
};

export function turnsOf(
  run: Run,
  branch: readonly Message[],
  continued: Message | undefined,
  choice?: Message,
): Turn[] {
  const systemPrompt = typeof run.input.systemPrompt === "string" ? run.input.systemPrompt : "";
  const parent = run.input.parentMessageId;
  const end = branch.findIndex(({ id }) => id === parent);
  const { sent, summary } = sentOf(branch.slice(0, end + 1), choice);
  const seen = [...sent, ...(continued ? [continued] : [])];
  return [
    ...(systemPrompt
      ? [{ role: "system" as const, text: systemPrompt, assetIds: [], messageId: null }]
      : []),
    ...(summary
      ? [{ role: "context" as const, text: summary, assetIds: [], messageId: choice?.id ?? null }]
      : []),
    ...seen.map((message) => ({
      role: message.role,
      text: textOf(message.parts),
      assetIds: filesOf(message.parts),
      messageId: message.id,
    })),
  ];
}
