import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModelV4ProviderTool } from "@ai-sdk/provider";
import { sentences } from "#contract/sentences/index.ts";
import { isSearchedFor, searchedName } from "#domain/text/searched-files.ts";
import {
  type AnswerPart,
  type CallContext,
  type ChatPart,
  type ChatTurn,
  type InputFile,
  ProviderError,
  type RunContext,
  type RunRequest,
  type ToolRecord,
} from "../../adapter.ts";
import { forgottenBy, isId, leftBefore } from "../../ai-sdk/left-at-provider.ts";
import { outputParts } from "../../ai-sdk/ran-code.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { createServiceApi, jsonBody } from "../../wire/service-api.ts";
import { recordsOf } from "../../wire/values.ts";
import { classify } from "../openai-compatible/errors.ts";

/**
 * Searches a conversation's documents (https://platform.openai.com/docs/guides/tools-file-search).
 * Each is uploaded once, into a vector store that later questions reuse. Files and store are
 * created with an expiry, so a server that crashes leaves nothing behind that has to be cleaned up.
 */
type Store = {
  id: string;
  /** OpenAI's file ids by asset id. */
  files: Record<string, string>;
  /** Asset ids of documents that OpenAI can't read. */
  unread: string[];
  expiresAt: number;
};

export type FileSearch = {
  /** The turns, with documents replaced by their names. */
  turns: ChatTurn[];
  /** Undefined if no document can be searched. */
  tool: LanguageModelV4ProviderTool | undefined;
  /** Present only if the store was created for this answer. */
  record: ToolRecord | undefined;
  found(result: unknown): AnswerPart[];
  cited(fileId: unknown): AnswerPart[];
  /** Marks an error that means the reused store is gone. */
  toError(error: unknown): unknown;
};

const lifetimeSeconds = 24 * 60 * 60;
/** A store that expires sooner isn't reused. */
const marginMs = 60 * 60_000;
/**
 * OpenAI's limits for a file (https://platform.openai.com/docs/api-reference/files/create) and for
 * a new store.
 */
const most = { bytes: 512 * 1024 ** 2, documents: 500 };
const uploadsAtOnce = 4;
const maxReadMs = 10 * 60_000;
const pauseMs = { first: 250, most: 4_000 };

const api = createServiceApi({
  name: "OpenAI",
  sign: (key) => ({ authorization: `Bearer ${key}` }),
  classify,
});

type IsSearched = ReturnType<typeof isSearchedFor>;

/**
 * Prepares the file search of a request, or returns undefined if file search is off or there are no
 * documents.
 * @throws ProviderError, always with "no", because no paid request has been sent yet
 */
export async function openFileSearch(
  request: RunRequest,
  context: RunContext,
): Promise<FileSearch | undefined> {
  const isSearched = isSearchedFor(request.model, request.input);
  const given = documentsIn(request.turns, isSearched);
  if (given.length === 0) return undefined;
  const documents = withinLimits(given, context);
  const { store, isKnown } =
    documents.length === 0
      ? { store: undefined, isKnown: false }
      : await findStore(documents, request, context);
  const byId = new Map(documents.map((document) => [document.assetId, document]));
  const byFileId = new Map(
    Object.entries(store?.files ?? {}).map(([assetId, fileId]) => [fileId, byId.get(assetId)]),
  );
  const cited = new Set<string>();
  return {
    turns: request.turns.map((turn) =>
      named(turn, isSearched, (id) =>
        !byId.has(id) ? "left out" : store?.unread.includes(id) ? "which could not be read" : null,
      ),
    ),
    tool: store && {
      type: "provider",
      id: "openai.file_search",
      name: "file_search",
      args: { vectorStoreIds: [store.id] },
    },
    record: store && !isKnown ? { type: "tool-record", data: { store } } : undefined,
    found: (result) => readFound(result, byFileId),
    cited(fileId) {
      const document = byFileId.get(String(fileId));
      if (!document || cited.has(document.assetId)) return [];
      cited.add(document.assetId);
      const { assetId, name } = document;
      return [{ type: "source", title: name, document: name, assetId }];
    },
    toError: (error) => (isKnown ? forgottenBy(error, isStoreGone) : error),
  };
}

/** Documents in the person's messages, without duplicates, oldest first. */
function documentsIn(turns: readonly ChatTurn[], isSearched: IsSearched): InputFile[] {
  const documents = new Map<string, InputFile>();
  for (const { role, parts } of turns)
    for (const part of parts)
      if (role === "user" && part.type === "file" && isSearched(part.file))
        documents.set(part.file.assetId, part.file);
  return [...documents.values()];
}

function withinLimits(documents: readonly InputFile[], context: RunContext): InputFile[] {
  const warn = (message: string) =>
    context.warn({ type: "unsupported", feature: "fileSearch", message });
  const small = documents.filter(({ bytes, name }) => {
    const isSmall = bytes <= most.bytes;
    if (!isSmall) warn(sentences.files.over512MB({ file: name }));
    return isSmall;
  });
  const left = small.length - most.documents;
  if (left > 0) warn(sentences.files.tooManySearched({ most: most.documents, left }));
  return small.slice(-most.documents);
}

/** Replaces documents by their names. */
const named = (
  turn: ChatTurn,
  isSearched: IsSearched,
  whyNot: (assetId: string) => string | null,
): ChatTurn =>
  turn.role !== "user"
    ? turn
    : {
        ...turn,
        parts: turn.parts.map((part): ChatPart => {
          if (part.type !== "file" || !isSearched(part.file)) return part;
          const { assetId, name } = part.file;
          const how = whyNot(assetId) ?? "to be searched with file_search";
          return { type: "text", text: `[${name}, ${how}]` };
        }),
      };

/**
 * Reuses the branch's store if it has the same documents, or creates one from existing and new
 * copies.
 */
async function findStore(
  documents: readonly InputFile[],
  request: RunRequest,
  context: RunContext,
): Promise<{ store: Store; isKnown: boolean }> {
  const known = storeIn(request, context.clock.now() + marginMs);
  if (known && isOf(known, documents)) {
    for (const { assetId, name } of documents)
      if (known.unread.includes(assetId)) warnUnsearchable(context, name, "");
    return { store: known, isKnown: true };
  }
  const there = known && documents.some(({ assetId }) => assetId in known.files) ? known : null;
  if (there) {
    const store = await makeStore(documents, there, context).catch((error: unknown) => {
      // The copies are gone early or belong to another key: upload everything again.
      if (error instanceof ProviderError && [400, 404].includes(error.detail.httpStatus ?? 0))
        return undefined;
      throw error;
    });
    if (store) return { store, isKnown: false };
  }
  return { store: (await makeStore(documents, null, context))!, isKnown: false };
}

function storeIn({ turns }: Pick<RunRequest, "turns">, until: number): Store | undefined {
  const { id, files, unread, expiresAt } = leftBefore(turns, "store", until) ?? {};
  if (!isId(id) || !isRecord(files) || !Array.isArray(unread)) return undefined;
  const ids = Object.entries(files).filter((entry): entry is [string, string] => isId(entry[1]));
  return {
    id,
    files: Object.fromEntries(ids),
    unread: unread.map(String),
    expiresAt: Number(expiresAt),
  };
}

/** Checks that the store has exactly these documents: removed ones must not be searched. */
function isOf({ files, unread }: Store, documents: readonly InputFile[]): boolean {
  const inside = new Set([...Object.keys(files), ...unread]);
  return inside.size === documents.length && documents.every(({ assetId }) => inside.has(assetId));
}

/**
 * Creates a store with the documents, uploading those that `known` has no copy of.
 * @returns undefined if a copy that `known` could read is gone
 */
async function makeStore(
  documents: readonly InputFile[],
  known: Store | null,
  context: RunContext,
): Promise<Store | undefined> {
  const expiresAt = context.clock.now() + lifetimeSeconds * 1_000;
  const isThere = ({ assetId }: InputFile) => known !== null && assetId in known.files;
  const uploaded = await uploadAll(
    documents.filter((document) => !isThere(document)),
    context,
  );
  const ids = new Map(
    documents.map(({ assetId }) => [assetId, uploaded.get(assetId) ?? known?.files[assetId] ?? ""]),
  );
  const begun = await api.callObject(context, "/vector_stores", {
    method: "POST",
    isFree: true,
    ...jsonBody({
      name: "Bottega",
      file_ids: [...ids.values()],
      expires_after: { anchor: "last_active_at", days: 1 },
    }),
  });
  const { id, file_counts: counts } = await untilRead(begun, context);
  if (!isId(id)) throw api.unexpected({});
  const failed =
    isRecord(counts) && Number(counts.failed) > 0 ? await failedIn(id, context) : new Map();
  const files: Record<string, string> = {};
  const unread: string[] = [];
  for (const document of documents) {
    const { assetId, name } = document;
    const fileId = ids.get(assetId)!;
    const failure: { code: string; message: string } | undefined = failed.get(fileId);
    if (!failure) files[assetId] = fileId;
    else if (isThere(document)) return undefined;
    else {
      warnUnsearchable(context, name, failure.message);
      // A transient failure is tried again with the next question.
      if (failure.code !== "server_error") unread.push(assetId);
    }
  }
  if (Object.keys(files).length === 0)
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.files.noneSearchable,
    });
  return { id, files, unread, expiresAt: Math.min(expiresAt, known?.expiresAt ?? expiresAt) };
}

/**
 * Uploads the documents.
 * @returns OpenAI's file ids by asset id
 */
async function uploadAll(
  documents: readonly InputFile[],
  context: CallContext,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const stop = new AbortController();
  const calls = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
  const waiting = documents.values();
  const work = async (): Promise<void> => {
    for (const document of waiting) {
      calls.signal.throwIfAborted();
      ids.set(document.assetId, await upload(document, calls));
    }
  };
  let failure: { error: unknown } | null = null;
  await Promise.all(
    Array.from({ length: uploadsAtOnce }, () =>
      work().catch((error: unknown) => {
        failure ??= { error };
        stop.abort(error);
      }),
    ),
  );
  if (failure) throw (failure as { error: unknown }).error;
  return ids;
}

async function upload(document: InputFile, context: CallContext): Promise<string> {
  const { id } = await api.callObject(context, "/files", {
    method: "POST",
    isFree: true,
    ...createMultipart([
      ["purpose", "assistants"],
      ["expires_after[anchor]", "created_at"],
      ["expires_after[seconds]", String(lifetimeSeconds)],
      ["file", { ...document, name: searchedName(document) }],
    ]),
  });
  if (!isId(id)) throw api.unexpected({});
  return id;
}

/** Waits until OpenAI has indexed the whole store. */
async function untilRead(
  begun: Record<string, unknown>,
  context: CallContext,
): Promise<Record<string, unknown>> {
  let store = begun;
  let waitedMs = 0;
  let pause = pauseMs.first;
  while (store.status === "in_progress" && isId(store.id)) {
    if (waitedMs >= maxReadMs)
      throw new ProviderError("provider_invalid_input", "no", {
        message: sentences.files.notReadInTime({ minutes: maxReadMs / 60_000 }),
      });
    await sleep(pause, undefined, { signal: context.signal }).catch(() => {
      throw context.signal.reason;
    });
    waitedMs += pause;
    pause = Math.min(pause * 2, pauseMs.most);
    store = await api.callObject(context, `/vector_stores/${store.id}`);
  }
  if (store.status !== "completed") throw api.unexpected({});
  return store;
}

async function failedIn(storeId: string, context: CallContext) {
  const failed = new Map<string, { code: string; message: string }>();
  for (let after = ""; ; ) {
    const path = `/vector_stores/${storeId}/files?filter=failed&limit=100${after}`;
    const { data, has_more: hasMore } = await api.callObject(context, path);
    const rows = recordsOf(data);
    for (const { id, last_error: error } of rows) {
      const { code, message } = isRecord(error) ? error : {};
      failed.set(String(id), { code: String(code ?? ""), message: String(message ?? "") });
    }
    const last = rows.at(-1)?.id;
    if (hasMore !== true || !isId(last) || failed.size >= most.documents) return failed;
    after = `&after=${last}`;
  }
}

const reasonCharacters = 200;
const warnUnsearchable = (context: RunContext, file: string, reason: string): void =>
  context.warn({
    type: "unsupported",
    feature: "fileSearch",
    message: sentences.files.notSearchable({ file, reason: reason.slice(0, reasonCharacters) }),
  });

/** Returns the queries and the passages found, which are shown with the reasoning. */
function readFound(
  result: unknown,
  documents: ReadonlyMap<string, InputFile | undefined>,
): AnswerPart[] {
  const { queries, results } = isRecord(result) ? result : {};
  const asked = Array.isArray(queries) ? queries.map((query) => `“${String(query)}”`) : [];
  const passages = recordsOf(results).map(({ fileId, filename, text }) => {
    const name = documents.get(String(fileId))?.name ?? String(filename ?? "");
    return `${name}:\n${String(text ?? "").trim()}`;
  });
  const statusText = sentences.answers.searchedFor({ queries: asked.join(", ") });
  return [
    ...(asked.length > 0 ? [{ type: "reasoning" as const, text: `\n\n${statusText}\n\n` }] : []),
    ...outputParts(passages.join("\n\n"), null),
  ];
}

/** Recognizes that the store expired, was deleted, or belongs to another project than the key. */
const isStoreGone = ({ detail }: ProviderError): boolean =>
  [400, 404].includes(detail.httpStatus ?? 0) &&
  /vector[ _]?store|\bvs_/i.test(detail.providerMessage ?? "");
