import type { Message } from "#contract/entities.ts";

/** Builds a complete message; it has no parts unless they are given. */
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
