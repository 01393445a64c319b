import { z } from "zod";
import {
  costBases,
  feedback,
  id,
  messagePart,
  micros,
  modelRef,
  runStates,
  time,
} from "../entities.ts";
import { conversationFormat } from "./formats.ts";

/** A run in an export: the model by name, and the cost. */
const exportedRun = z.object({
  id,
  model: modelRef.extend({ name: z.string() }),
  task: z.string(),
  state: z.enum(runStates),
  /** In micro-dollars; null if unknown. Omitted if costs weren't requested. */
  costMicros: micros.nullable().optional(),
  costBasis: z.enum(costBases).nullable().optional(),
  inputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
});
const exportedFile = z.object({
  assetId: id,
  /** Null if the file is deleted or not visible to the exporter. */
  name: z.string().nullable(),
  mime: z.string().nullable(),
  bytes: z.int().nullable(),
  sha256: z.string().nullable(),
});
/** A part as stored, without data that only its provider can read. */
const exportedPart = messagePart;

const exportedMessage = z.object({
  id,
  /** The parent message; null for a first message. Messages with the same parent are versions. */
  parentId: id.nullable(),
  role: z.enum(["user", "assistant", "tool", "context"]),
  state: z.enum(["streaming", "complete", "interrupted"]),
  createdAt: time,
  parts: z.array(exportedPart),
  /** Only for an answer that was requested side by side with others. */
  group: z
    .object({
      id,
      column: z.int().nullable(),
      pickedAt: time.nullable(),
      mergedFrom: z.array(id).optional(),
    })
    .optional(),
  /** The runs of the answer and of its tools. */
  runs: z.array(exportedRun),
  files: z.array(exportedFile),
  /** The ratings of this answer, if any. */
  feedback: z.array(feedback).optional(),
});
const exportedHead = z.object({
  id,
  title: z.string(),
  /** The name of the conversation's owner. */
  author: z.string(),
  systemPrompt: z.string(),
  /** The last message of the current branch. */
  headMessageId: id.nullable(),
  createdAt: time,
  updatedAt: time,
});
export const conversationExport = z.object({
  format: z.literal(conversationFormat.format),
  version: z.literal(conversationFormat.version),
  program: z.string(),
  exportedAt: time,
  conversation: exportedHead,
  /** Every message, oldest first. */
  messages: z.array(exportedMessage),
});
export type ExportedRun = z.infer<typeof exportedRun>;
export type ExportedFile = z.infer<typeof exportedFile>;
export type ExportedMessage = z.infer<typeof exportedMessage>;
export type ExportedHead = z.infer<typeof exportedHead>;
