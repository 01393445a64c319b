import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Message, Run } from "#contract/entities.ts";
import { runQuery } from "../../data/shared.queries.ts";
import { useSearchValue } from "../../use-search-value.ts";
import { conversationQuery } from "./chat.queries.ts";
import { buildTree, shownBranch } from "./message-tree.ts";

const noMessages: readonly Message[] = [];
const noRuns: readonly Run[] = [];

/** The conversation of the address, its tree, and the branch on screen. Without an id: nothing yet. */
export function useOpenConversation(id: string | undefined) {
  const query = useQuery(conversationQuery(id));
  const [messageId] = useSearchValue("message");
  const opened = id === undefined ? undefined : query.data;
  const messages = opened?.messages ?? noMessages;
  const headId = opened?.conversation.headMessageId ?? null;
  const tree = useMemo(() => buildTree(messages), [messages]);
  const branch = useMemo(() => shownBranch(tree, headId, messageId), [tree, headId, messageId]);
  const leaf = branch.at(-1);
  const lastRunId = branch.findLast(({ role }) => role === "assistant")?.runId;
  const lastRun = opened?.runs.find((run) => run.id === lastRunId);
  const comingRunId = leaf?.state === "streaming" ? (leaf.runId ?? openToolRun(leaf)) : null;
  const isUnconfirmed = useQuery(runQuery(comingRunId)).data?.run.state === "unknown";
  return {
    conversation: opened?.conversation,
    runs: opened?.runs ?? noRuns,
    tree,
    branch,
    leaf,
    /** Of the last answer on the branch; null without one, undefined until it is known. */
    lastModel: opened && (lastRun ? { connectionId: lastRun.connectionId, modelId: lastRun.modelId } : null),
    /** The run that can be stopped: of the answer that comes now. */
    runId: isUnconfirmed ? null : comingRunId,
    foundId: messageId,
    isLoading: id !== undefined && query.isPending,
    error: id !== undefined && query.isError && !query.data ? query.error : null,
    retry: () => void query.refetch(),
  };
}
/** A tool that is at work: stopping it ends the round. */
const openToolRun = ({ parts }: Message): string | null =>
  parts.flatMap((part) => (part.type === "tool-result" && part.state === "open" && part.runId !== null ? [part.runId] : [])).at(-1) ?? null;

export type OpenConversation = ReturnType<typeof useOpenConversation>;
