import type { RouteTable } from "../route.ts";

const inProject = { kind: "project", from: "query", name: "projectId" } as const;
const target = { kind: "conversation", from: "param", name: "conversationId" } as const;
const messageTarget = { kind: "message", from: "param", name: "messageId" } as const;
/**
 * Conversations are trees of messages: an edit or another answer adds a branch, and nothing is
 * overwritten.
 */
export const conversationRoutes = {
  listConversations: {
    method: "GET",
    path: "/api/v1/conversations",
    permission: "view",
    target: inProject,
    summary:
      "List your conversations in a project and those shared with it, newest first, or your own in the trash.",
  },
  searchConversations: {
    method: "GET",
    path: "/api/v1/conversations/search",
    permission: "view",
    target: inProject,
    summary: "Search the messages you can read.",
  },
  createConversation: {
    method: "POST",
    path: "/api/v1/conversations",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Create a conversation.",
  },
  getConversation: {
    method: "GET",
    path: "/api/v1/conversations/:conversationId",
    permission: "view",
    target,
    summary: "Get a conversation with the outline of its tree of messages, and the newest of them.",
  },
  listMessages: {
    method: "GET",
    path: "/api/v1/conversations/:conversationId/messages",
    permission: "view",
    target,
    summary:
      "List messages of a conversation with their runs, oldest first, or those with these IDs.",
  },
  exportConversation: {
    method: "GET",
    path: "/api/v1/conversations/:conversationId/export",
    permission: "view",
    target,
    summary:
      "Export a conversation: a page with its files as a ZIP, or its branch as Markdown, or its whole tree as JSON.",
    answer: "bytes",
  },
  getConversationCost: {
    method: "GET",
    path: "/api/v1/conversations/:conversationId/cost",
    permission: "view",
    target,
    summary: "Get the cost of a conversation: its answers and their tools, with equal ones summed.",
  },
  findMessages: {
    method: "GET",
    path: "/api/v1/conversations/:conversationId/find",
    permission: "view",
    target,
    summary: "Find the messages of a conversation that contain a text, newest first.",
  },
  updateConversation: {
    method: "PATCH",
    path: "/api/v1/conversations/:conversationId",
    permission: "author",
    target,
    summary:
      "Rename, pin, archive or share a conversation, set its system prompt, or show another branch.",
  },
  removeConversation: {
    method: "DELETE",
    path: "/api/v1/conversations/:conversationId",
    permission: "author",
    target,
    summary: "Move a conversation to the trash. A temporary chat is deleted.",
  },
  restoreConversation: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/restore",
    permission: "author",
    target,
    summary: "Restore a conversation from the trash.",
  },
  deleteConversation: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/delete",
    permission: "author",
    target,
    summary: "Permanently delete a conversation in the trash. Its files and its cost remain.",
    errors: ["conflict"],
  },
  sendMessage: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/messages",
    permission: "author",
    target,
    summary: "Send a message, and request an answer from each named model.",
    errors: ["model_gone", "context_full", "idempotency_mismatch", "storage_full", "too_large"],
  },
  chooseContext: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/context",
    permission: "author",
    target,
    summary:
      "Choose the context of a branch: messages after a point, a summary, or everything. Nothing is deleted.",
    errors: ["conflict", "context_full", "model_gone", "idempotency_mismatch", "storage_full"],
  },
  estimateAnswer: {
    method: "POST",
    path: "/api/v1/projects/:projectId/answer-estimate",
    permission: "edit",
    target: { kind: "project", from: "param", name: "projectId" },
    summary:
      "Estimate an answer's cost, its upper bound and its context, from the length of a draft.",
    errors: ["model_gone"],
  },
  answerAgain: {
    method: "POST",
    path: "/api/v1/messages/:messageId/answers",
    permission: "author",
    target: messageTarget,
    summary:
      "Request another answer as a branch, the rest of an interrupted answer, or one answer merged from several.",
    errors: ["model_gone", "context_full", "conflict", "idempotency_mismatch"],
  },
  forkConversation: {
    method: "POST",
    path: "/api/v1/messages/:messageId/fork",
    permission: "author",
    target: messageTarget,
    summary:
      "Create a conversation with copies of a message and everything before it. Copied answers cost nothing.",
    errors: ["conflict", "idempotency_mismatch"],
  },
  removeMessage: {
    method: "DELETE",
    path: "/api/v1/messages/:messageId",
    permission: "author",
    target: messageTarget,
    summary:
      "Move a message and everything after it to the trash. The cost of its answers remains booked.",
    errors: ["conflict"],
  },
  restoreMessage: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/messages/:messageId/restore",
    permission: "author",
    target,
    summary: "Restore a message from the trash, with the messages deleted with it.",
    errors: ["conflict"],
  },
  getRemotePicture: {
    method: "GET",
    path: "/api/v1/messages/:messageId/picture",
    permission: "view",
    target: messageTarget,
    summary:
      "Get a picture from another site that a message contains, through this server. Its host learns nothing about the reader.",
    answer: "bytes",
  },
  pickAnswer: {
    method: "POST",
    path: "/api/v1/messages/:messageId/pick",
    permission: "author",
    target: messageTarget,
    summary: "Continue the conversation from one of several answers side by side.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
