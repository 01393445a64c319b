import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Message, MessagePart, Run, RunError, RunState } from "#contract/entities.ts";
import { conversationQuery } from "../../../data/queries/chat.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import type { WaitsFor } from "../../../data/run-stream.ts";
import { useRunStream } from "../../../data/run-stream.ts";
import { reasoningOf, sourcesOf, textOf } from "./answer-facts.ts";

export type ShownAnswer = {
  text: string;
  reasoning: string;
  sources: Extract<MessagePart, { type: "source" }>[];
  /** More may come. */
  isStreaming: boolean;
  /** Undefined while it isn't known. */
  state: RunState | undefined;
  error: RunError | null;
  run: Run | undefined;
  queuePlace: number | null;
  waitsFor: WaitsFor | null;
};

const isOver = (state: RunState | null | undefined): boolean =>
  state === "succeeded" || state === "failed" || state === "cancelled";

/**
 * An answer as it is now: from its run's stream while it is said, from the message itself once it is kept. `continued` is
 * the answer it goes on from, whose text stands before the stream's.
 */
export function useShownAnswer(
  message: Message,
  run: Run | undefined,
  continued: Message | undefined,
): ShownAnswer {
  const isOpen = message.state === "streaming";
  const openRunId = isOpen ? message.runId : null;
  const stream = useRunStream(openRunId);
  const detail = useQuery(runQuery(openRunId)).data;
  const present = detail?.run ?? run;
  const queryClient = useQueryClient();
  const isSettled = isOver(stream.state) || (isOpen && isOver(present?.state));
  // The message is kept in the same unit as the run's end: asked for at once, not when the feed's notice is gathered.
  useEffect(() => {
    if (isOpen && isSettled)
      void queryClient.invalidateQueries({
        queryKey: conversationQuery(message.conversationId).queryKey,
      });
  }, [isOpen, isSettled, queryClient, message.conversationId]);

  if (!isOpen) return keptAnswer(message, run);
  const before = continued?.parts ?? [];
  const state =
    stream.state && stream.state !== "unconfirmed"
      ? stream.state
      : (present?.state ?? stream.state ?? undefined);
  return {
    text: textOf(before) + stream.text,
    reasoning: reasoningOf(before) + stream.reasoning,
    sources: stream.sources,
    // What came whole may be asking for tools: whether it is over is known when it is kept.
    isStreaming: state !== "unconfirmed" && (!isSettled || state === "succeeded"),
    state,
    error: stream.error ?? present?.error ?? null,
    run: present,
    queuePlace: stream.queuePlace ?? present?.queuePlace ?? null,
    waitsFor: stream.waitsFor ?? (state === "queued" ? (detail?.waitsFor ?? null) : null),
  };
}

/** What was said in a message that is not open any more. */
export const keptAnswer = (message: Message, run: Run | undefined): ShownAnswer => ({
  text: textOf(message.parts),
  reasoning: reasoningOf(message.parts),
  sources: sourcesOf(message.parts),
  isStreaming: false,
  state: run?.state,
  error: run?.error ?? null,
  run,
  queuePlace: null,
  waitsFor: null,
});
