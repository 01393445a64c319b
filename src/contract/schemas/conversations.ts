import { z } from "zod";
import {
  conversation,
  id,
  idempotencyKey,
  message,
  micros,
  modelRef,
  name,
  run,
  text,
  visibility,
} from "../entities.ts";
import { exportFormats } from "../export/formats.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";
import { tagName } from "./tag-name.ts";

const conversationParam = z.object({ conversationId: id });
const cursor = z.string().max(200).optional();
/** Settings of a chat turn; the model's own schema determines which are supported. */
const chatSettings = z.record(
  z.string().max(60),
  z.union([z.string().max(10_000), z.number(), z.boolean(), z.array(z.string().max(200)).max(8)]),
);
const ask = z.strictObject({ model: modelRef, settings: chatSettings.default({}) });
const merged = z.array(id).min(2).max(limits.answersPerMessage);
/**
 * What replaces the messages up to `upTo`: nothing, a person's own summary, or a summary by a
 * model; "all" sends the messages themselves.
 */
const contextChoice = z.discriminatedUnion("sends", [
  z.strictObject({ sends: z.literal("later") }),
  z.strictObject({ sends: z.literal("all") }),
  z.strictObject({
    sends: z.literal("text"),
    text: text(limits.messageCharacters).pipe(z.string().trim().min(1, "Enter the summary.")),
  }),
  z.strictObject({ sends: z.literal("summary"), ask }),
]);
const forkedFrom = z.object({
  /** The last copied message; null once it is deleted. */
  upTo: id.nullable(),
  /** The original; null if the reader can't see it. */
  source: z.object({ conversationId: id, messageId: id, title: z.string() }).nullable(),
});
const tokens = z.int().nonnegative();
const contextUse = z.object({
  /** The tokens that the model reads; an estimate unless the provider has counted all of them. */
  inputTokens: tokens,
  isAbout: z.boolean(),
  /** The longest possible answer, and the tokens to keep free for it. */
  outputTokens: tokens,
  neededTokens: tokens,
  /** The model's context window; null if unknown. */
  contextTokens: tokens.nullable(),
  /** Files whose tokens can't be estimated. */
  uncountedFiles: z.int(),
  /** Earlier messages of the branch that are not sent. */
  leftOut: z.int(),
});
const page = z.object({
  projectId: id,
  cursor,
  limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
});

/** Only your own conversations, in a folder or with a tag of yours. */
const filed = { folderId: id.optional(), tag: tagName.optional() };

export const conversationSchemas = {
  listConversations: {
    query: page.extend({
      archived: z.enum(["true", "false"]).default("false"),
      /** Only your own in the trash, the latest first; other filters are ignored. */
      trash: z.enum(["true", "false"]).default("false"),
      ...filed,
    }),
    response: z.object({ conversations: z.array(conversation), next: z.string().nullable() }),
  },
  searchConversations: {
    query: page.extend({ q: searchedText.min(1), ...filed }),
    response: z.object({
      hits: z.array(z.object({ conversation, messageId: id, snippet: z.string() })),
    }),
  },
  createConversation: {
    body: z.strictObject({
      projectId: id,
      title: text(limits.nameCharacters).default(""),
      systemPrompt: text(limits.systemPromptCharacters).default(""),
      settings: z.record(z.string(), z.unknown()).default({}),
      /** Listed nowhere, and deleted when it is closed or 24 hours after its last message. */
      temporary: z.boolean().default(false),
      idempotencyKey: idempotencyKey.optional(),
    }),
    response: z.object({ conversation }),
  },
  getConversation: {
    params: conversationParam,
    response: z.object({
      conversation,
      /** Every message, oldest first: its ID, its parent's index in this list, and its role. */
      outline: z.array(z.tuple([id, z.int().nullable(), message.shape.role])),
      /**
       * For answers requested side by side: the index in the outline, the group, and the column in
       * it.
       */
      groups: z.array(z.tuple([z.int(), id, z.int().nullable()])),
      /** The newest 50, and all with the role "context"; oldest first. */
      messages: z.array(message),
      /** The runs of these messages. */
      runs: z.array(run),
      forkedFrom: forkedFrom.nullable(),
    }),
  },
  listMessages: {
    params: conversationParam,
    query: z.object({
      ids: z
        .string()
        .max(limits.pageSizeMost * 37)
        .transform((value) => (value === "" ? [] : value.split(",")))
        .pipe(z.array(id).max(limits.pageSizeMost))
        .optional(),
      cursor,
      limit: page.shape.limit,
    }),
    response: z.object({
      conversation,
      messages: z.array(message),
      /** The runs of these messages. */
      runs: z.array(run),
      next: z.string().nullable(),
    }),
  },
  exportConversation: {
    params: conversationParam,
    query: z.object({
      format: z.enum(exportFormats).default("page"),
      /**
       * For a page and for Markdown: the last message of the branch. By default the conversation's
       * head.
       */
      messageId: id.optional(),
      /** Whether to include the cost of each answer. */
      costs: z.enum(["true", "false"]).default("false"),
    }),
  },
  getConversationCost: {
    params: conversationParam,
    response: z.object({
      costs: z.array(
        run
          .pick({
            state: true,
            costMicros: true,
            costBasis: true,
            finishedAt: true,
            isFree: true,
            imported: true,
          })
          .extend({ runs: z.int() }),
      ),
    }),
  },
  findMessages: {
    params: conversationParam,
    query: z.object({ q: searchedText.min(1) }),
    /** At most 1,000. */
    response: z.object({ messageIds: z.array(id) }),
  },
  updateConversation: {
    params: conversationParam,
    body: z.strictObject({
      title: name.optional(),
      pinned: z.boolean().optional(),
      archived: z.boolean().optional(),
      visibility: visibility.optional(),
      systemPrompt: text(limits.systemPromptCharacters).optional(),
      settings: z.record(z.string(), z.unknown()).optional(),
      headMessageId: id.optional(),
    }),
    response: z.object({ conversation }),
  },
  removeConversation: { params: conversationParam, response: z.object({}) },
  restoreConversation: { params: conversationParam, response: z.object({ conversation }) },
  deleteConversation: { params: conversationParam, response: z.object({}) },
  sendMessage: {
    params: conversationParam,
    body: z.strictObject({
      parentId: id.nullable(),
      text: text(limits.messageCharacters),
      attachments: z.array(id).max(limits.attachmentsPerMessage).default([]),
      /** Without it the message is only saved, as for an edit without a new answer. */
      ask: ask.optional(),
      /** Instead of `ask`: several models that answer side by side, all of them or none. */
      asks: z
        .array(ask)
        .min(2)
        .max(limits.answersPerMessage)
        .refine(
          (asks) =>
            new Set(asks.map(({ model }) => JSON.stringify([model.connectionId, model.modelId])))
              .size === asks.length,
          "Choose each model once.",
        )
        .optional(),
      idempotencyKey: idempotencyKey.optional(),
    }),
    response: z.object({
      message,
      answer: message.nullable(),
      run: run.nullable(),
      /** The requested answers in the order of `asks`. The first is also `answer` and `run`. */
      answers: z.array(z.object({ answer: message, run })),
    }),
  },
  chooseContext: {
    params: conversationParam,
    body: z.strictObject({
      /**
       * The last message to leave out, usually an answer. The next message has to be a person's.
       */
      upTo: id,
      choice: contextChoice,
      /**
       * The newest "context" message that the person has seen, null for none. With it, a newer
       * choice by someone else isn't overwritten.
       */
      seen: id.nullable().optional(),
      idempotencyKey: idempotencyKey.optional(),
    }),
    response: z.object({ message, run: run.nullable() }),
  },
  estimateAnswer: {
    params: z.object({ projectId: id }),
    body: ask.extend({
      /** The conversation and message to continue from; a new conversation without them. */
      conversationId: id.optional(),
      parentId: id.nullable().default(null),
      /** Estimates a summary of the conversation up to `parentId` instead of an answer. */
      summarises: z.literal(true).optional(),
      /** Estimates a merge of these answers to `parentId` instead of a new answer. */
      merges: merged.optional(),
      /** For a new conversation: its tools and answer shape. */
      conversationSettings: z.record(z.string(), z.unknown()).default({}),
      /**
       * The size of the message being typed, with a new conversation's system prompt, in UTF-16
       * units and UTF-8 bytes.
       */
      characters: z
        .int()
        .min(0)
        .max(limits.messageCharacters * 2),
      bytes: z
        .int()
        .min(0)
        .max(limits.messageCharacters * 8),
      attachments: z.array(id).max(limits.attachmentsPerMessage).default([]),
    }),
    /**
     * `mostMicros` is the amount to reserve. Null if neither the model's price nor its ceiling
     * determines it.
     */
    response: z.object({
      likelyMicros: micros.nullable(),
      mostMicros: micros.nullable(),
      context: contextUse,
    }),
  },
  answerAgain: {
    params: z.object({ messageId: id }),
    body: ask
      .extend({
        /** The interrupted answer to continue, instead of a new one. */
        continueFrom: id.optional(),
        /** The side-by-side answer whose column the new one takes over. */
        replaces: id.optional(),
        /** Side-by-side answers to merge, instead of a new answer. */
        merges: merged.optional(),
        idempotencyKey: idempotencyKey.optional(),
      })
      .refine(
        ({ continueFrom, replaces, merges }) =>
          [continueFrom, replaces, merges].filter((one) => one !== undefined).length <= 1,
        "Give at most one of continueFrom, replaces and merges.",
      ),
    response: z.object({ answer: message, run }),
  },
  forkConversation: {
    params: z.object({ messageId: id }),
    body: z.strictObject({ idempotencyKey: idempotencyKey.optional() }),
    response: z.object({ conversation }),
  },
  removeMessage: {
    params: z.object({ messageId: id }),
    /** `removed` is the number of messages, including those that followed. */
    response: z.object({ conversation, removed: z.int() }),
  },
  restoreMessage: {
    params: conversationParam.extend({ messageId: id }),
    response: z.object({ conversation }),
  },
  getRemotePicture: {
    params: z.object({ messageId: id }),
    /** The address as it is in the message. */
    query: z.object({ url: z.string().min(1).max(4_000) }),
  },
  pickAnswer: {
    params: z.object({ messageId: id }),
    body: z.strictObject({}),
    response: z.object({ conversation, answer: message }),
  },
};
