import type { Conversation } from "#contract/entities.ts";
import { groupBy } from "../../../data/group-by.ts";

export type GroupName = "pinned" | "today" | "week" | "earlier" | "archived";
export type ListRow =
  | { kind: "heading"; group: GroupName }
  | { kind: "conversation"; conversation: Conversation };

export const rowKey = (row: ListRow): string =>
  row.kind === "conversation" ? row.conversation.id : row.group;

const day = 24 * 60 * 60_000;

/** The group of a conversation. Today starts at midnight on this device. */
function groupOf({ pinned, updatedAt, archivedAt }: Conversation, now: number): GroupName {
  if (archivedAt !== null) return "archived";
  if (pinned) return "pinned";
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (updatedAt >= midnight) return "today";
  return updatedAt >= midnight - 6 * day ? "week" : "earlier";
}

const order: readonly GroupName[] = ["pinned", "today", "week", "earlier", "archived"];

/** The rows of the pane: headings and conversations, each group by last change. */
export function listRows(conversations: readonly Conversation[], now: number): ListRow[] {
  const groups = groupBy(conversations, (conversation) => groupOf(conversation, now));
  return order.flatMap((group) => {
    const found = groups.get(group);
    if (!found) return [];
    const sorted = [...found].sort((a, b) => b.updatedAt - a.updatedAt);
    return [
      { kind: "heading" as const, group },
      ...sorted.map((conversation) => ({ kind: "conversation" as const, conversation })),
    ];
  });
}
