import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Message, MessagePart, Run, RunError, RunState } from "#contract/entities.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { refreshConversation } from "../../../data/queries/conversation.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { useRunStream, type WaitsFor } from "../../../data/run-stream.ts";
import { reasonedMsOf, reasoningOf, sourcesOf, textOf } from "./message-parts.ts";

export type ShownAnswer = {
  text: string;
  reasoning: string;
  /** The model's reasoning time; null if it isn't known. */
  reasonedMs: number | null;
  sources: Extract<MessagePart, { type: "source" }>[];
  /** More text may arrive. */
  isStreaming: boolean;
  /** Undefined while it loads. */
  state: RunState | undefined;
  error: RunError | null;
  run: Run | undefined;
  queuePlace: number | null;
  waitsFor: WaitsFor | null;
};

/**
 * An answer's current state: from its run's stream while it is active, then from the saved message.
 * `continued` is the answer that it continues, whose text precedes the stream's.
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
  const isSettled =
    (stream.state !== null && isFinal(stream.state)) ||
    (isOpen && present && isFinal(present.state));
  // The message is saved in the same transaction as the run's end, so it is read immediately,
  // before the feed's notice.
  useEffect(() => {
    if (isOpen && isSettled)
      void refreshConversation(queryClient, message.conversationId, new Set([message.id]));
  }, [isOpen, isSettled, queryClient, message.conversationId, message.id]);

  if (!isOpen) return savedAnswer(message, run);
  const before = continued?.parts ?? [];
  const state =
    stream.state && stream.state !== "unconfirmed"
      ? stream.state
      : (present?.state ?? stream.state ?? undefined);
  return {
    text: textOf(before) + stream.text,
    reasoning: reasoningOf(before) + stream.reasoning,
    reasonedMs: addTimes(reasonedMsOf(before), stream.reasonedMs),
    sources: stream.sources,
    // A complete round may request tools, so only the saved message shows whether the answer is
    // over.
    isStreaming: state !== "unconfirmed" && (!isSettled || state === "succeeded"),
    state,
    error: stream.error ?? present?.error ?? null,
    run: present,
    queuePlace: stream.queuePlace ?? present?.queuePlace ?? null,
    waitsFor: stream.waitsFor ?? (state === "queued" ? (detail?.waitsFor ?? null) : null),
  };
}

/** An answer that is no longer streaming. */
export const savedAnswer = (message: Message, run: Run | undefined): ShownAnswer => ({
  text: textOf(message.parts),
  reasoning: reasoningOf(message.parts),
  reasonedMs: reasonedMsOf(message.parts),
  sources: sourcesOf(message.parts),
  isStreaming: false,
  state: run?.state,
  error: run?.error ?? null,
  run,
  queuePlace: null,
  waitsFor: null,
});

const addTimes = (before: number | null, ms: number | null): number | null =>
  before === null && ms === null ? null : (before ?? 0) + (ms ?? 0);
