import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Message, Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { toModelRef } from "../../../data/model-ref.ts";
import { conversationQuery } from "../../../data/queries/chat.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { answerState, entriesOf } from "../answer/whole-answer.ts";
import { useTools } from "../tools/lazy-tools.tsx";
import { buildTree, shownBranch } from "./message-tree.ts";

type Opened = RouteOutput<"getConversation">;
const noMessages: readonly Message[] = [];
const noRuns: readonly Run[] = [];

/** The conversation in the address, its tree, and the visible branch. Empty without an id. */
export function useOpenConversation(id: string | undefined) {
  const query = useQuery(conversationQuery(id));
  const [messageId] = useSearchValue("message");
  const opened = useDrawable(id === undefined ? undefined : query.data);
  const messages = opened?.messages ?? noMessages;
  const headId = opened?.conversation.headMessageId ?? null;
  const tree = useMemo(() => buildTree(messages), [messages]);
  const branch = useMemo(() => shownBranch(tree, headId, messageId), [tree, headId, messageId]);
  const leaf = branch.at(-1);
  const lastRunId = branch.findLast(({ role }) => role === "assistant")?.runId;
  const lastRun = opened?.runs.find((run) => run.id === lastRunId);
  const comingRunId = leaf?.state === "streaming" ? (leaf.runId ?? openToolRun(leaf)) : null;
  const coming = useQuery(runQuery(comingRunId)).data?.run;
  const entries = useMemo(() => entriesOf(branch), [branch]);
  const lastAnswer = answerState(entries.at(-1));
  return {
    conversation: opened?.conversation,
    runs: opened?.runs ?? noRuns,
    tree,
    branch,
    /** The branch as items of the thread. */
    entries,
    leaf,
    /** The model of the last answer on the branch; null without an answer, undefined while it loads. */
    lastModel: opened && (lastRun ? toModelRef(lastRun) : null),
    /** The run of the streaming answer, which can be stopped. */
    runId: coming?.state === "unconfirmed" ? null : comingRunId,
    /** The state of the last answer, with all its rounds. */
    lastAnswer: lastAnswer && { ...lastAnswer, isAsking: coming?.waitingFor === "asker" },
    foundId: messageId,
    isLoading: id !== undefined && !opened && !query.isError,
    error: id !== undefined && query.isError && !query.data ? query.error : null,
    retry: () => void query.refetch(),
  };
}

/** The conversation once the code for its tool rounds is here; until then as it was. */
function useDrawable(opened: Opened | undefined): Opened | undefined {
  const hasRounds = opened?.messages.some(({ role }) => role === "tool") ?? false;
  const areToolsHere = useTools(hasRounds || opened?.conversation.settings.tools !== undefined);
  const [shown, setShown] = useState(opened);
  const before = shown?.conversation.id === opened?.conversation.id ? shown : undefined;
  const next = hasRounds && !areToolsHere ? before : opened;
  if (next !== shown) setShown(next);
  return next;
}

/** The run of a tool that is running: stopping it ends the round. */
const openToolRun = ({ parts }: Message): string | null =>
  parts
    .flatMap((part) =>
      part.type === "tool-result" && part.state === "open" && part.runId !== null
        ? [part.runId]
        : [],
    )
    .at(-1) ?? null;

export type OpenConversation = ReturnType<typeof useOpenConversation>;
