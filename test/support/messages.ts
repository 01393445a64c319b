import type { Message } from "#contract/entities.ts";

/** Builds a complete message, by default without parts. */
export const messageOf = (
  id: string,
  parentId: string | null,
  role: Message["role"],
  given: Partial<Message> = {},
): Message => ({
  id,
  parentId,
  role,
  conversationId: "c",
  state: "complete",
  parts: [],
  runId: null,
  createdAt: 0,
  ...given,
});
