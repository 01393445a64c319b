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
 * The format of a project archive: project.json, one JSON Lines file per table, files/<SHA-256>,
 * and manifest.json at the end. An import trusts only data that these schemas accept.
 */

const formatName = "bottega-project-";
const formatVersion = 1;
/** Incremented with each change that older versions can't read. */
export const archiveFormat = `${formatName}${formatVersion}`;

/** Whether an archive has this version's format, a newer one, or isn't a Bottega archive. */
export function whichFormat(format: string): "ours" | "newer" | "foreign" {
  if (!format.startsWith(formatName)) return "foreign";
  const version = Number(format.slice(formatName.length));
  if (version === formatVersion) return "ours";
  return Number.isSafeInteger(version) && version > formatVersion ? "newer" : "foreign";
}

/** In this order, most references lead to an earlier table. */
export const archiveTables = ["conversations", "messages", "runs", "assets"] as const;
export type ArchiveTable = (typeof archiveTables)[number];

/** Characters that databases can't store have already been replaced (domain/clean-json.ts). */
const text = (most: number) => z.string().max(most);
/** Ids are lowercase UUIDv7, whose first 48 bits are a time in ms. */
const archivedId = id.regex(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const json = z.record(z.string(), z.unknown());
/** The end of the year 9999, the latest date that can be formatted. */
const moment = time.max(253_402_300_799_999);
const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** As reported by the provider, possibly fractional. */
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
  // Missing in archives made before conversations could be forked, like a message's `copyOf`.
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
  // Missing in archives made before answers could be requested side by side.
  askGroup: archivedId.nullable().default(null),
  askColumn: count.nullable().default(null),
  pickedAt: moment.nullable().default(null),
  mergedFrom: z.array(archivedId).max(limits.answersPerMessage).nullable().default(null),
  /** The exporter's own rating of an answer. Other people's ratings aren't exported. */
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

/** Ended runs only, because another instance can't follow active ones. */
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
  /** By name. Missing in older archives. */
  tags: z.array(tagName).max(limits.tagsPerAsset).default([]),
  /**
   * The asset's manual collections, with its position in each. Saved searches refer to people and
   * connections of their instance and aren't exported.
   */
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
  /** Files that were lost before the export. */
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
