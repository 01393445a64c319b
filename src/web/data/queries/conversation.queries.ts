import { type QueryClient, queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import type { Conversation, Message, Run } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call, isProblem } from "../client.ts";
import { keys } from "../keys.ts";

/** A message without its words: its place in the tree, and among answers side by side. */
export type MessageNode = Pick<Message, "id" | "parentId" | "role"> & {
  group?: { id: string; column: number | null };
};

export type OpenedConversation = {
  conversation: Conversation;
  /** All of the tree, oldest first. */
  nodes: readonly MessageNode[];
  /** What was read of it so far, oldest first: the newest, every choice of context, and what was on screen. */
  messages: readonly Message[];
  /** Of these messages. */
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
      const groupAt = new Map(groups.map(([place, id, column]) => [place, { id, column }]));
      const nodes = outline.map(([id, parent, role], place): MessageNode => {
        const group = groupAt.get(place);
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
      keepRead(before as OpenedConversation | undefined, after as OpenedConversation),
    enabled: conversationId !== undefined,
    retry: (count, error) => count < 2 && !isProblem(error, "not_found"),
  });

/** A conversation that is read again keeps the older messages that were read before. What is the same stays the same object. */
function keepRead(
  before: OpenedConversation | undefined,
  after: OpenedConversation,
): OpenedConversation {
  if (!before) return after;
  const isSame =
    before.nodes.length === after.nodes.length &&
    before.nodes.every(({ id }, place) => id === after.nodes[place]?.id);
  const there = new Set(after.nodes.map(({ id }) => id));
  // Of an open one nobody knows what became of it.
  const kept = before.messages.filter(({ id, state }) => state !== "streaming" && there.has(id));
  return {
    conversation: replaceEqualDeep(before.conversation, after.conversation),
    nodes: isSame ? before.nodes : after.nodes,
    messages: merge(kept, after.messages, isLater),
    runs: merge(before.runs, after.runs, isLater),
    forkedFrom: replaceEqualDeep(before.forkedFrom, after.forkedFrom),
  };
}

/** Rows by their ids, in the order of time. */
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
  return merged.length === before.length && merged.every((row, place) => row === before[place])
    ? before
    : merged;
}

/** Answers may come in another order than they were given: what has ended is not open again. */
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

/** Reads these messages with their runs into an open conversation, and its own row. @throws ServerProblem, TypeError */
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
    // One that does not come is deleted, with what followed it.
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

/** Makes an open conversation true again after notices: reads what they name, if it is on screen or new. */
export async function refreshConversation(
  queryClient: QueryClient,
  conversationId: string,
  named: ReadonlySet<string>,
): Promise<void> {
  const { queryKey } = conversationQuery(conversationId);
  const query = queryClient.getQueryCache().find({ queryKey, exact: true });
  const opened = queryClient.getQueryData(queryKey);
  const whole = () => queryClient.invalidateQueries({ queryKey });
  // What is being read may be older than the notice.
  if (!opened || !query?.isActive() || query.state.fetchStatus !== "idle") return whole();
  const read = new Set(opened.messages.map(({ id }) => id));
  const known = new Set(opened.nodes.map(({ id }) => id));
  const stale = [...named].filter((id) => read.has(id) || !known.has(id));
  await readMessages(queryClient, conversationId, stale).catch(whole);
  const { conversation, nodes } = queryClient.getQueryData(queryKey) ?? opened;
  // More was restored than the notice names.
  if (
    conversation.headMessageId !== null &&
    !nodes.some(({ id }) => id === conversation.headMessageId)
  )
    await whole();
  await queryClient.invalidateQueries({ queryKey: keys.conversation(conversationId, "cost") });
}

/** Puts what the server answered to a question into the open conversation, before the feed tells of it. */
export function addSaid(
  queryClient: QueryClient,
  conversation: Conversation,
  said: { messages: Message[]; runs: Run[]; headMessageId?: string },
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
        headMessageId: said.headMessageId ?? opened.conversation.headMessageId,
      },
      messages: said.messages,
      runs: said.runs,
    });
  });
  void queryClient.invalidateQueries({ queryKey: keys.conversations(conversation.projectId) });
}

/** The costs of all runs of a conversation, summed by how well they are known. */
export const conversationCostQuery = (conversationId: string) =>
  queryOptions({
    queryKey: keys.conversation(conversationId, "cost"),
    queryFn: ({ signal }) => call("getConversationCost", { params: { conversationId }, signal }),
  });

/** The messages of a conversation that contain a text, newest first. */
export const foundQuery = (conversationId: string, q: string) =>
  queryOptions({
    queryKey: keys.conversation(conversationId, "found", q),
    queryFn: ({ signal }) =>
      call("findMessages", { params: { conversationId }, query: { q }, signal }),
    enabled: q.trim() !== "",
  });
