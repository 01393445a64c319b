import { z } from "zod";
import {
  assetKinds,
  costBases,
  feedback,
  id,
  message,
  messagePart,
  picks,
  task,
  time,
} from "./entities.ts";
import { errors } from "./errors.ts";
import { limits } from "./limits.ts";
import { tagName } from "./schemas/tag-name.ts";

/**
 * What an archive of a project holds: project.json, a table each as lines of JSON, files/<SHA-256>, and manifest.json at the
 * end. An import trusts only what these schemas accept.
 */

const formatName = "bottega-project-";
const formatVersion = 1;
/** Raised with each change that a reader of the one before would not understand. */
export const archiveFormat = `${formatName}${formatVersion}`;

/** Whose archive it is: of this program's time, of a later one, or nobody's. */
export function whichFormat(format: string): "ours" | "newer" | "foreign" {
  if (!format.startsWith(formatName)) return "foreign";
  const version = Number(format.slice(formatName.length));
  if (version === formatVersion) return "ours";
  return Number.isSafeInteger(version) && version > formatVersion ? "newer" : "foreign";
}

/** In this order: what a table points at is mostly in one before it. */
export const archiveTables = ["conversations", "messages", "runs", "assets"] as const;
export type ArchiveTable = (typeof archiveTables)[number];

/** What no database keeps is out of it already (domain/clean-json.ts). */
const text = (most: number) => z.string().max(most);
/** Ids of ours are UUIDv7 in lower case: their first 48 bits are a time, in ms. */
const archivedId = id.regex(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const json = z.record(z.string(), z.unknown());
/** A year that dates can be written of. */
const moment = time.max(253_402_300_799_999);
const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** As reported by the provider, possibly incomplete. */
const size = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER).transform(Math.round);
const money = z.int().min(-limits.budgetMicrosMost).max(limits.budgetMicrosMost);
const orderKey = z
  .string()
  .regex(/^[0-9A-Za-z]*[1-9A-Za-z]$/)
  .max(limits.orderKeyCharacters);
const person = text(limits.nameCharacters * 2);

export const archivedProject = z.object({
  name: text(limits.nameCharacters),
  description: text(2_000),
  instructions: text(limits.systemPromptCharacters),
  defaults: json,
  createdAt: moment,
});

const archivedConversation = z.object({
  id: archivedId,
  title: text(limits.nameCharacters),
  systemPrompt: text(limits.systemPromptCharacters),
  settings: json,
  isPrivate: z.boolean(),
  isPinned: z.boolean(),
  archivedAt: moment.nullable(),
  headMessageId: archivedId.nullable(),
  // Archives from before conversations could be forked have neither this nor a message's `copyOf`.
  forkedFrom: archivedId.nullable().default(null),
  person,
  createdAt: moment,
  updatedAt: moment,
});

const archivedMessage = z.object({
  id: archivedId,
  conversationId: archivedId,
  parentId: archivedId.nullable(),
  role: message.shape.role,
  state: message.shape.state.exclude(["streaming"]),
  parts: z.array(messagePart).max(1_000),
  runId: archivedId.nullable(),
  copyOf: archivedId.nullable().default(null),
  continuesId: archivedId.nullable(),
  // Archives from before answers came side by side have none of these.
  askGroup: archivedId.nullable().default(null),
  askColumn: count.nullable().default(null),
  pickedAt: moment.nullable().default(null),
  mergedFrom: z.array(archivedId).max(limits.answersPerMessage).nullable().default(null),
  /** The exporter's own rating of an answer. Those of others are theirs, and stay. */
  feedback: feedback
    .pick({ value: true, reasons: true })
    .extend({ text: text(limits.feedbackCharacters), at: moment })
    .nullable()
    .default(null),
  createdAt: moment,
});

const attempt = z.object({
  number: count,
  state: z.enum(["committed", "accepted", "refused", "lost", "ended"]),
  httpStatus: z.int().nullable(),
  sentAt: moment.nullable(),
  endedAt: moment.nullable(),
});
const price = z.object({
  unit: text(100),
  micros: z.string().regex(/^\d{1,18}(\.\d{1,30})?$/),
  tiers: z
    .array(
      z.object({ fromInputTokens: count, micros: z.string().regex(/^\d{1,18}(\.\d{1,30})?$/) }),
    )
    .max(20)
    .optional(),
  source: text(200),
  at: moment,
});

/** Runs that have ended: what is under way somewhere else can't be followed from here. */
const archivedRun = z.object({
  id: archivedId,
  task,
  state: z.enum(["succeeded", "failed", "cancelled"]),
  model: z.object({
    id: text(400).pipe(z.string().min(1)),
    name: text(400),
    kind: z.string().max(100).nullable(),
    connection: archivedId,
  }),
  input: json,
  result: json.nullable(),
  usage: json.nullable(),
  prices: z.array(price).max(50),
  costMicros: money.nullable(),
  costBasis: z.enum(costBases).nullable(),
  warnings: z
    .array(z.object({ type: text(100), feature: text(1_000), message: text(10_000) }))
    .max(1_000),
  error: z
    .enum(Object.keys(errors) as [keyof typeof errors, ...(keyof typeof errors)[]])
    .nullable(),
  messageId: archivedId.nullable(),
  retryOf: archivedId.nullable(),
  remixOf: archivedId.nullable(),
  expansion: z
    .object({
      template: text(limits.promptCharacters),
      values: z.array(text(limits.promptCharacters)).max(limits.promptPlaces),
      index: count,
      count,
    })
    .nullable()
    .default(null),
  isPrivate: z.boolean(),
  person,
  createdAt: moment,
  startedAt: moment.nullable(),
  finishedAt: moment.nullable(),
  inputs: z.array(z.object({ assetId: archivedId, role: text(1_000) })).max(1_000),
  attempts: z.array(attempt).max(100),
  books: z.partialRecord(z.enum(["hold", "release", "spend", "overage", "adjust"]), money),
});

const archivedAsset = z.object({
  id: archivedId,
  runId: archivedId.nullable(),
  outputIndex: count.nullable(),
  sha256,
  kind: z.enum(assetKinds),
  mime: z.string().max(200),
  bytes: count,
  width: size.nullable(),
  height: size.nullable(),
  durationMs: size.nullable(),
  title: text(limits.nameCharacters),
  promptText: text(limits.jsonBodyBytes),
  pick: z.enum(picks),
  rating: z.int().min(0).max(5),
  /** By name. An older archive has none. */
  tags: z.array(tagName).max(limits.tagsPerAsset).default([]),
  /** The manual collections that it is in, with its place in each. A saved search names people and connections of one place, and stays. */
  collections: z
    .array(
      z.object({
        id: archivedId,
        name: text(limits.nameCharacters),
        orderKey,
        isCover: z.boolean(),
      }),
    )
    .max(limits.collectionsPerProject)
    .default([]),
  isPrivate: z.boolean(),
  person,
  createdAt: moment,
});

export const archiveManifest = z.object({
  format: z.string(),
  program: z.string().max(200),
  exportedAt: moment,
  project: z.object({ sha256 }),
  tables: z
    .array(z.object({ name: z.enum(archiveTables), rows: count, sha256 }))
    .refine((tables) => tables.map(({ name }) => name).join() === archiveTables.join()),
  files: z.object({ count, bytes: count }),
  /** Lost before it was exported. */
  missing: z.array(sha256),
});

export const archiveSchemas = {
  conversations: archivedConversation,
  messages: archivedMessage,
  runs: archivedRun,
  assets: archivedAsset,
} as const satisfies Record<ArchiveTable, z.ZodType>;
export type ArchiveRows = { [T in ArchiveTable]: z.infer<(typeof archiveSchemas)[T]> };
export type ArchivedProject = z.infer<typeof archivedProject>;
export type ArchiveManifest = z.infer<typeof archiveManifest>;
