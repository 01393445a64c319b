import { type QueryClient, queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import type { Conversation, Message, Run } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call, isProblem } from "../client.ts";
import { keys } from "../keys.ts";

/** A message without its text: its place in the tree and in a group of side-by-side answers. */
export type MessageNode = Pick<Message, "id" | "parentId" | "role"> & {
  group?: { id: string; column: number | null };
};

export type OpenedConversation = {
  conversation: Conversation;
  /** The whole tree, oldest first. */
  nodes: readonly MessageNode[];
  /**
   * The messages read so far, oldest first: the newest, every context choice, and those shown on
   * screen.
   */
  messages: readonly Message[];
  /** The runs of `messages`. */
  runs: readonly Run[];
  forkedFrom: RouteOutput<"getConversation">["forkedFrom"];
};

export const conversationQuery = (conversationId: string | undefined) =>
  queryOptions({
    queryKey: keys.conversation(conversationId ?? ""),
    queryFn: async ({ signal }): Promise<OpenedConversation> => {
      const { outline, groups, ...opened } = await call("getConversation", {
        params: { conversationId: conversationId ?? "" },
        signal,
      });
      const groupAt = new Map(groups.map(([index, id, column]) => [index, { id, column }]));
      const nodes = outline.map(([id, parent, role], index): MessageNode => {
        const group = groupAt.get(index);
        return {
          id,
          parentId: parent === null ? null : (outline[parent]?.[0] ?? null),
          role,
          ...(group && { group }),
        };
      });
      return { ...opened, nodes };
    },
    structuralSharing: (before, after) =>
      keepReadMessages(before as OpenedConversation | undefined, after as OpenedConversation),
    enabled: conversationId !== undefined,
    retry: (count, error) => count < 2 && !isProblem(error, "not_found"),
  });

/**
 * Keeps the older messages that were read before when a conversation is refetched. Equal values
 * keep their object identity.
 */
function keepReadMessages(
  before: OpenedConversation | undefined,
  after: OpenedConversation,
): OpenedConversation {
  if (!before) return after;
  const isSame =
    before.nodes.length === after.nodes.length &&
    before.nodes.every(({ id }, index) => id === after.nodes[index]?.id);
  const existing = new Set(after.nodes.map(({ id }) => id));
  // A message that was streaming may have changed since.
  const kept = before.messages.filter(({ id, state }) => state !== "streaming" && existing.has(id));
  return {
    conversation: replaceEqualDeep(before.conversation, after.conversation),
    nodes: isSame ? before.nodes : after.nodes,
    messages: merge(kept, after.messages, isLater),
    runs: merge(before.runs, after.runs, isLater),
    forkedFrom: replaceEqualDeep(before.forkedFrom, after.forkedFrom),
  };
}

/** Merges rows by id, ordered by time. */
function merge<Row extends { id: string }>(
  before: readonly Row[],
  after: readonly Row[],
  isNewer: (known: Row, row: Row) => boolean,
): readonly Row[] {
  const rows = new Map(before.map((row) => [row.id, row]));
  for (const row of after) {
    const known = rows.get(row.id);
    if (!known || isNewer(known, row)) rows.set(row.id, known ? replaceEqualDeep(known, row) : row);
  }
  const merged = [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return merged.length === before.length && merged.every((row, index) => row === before[index])
    ? before
    : merged;
}

/** Answers may arrive out of order, so a finished row never becomes active again. */
const isLater = <Row extends { state: string; finishedAt?: number | null }>(
  known: Row,
  row: Row,
): boolean =>
  row.finishedAt === undefined
    ? known.state === "streaming" || row.state !== "streaming"
    : known.finishedAt === null || row.finishedAt !== null;

type Read = Pick<RouteOutput<"listMessages">, "conversation" | "messages" | "runs">;

function withRead(before: OpenedConversation, read: Read): OpenedConversation {
  const known = new Set(before.nodes.map(({ id }) => id));
  const added = read.messages.filter(({ id }) => !known.has(id));
  return {
    conversation: read.conversation,
    nodes: added.length > 0 ? [...before.nodes, ...added.map(toNode)] : before.nodes,
    messages: merge(before.messages, read.messages, isLater),
    runs: merge(before.runs, read.runs, isLater),
    forkedFrom: before.forkedFrom,
  };
}

const toNode = ({ id, parentId, role, group }: Message): MessageNode => ({
  id,
  parentId,
  role,
  ...(group && { group: { id: group.id, column: group.column } }),
});

/**
 * Reads messages with their runs, and the conversation's row, into an open conversation.
 * @throws ServerProblem, TypeError
 */
export async function readMessages(
  queryClient: QueryClient,
  conversationId: string,
  ids: readonly string[],
): Promise<void> {
  for (let at = 0; at === 0 || at < ids.length; at += limits.pageSizeMost) {
    const page = ids.slice(at, at + limits.pageSizeMost);
    const read = await call("listMessages", {
      params: { conversationId },
      query: { ids: page.join(",") },
    });
    // A missing message was deleted together with its replies.
    if (read.messages.length < page.length)
      return queryClient.invalidateQueries({
        queryKey: conversationQuery(conversationId).queryKey,
      });
    queryClient.setQueryData(
      conversationQuery(conversationId).queryKey,
      (before) => before && withRead(before, read),
    );
  }
}

/**
 * Updates an open conversation after notices: reads the named messages that are on screen or new.
 */
export async function refreshConversation(
  queryClient: QueryClient,
  conversationId: string,
  named: ReadonlySet<string>,
): Promise<void> {
  const { queryKey } = conversationQuery(conversationId);
  const query = queryClient.getQueryCache().find({ queryKey, exact: true });
  const opened = queryClient.getQueryData(queryKey);
  const refetch = () => queryClient.invalidateQueries({ queryKey });
  // A pending read may be older than the notice.
  if (!opened || !query?.isActive() || query.state.fetchStatus !== "idle") return refetch();
  const read = new Set(opened.messages.map(({ id }) => id));
  const known = new Set(opened.nodes.map(({ id }) => id));
  const stale = [...named].filter((id) => read.has(id) || !known.has(id));
  await readMessages(queryClient, conversationId, stale).catch(refetch);
  const { conversation, nodes } = queryClient.getQueryData(queryKey) ?? opened;
  // More was restored than the notice names.
  if (
    conversation.headMessageId !== null &&
    !nodes.some(({ id }) => id === conversation.headMessageId)
  )
    await refetch();
  await queryClient.invalidateQueries({ queryKey: keys.conversation(conversationId, "cost") });
}

/**
 * Adds the server's answer to a sent message to the open conversation, before the feed reports it.
 */
export function addSentMessages(
  queryClient: QueryClient,
  conversation: Conversation,
  sent: { messages: Message[]; runs: Run[]; headMessageId?: string },
): void {
  queryClient.setQueryData(conversationQuery(conversation.id).queryKey, (before) => {
    const opened = before ?? {
      conversation,
      nodes: [],
      messages: [],
      runs: [],
      forkedFrom: null,
    };
    return withRead(opened, {
      conversation: {
        ...opened.conversation,
        headMessageId: sent.headMessageId ?? opened.conversation.headMessageId,
      },
      messages: sent.messages,
      runs: sent.runs,
    });
  });
  void queryClient.invalidateQueries({ queryKey: keys.conversations(conversation.projectId) });
}

/** The costs of all of a conversation's runs, summed by how precisely they are known. */
export const conversationCostQuery = (conversationId: string) =>
  queryOptions({
    queryKey: keys.conversation(conversationId, "cost"),
    queryFn: ({ signal }) => call("getConversationCost", { params: { conversationId }, signal }),
  });

/** The messages of a conversation that contain a text, newest first. */
export const messageSearchQuery = (conversationId: string, q: string) =>
  queryOptions({
    queryKey: keys.conversation(conversationId, "found", q),
    queryFn: ({ signal }) =>
      call("findMessages", { params: { conversationId }, query: { q }, signal }),
    enabled: q.trim() !== "",
  });
