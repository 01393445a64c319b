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
import { limits } from "../limits.ts";
import { tagName } from "./tag-name.ts";

const conversationParam = z.object({ conversationId: id });
const cursor = z.string().max(200).optional();
/** What a chat turn may set; a model's own schema says which it honours. */
const chatSettings = z.record(
  z.string().max(60),
  z.union([z.string().max(10_000), z.number(), z.boolean(), z.array(z.string().max(200)).max(8)]),
);
const ask = z.strictObject({ model: modelRef, settings: chatSettings.default({}) });
/** The answers that another one merges. */
const merged = z.array(id).min(2).max(limits.answersPerMessage);
/** What is sent instead of the messages up to `upTo`: nothing, a person's own summary, one that a model writes; or "all": they themselves. */
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
  /** The last message that was copied; null once it is deleted. */
  upTo: id.nullable(),
  /** Where it was copied; null for whom that is not there. */
  source: z.object({ conversationId: id, messageId: id, title: z.string() }).nullable(),
});
const tokens = z.int().nonnegative();
const contextUse = z.object({
  /** What is read; about, unless the provider has counted it all. */
  inputTokens: tokens,
  isAbout: z.boolean(),
  /** The longest that the answer may be, and how many tokens have to be free for it. */
  outputTokens: tokens,
  neededTokens: tokens,
  /** Of the model; null where nobody knows. */
  contextTokens: tokens.nullable(),
  /** Files that can't be counted beforehand. */
  uncountedFiles: z.int(),
  /** Earlier messages of the branch that are not sent. */
  leftOut: z.int(),
});
const page = z.object({
  projectId: id,
  cursor,
  limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
});

/** Of your own: those in a folder of yours, those with a tag of yours. */
const filed = { folderId: id.optional(), tag: tagName.optional() };

export const conversationSchemas = {
  listConversations: {
    query: page.extend({
      archived: z.enum(["true", "false"]).default("false"),
      /** Only your own in the trash, the last one first; the other filters don't count. */
      trash: z.enum(["true", "false"]).default("false"),
      ...filed,
    }),
    response: z.object({ conversations: z.array(conversation), next: z.string().nullable() }),
  },
  searchConversations: {
    query: page.extend({ q: z.string().min(1).max(200), ...filed }),
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
      /** In no list, and deleted when it is closed or 24 hours after its last message. */
      temporary: z.boolean().default(false),
      idempotencyKey: idempotencyKey.optional(),
    }),
    response: z.object({ conversation }),
  },
  getConversation: {
    params: conversationParam,
    response: z.object({
      conversation,
      /** Every message, oldest first: its ID, the place of its parent in this list, and its role. */
      outline: z.array(z.tuple([id, z.int().nullable(), message.shape.role])),
      /** Of the answers that were requested side by side: the place in the outline, the group, and the column in it. */
      groups: z.array(z.tuple([z.int(), id, z.int().nullable()])),
      /** The newest 50, and each of the role "context"; oldest first. */
      messages: z.array(message),
      /** Of these messages. */
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
      /** Of these messages. */
      runs: z.array(run),
      next: z.string().nullable(),
    }),
  },
  exportConversation: {
    params: conversationParam,
    query: z.object({
      format: z.enum(exportFormats).default("page"),
      /** Of a page and of Markdown: the message that their branch ends with. The conversation's head without it. */
      messageId: id.optional(),
      /** Whether it says what each answer cost. */
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
    query: z.object({ q: z.string().min(1).max(200) }),
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
      /** Without it the message is only kept: an edit saved without asking. */
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
      /** Each answer that was requested, in the order of `asks`. The first is `answer` and `run` too. */
      answers: z.array(z.object({ answer: message, run })),
    }),
  },
  chooseContext: {
    params: conversationParam,
    body: z.strictObject({
      /** The last message that is left out: an answer, mostly. What comes after it begins with a message of a person. */
      upTo: id,
      choice: contextChoice,
      /** The newest "context" message that the person has seen, null for none: with it, another one's choice is not passed over. */
      seen: id.nullable().optional(),
      idempotencyKey: idempotencyKey.optional(),
    }),
    response: z.object({ message, run: run.nullable() }),
  },
  estimateAnswer: {
    params: z.object({ projectId: id }),
    body: ask.extend({
      /** Where it is asked and after which message; without them a new conversation. */
      conversationId: id.optional(),
      parentId: id.nullable().default(null),
      /** Not an answer, but a summary of the conversation up to `parentId`. */
      summarises: z.literal(true).optional(),
      /** Not a new answer, but one that merges these answers to `parentId`. */
      merges: merged.optional(),
      /** Of a new conversation: its tools and the shape of its answers, as they are set in it. */
      conversationSettings: z.record(z.string(), z.unknown()).default({}),
      /** Of what is being typed, with a new conversation's system prompt: UTF-16 units and UTF-8 bytes. */
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
    /** `mostMicros` is what will be reserved. Null where neither the model's price nor its ceiling tells. */
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
        /** The answer whose column the new one takes over, of several side by side. */
        replaces: id.optional(),
        /** Instead of a new answer: one that merges these, of several side by side. */
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
    /** `removed`: how many messages, with those that followed. */
    response: z.object({ conversation, removed: z.int() }),
  },
  restoreMessage: {
    params: conversationParam.extend({ messageId: id }),
    response: z.object({ conversation }),
  },
  getRemotePicture: {
    params: z.object({ messageId: id }),
    /** As the message has it. */
    query: z.object({ url: z.string().min(1).max(4_000) }),
  },
  pickAnswer: {
    params: z.object({ messageId: id }),
    body: z.strictObject({}),
    response: z.object({ conversation, answer: message }),
  },
};
