import type { RouteTable } from "../route.ts";

const inProject = { kind: "project", from: "query", name: "projectId" } as const;
const target = { kind: "conversation", from: "param", name: "conversationId" } as const;
const messageTarget = { kind: "message", from: "param", name: "messageId" } as const;
/** Conversations are trees of messages: an edit or another answer is a branch, nothing is overwritten. */
export const conversationRoutes = {
  listConversations: {
    method: "GET",
    path: "/api/v1/conversations",
    permission: "view",
    target: inProject,
    summary: "One's conversations in a project and those shared with it, newest first.",
  },
  searchConversations: {
    method: "GET",
    path: "/api/v1/conversations/search",
    permission: "view",
    target: inProject,
    summary: "Search the text of every message one may read.",
  },
  createConversation: {
    method: "POST",
    path: "/api/v1/conversations",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Begin a conversation.",
  },
  getConversation: {
    method: "GET",
    path: "/api/v1/conversations/:conversationId",
    permission: "view",
    target,
    summary: "A conversation with its tree of messages.",
  },
  updateConversation: {
    method: "PATCH",
    path: "/api/v1/conversations/:conversationId",
    permission: "author",
    target,
    summary: "Rename, pin, archive, share, set the system prompt, show another branch.",
  },
  removeConversation: {
    method: "DELETE",
    path: "/api/v1/conversations/:conversationId",
    permission: "author",
    target,
    summary: "Move a conversation to the trash.",
  },
  restoreConversation: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/restore",
    permission: "author",
    target,
    summary: "Take a conversation back from the trash.",
  },
  sendMessage: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/messages",
    permission: "author",
    target,
    summary: "Say something and, with a model, ask for the answer.",
    errors: ["model_gone", "context_full", "idempotency_mismatch", "storage_full", "too_large"],
  },
  chooseContext: {
    method: "POST",
    path: "/api/v1/conversations/:conversationId/context",
    permission: "author",
    target,
    summary:
      "Say what of a branch is sent from now on: what comes after a message, a summary in its place, or all again. Nothing is deleted.",
    errors: ["conflict", "context_full", "model_gone", "idempotency_mismatch", "storage_full"],
  },
  estimateAnswer: {
    method: "POST",
    path: "/api/v1/projects/:projectId/answer-estimate",
    permission: "edit",
    target: { kind: "project", from: "param", name: "projectId" },
    summary:
      "What an answer will likely cost, what it can't pass and how much of the context it takes, of words that are still being typed: their length is enough.",
    errors: ["model_gone"],
  },
  answerAgain: {
    method: "POST",
    path: "/api/v1/messages/:messageId/answers",
    permission: "author",
    target: messageTarget,
    summary:
      "Another answer to a message of a person, as a branch; or the rest of an interrupted one.",
    errors: ["model_gone", "context_full", "conflict", "idempotency_mismatch"],
  },
} as const satisfies RouteTable;
