import type { RouteTable } from "../../route.ts";

const message = { kind: "message", from: "param", name: "messageId" } as const;
/** Dictation and reading aloud in chat. Each is a run with the visibility of its conversation. */
export const voiceRoutes = {
  createDictation: {
    method: "POST",
    path: "/api/v1/projects/:projectId/dictations",
    permission: "edit",
    target: { kind: "project", from: "param", name: "projectId" },
    summary: "Transcribe a dictation: a private run of a transcription model.",
    errors: ["model_gone", "idempotency_mismatch", "storage_full", "budget_exceeded"],
  },
  listReadings: {
    method: "GET",
    path: "/api/v1/messages/:messageId/readings",
    permission: "view",
    target: message,
    summary: "List the recordings of a message that was read aloud.",
  },
  createReading: {
    method: "POST",
    path: "/api/v1/messages/:messageId/readings",
    permission: "edit",
    target: message,
    summary:
      "Read a part of a message aloud: a run of a speech model with the conversation's visibility.",
    errors: ["model_gone", "idempotency_mismatch", "storage_full", "budget_exceeded"],
  },
} as const satisfies RouteTable;
