import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Message, Run } from "#contract/entities.ts";
import { toModelRef } from "../../../data/model-ref.ts";
import {
  conversationQuery,
  type MessageNode,
  type OpenedConversation,
} from "../../../data/queries/conversation.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { useTools } from "../tools/lazy-tools.tsx";
import { answerState, type Entry, entriesOf } from "./entries.ts";
import { buildTree, shownBranch } from "./message-tree.ts";
import { useReadMessages } from "./use-read-messages.ts";

const noNodes: readonly MessageNode[] = [];
const noMessages: readonly Message[] = [];
const noRuns: readonly Run[] = [];

/**
 * The conversation in the address, its tree, and the visible branch. Empty without an id.
 * @param inspectedId a message shown in the inspector
 */
export function useOpenConversation(id: string | undefined, inspectedId: string | undefined) {
  const query = useQuery(conversationQuery(id));
  const [messageId] = useSearchValue("message");
  const opened = useDrawable(id === undefined ? undefined : query.data);
  const nodes = opened?.nodes ?? noNodes;
  const readMessages = opened?.messages ?? noMessages;
  const runs = opened?.runs ?? noRuns;
  const headId = opened?.conversation.headMessageId ?? null;
  const tree = useMemo(() => buildTree(nodes), [nodes]);
  const branch = useMemo(() => shownBranch(tree, headId, messageId), [tree, headId, messageId]);
  const messages = useMemo(
    () => new Map(readMessages.map((message) => [message.id, message])),
    [readMessages],
  );
  const entries = useMemo(() => entriesOf(branch), [branch]);
  const end = branch.at(-1);
  const lastId = branch.findLast(({ role }) => role === "assistant")?.id;
  // Branch ends older than the messages that were loaded with the conversation.
  const ends = [...(entries.at(-1) ?? []).map((node) => node.id), lastId, inspectedId];
  const missing = ends.filter(
    (wanted) => wanted !== undefined && tree.byId.has(wanted) && !messages.has(wanted),
  ) as string[];
  const reading = useReadMessages(id, missing);
  const leaf = end && messages.get(end.id);
  const lastMessage = lastId === undefined ? undefined : messages.get(lastId);
  const lastRun = runs.find((run) => run.id === lastMessage?.runId);
  const comingRunId = leaf?.state === "streaming" ? (leaf.runId ?? openToolRun(leaf)) : null;
  const coming = useQuery(runQuery(comingRunId)).data?.run;
  const lastAnswer = answerState(readEntry(entries.at(-1), messages));
  const isEndRead = !end || leaf !== undefined;
  const error = query.isError && !query.data ? query.error : isEndRead ? null : reading.error;
  return {
    conversation: opened?.conversation,
    forkedFrom: opened?.forkedFrom ?? null,
    runs,
    tree,
    branch,
    /** The messages loaded so far. */
    messages,
    /** The branch as items of the thread. */
    entries,
    leaf,
    /**
     * The model of the last answer on the branch; null without an answer, undefined while it loads.
     */
    lastModel:
      opened && (lastId === undefined || lastMessage)
        ? lastRun
          ? toModelRef(lastRun)
          : null
        : undefined,
    /** The run of the streaming answer, which can be stopped. */
    runId: coming?.state === "unconfirmed" ? null : comingRunId,
    /** The state of the last answer, with all its rounds. */
    lastAnswer: lastAnswer && { ...lastAnswer, isAsking: coming?.waitingFor === "asker" },
    foundId: messageId,
    isLoading: id !== undefined && (!opened || !isEndRead) && !error,
    error: id === undefined ? null : error,
    retry: () => {
      reading.retry();
      void query.refetch();
    },
  };
}

/** An item of the thread once all of its messages are loaded. */
export function readEntry(
  entry: Entry<MessageNode> | undefined,
  messages: ReadonlyMap<string, Message>,
): Entry | undefined {
  const [first, ...rest] = entry?.flatMap(({ id }) => messages.get(id) ?? []) ?? [];
  return first && rest.length + 1 === entry?.length ? [first, ...rest] : undefined;
}

/** The conversation once the code for its tool rounds has loaded; until then its previous state. */
function useDrawable(opened: OpenedConversation | undefined): OpenedConversation | undefined {
  const hasRounds = opened?.nodes.some(({ role }) => role === "tool") ?? false;
  const areToolsHere = useTools(hasRounds || opened?.conversation.settings.tools !== undefined);
  const [shown, setShown] = useState(opened);
  const before = shown?.conversation.id === opened?.conversation.id ? shown : undefined;
  const next = hasRounds && !areToolsHere ? before : opened;
  if (next !== shown) setShown(next);
  return next;
}

/** A running tool's run; stopping it ends the round. */
const openToolRun = ({ parts }: Message): string | null =>
  parts
    .flatMap((part) =>
      part.type === "tool-result" && part.state === "open" && part.runId !== null
        ? [part.runId]
        : [],
    )
    .at(-1) ?? null;

export type OpenConversation = ReturnType<typeof useOpenConversation>;
