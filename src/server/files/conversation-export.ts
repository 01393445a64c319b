import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "hono";
import type { Asset, Conversation, Message, Run } from "#contract/entities.ts";
import type {
  ExportedFile,
  ExportedHead,
  ExportedMessage,
  ExportedRun,
} from "#contract/export/conversation.ts";
import { conversationFormat } from "#contract/export/formats.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { headToMarkdown, messagesToMarkdown } from "#domain/conversation/conversation-markdown.ts";
import { pageEnd, pageStart } from "#domain/conversation/conversation-page.ts";
import type { ExportPaths, ExportStyle } from "#domain/conversation/export-words.ts";
import { contentDisposition, safeFileName } from "#domain/files/file-headers.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import { withFeedback } from "#store/content/chats/feedback.ts";
import { getMessagesByIds } from "#store/content/message-pages.ts";
import { getModel } from "#store/models/models.ts";
import { getUser } from "#store/people/people.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import type { ServerDeps } from "../deps.ts";
import type { Env } from "../env.ts";
import { createNames } from "./unique-names.ts";
import { addFile, answerZip, type ZipWriter } from "./zip-writer.ts";

type Deps = Pick<
  ServerDeps,
  "store" | "blobs" | "clock" | "log" | "lists" | "version" | "renderPage"
>;
/** Messages per query: the longest have some MB of text. */
const messagesAtOnce = 20;

export type ConversationAsk = {
  conversation: Conversation;
  /** The requester, who sees no private files of other people. */
  userId: string;
  timeZone: string;
  format: "page" | "md" | "json";
  /** The last message of the branch; by default the conversation's head. */
  messageId: string | undefined;
  costs: boolean;
};

/** Streams a conversation as a file, with a few messages in memory at a time. */
export async function answerConversation(
  c: Context<Env>,
  deps: Deps,
  ask: ConversationAsk,
): Promise<Response> {
  const { conversation, format } = ask;
  const author = (await getUser(deps.store.read, conversation.userId))?.name ?? "";
  const style = { author, timeZone: ask.timeZone, costs: ask.costs };
  const head: ExportedHead = {
    id: conversation.id,
    title: conversation.title,
    author,
    systemPrompt: conversation.systemPrompt,
    headMessageId: conversation.headMessageId,
    createdAt: conversation.createdAt,
    updatedAt: conversation.updatedAt,
  };
  const outline = await readTree(deps, conversation.id);
  const ids =
    format === "json"
      ? outline.map(({ id }) => id)
      : branchIds(outline, ask.messageId ?? conversation.headMessageId);
  const name = conversation.title || sentences.exports.untitled;
  const read = (): AsyncGenerator<ExportedMessage[]> => readMessages(deps, ask, ids);
  if (format === "page")
    return answerZip(
      c,
      safeFileName(name, "application/zip"),
      deps.clock.now(),
      (zip) => writePage(deps, zip, head, style, read),
      (error) =>
        deps.log.warn(
          { conversationId: conversation.id, error: String(error) },
          "an export was cut off",
        ),
    );
  const text = format === "md" ? toMarkdown(deps, head, style, read) : toJson(deps, head, read);
  const mime = format === "md" ? "text/markdown" : "application/json";
  return c.body(Readable.toWeb(Readable.from(text)) as ReadableStream, 200, {
    "content-type": format === "md" ? `${mime}; charset=utf-8` : mime,
    "content-disposition": contentDisposition("attachment", safeFileName(name, mime)),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
}

type Node = { id: string; parent: Node | undefined; role: Message["role"] };

async function readTree({ lists }: Deps, conversationId: string): Promise<Node[]> {
  const { outline } = JSON.parse(await lists.readOutline(conversationId)) as Pick<
    RouteOutput<"getConversation">,
    "outline"
  >;
  const nodes: Node[] = outline.map(([id, , role]) => ({ id, role, parent: undefined }));
  outline.forEach(([, parent], index) => {
    if (parent !== null) nodes[index]!.parent = nodes[parent];
  });
  return nodes;
}

/** Returns the branch up to this message, oldest first. */
function branchIds(nodes: readonly Node[], messageId: string | null): string[] {
  const ids: string[] = [];
  for (
    let node = nodes.find(({ id }) => id === messageId);
    node && ids.length < nodes.length;
    node = node.parent
  )
    ids.push(node.id);
  return ids.reverse();
}

/** Reads the messages in order, a few at a time. Messages deleted meanwhile are left out. */
async function* readMessages(
  { store }: Deps,
  { conversation, userId, costs }: ConversationAsk,
  ids: readonly string[],
): AsyncGenerator<ExportedMessage[]> {
  const names = new Map<string, string>();
  const nameOf = async ({ connectionId, modelId, imported }: Run): Promise<string> => {
    if (imported) return imported.modelName;
    const key = `${connectionId} ${modelId}`;
    const name =
      names.get(key) ?? (await getModel(store.read, connectionId, modelId))?.name ?? modelId;
    names.set(key, name);
    return name;
  };
  for (let from = 0; from < ids.length; from += messagesAtOnce) {
    const wanted = ids.slice(from, from + messagesAtOnce);
    const found = await withFeedback(
      store.read,
      await getMessagesByIds(store.read, conversation.id, wanted),
    );
    const byId = new Map(found.map((message) => [message.id, message]));
    const messages = wanted.flatMap((id) => byId.get(id) ?? []);
    const runs = await getRunsByIds(store.read, messages.flatMap(runIdsOf));
    const assets = await getAssetsIn(
      store.read,
      conversation.projectId,
      userId,
      messages.flatMap(assetIdsOf),
    );
    const runById = new Map<string, ExportedRun>();
    for (const run of runs) runById.set(run.id, toRun(run, await nameOf(run), costs));
    const assetById = new Map(assets.map((asset) => [asset.id, asset]));
    yield messages.map((message) => toMessage(message, runById, assetById));
    // node:sqlite answers synchronously: awaiting it alone lets no other work run.
    await nextTurn();
  }
}

const runIdsOf = ({ runId, parts }: Message): string[] =>
  [runId, ...parts.map((part) => (part.type === "tool-result" ? part.runId : null))].filter(
    (id) => id !== null,
  );
const assetIdsOf = ({ parts }: Message): string[] =>
  parts.flatMap((part) =>
    part.type === "file" ? [part.assetId] : part.type === "tool-result" ? part.assetIds : [],
  );

function toRun(run: Run, name: string, costs: boolean): ExportedRun {
  const { costMicros, costBasis } = run.imported ?? run;
  const count = (key: string): number | null => {
    const value = run.usage?.[key];
    return typeof value === "number" && Number.isInteger(value) ? value : null;
  };
  return {
    id: run.id,
    model: { connectionId: run.connectionId, modelId: run.modelId, name },
    task: run.task,
    state: run.state,
    ...(costs && { costMicros, costBasis }),
    inputTokens: count("inputTokens"),
    outputTokens: count("outputTokens"),
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
  };
}

function toMessage(
  message: Message,
  runs: ReadonlyMap<string, ExportedRun>,
  assets: ReadonlyMap<string, Asset>,
): ExportedMessage {
  const { id, parentId, role, state, createdAt, group, feedback } = message;
  return {
    id,
    parentId,
    role,
    state,
    createdAt,
    // Signed reasoning and containers are meant only for their provider. The reasoning's text says
    // what was run.
    parts: message.parts
      .filter(({ type }) => type !== "tool-record")
      .map((part) =>
        part.type === "reasoning" || part.type === "tool-call"
          ? { ...part, providerMetadata: undefined }
          : part,
      ),
    ...(group && { group }),
    runs: runIdsOf(message).flatMap((runId) => runs.get(runId) ?? []),
    files: assetIdsOf(message).map((assetId) => toFile(assetId, assets.get(assetId))),
    ...(feedback && { feedback }),
  };
}

const toFile = (assetId: string, asset: Asset | undefined): ExportedFile => ({
  assetId,
  name: asset ? safeFileName(asset.title, asset.mime) : null,
  mime: asset?.mime ?? null,
  bytes: asset?.bytes ?? null,
  sha256: asset?.sha256 ?? null,
});

type MessageReader = () => AsyncGenerator<ExportedMessage[]>;

async function* toMarkdown(
  { clock }: Deps,
  head: ExportedHead,
  style: ExportStyle,
  read: MessageReader,
): AsyncGenerator<Buffer> {
  yield Buffer.from(headToMarkdown(head, style, clock.now()));
  for await (const messages of read()) yield Buffer.from(messagesToMarkdown(messages, style));
}

async function* toJson(
  { clock, version }: Deps,
  conversation: ExportedHead,
  read: MessageReader,
): AsyncGenerator<Buffer> {
  const head = {
    ...conversationFormat,
    program: `Bottega ${version}`,
    exportedAt: clock.now(),
    conversation,
  };
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"messages":[`);
  let separator = "\n";
  for await (const messages of read())
    for (const message of messages) {
      yield Buffer.from(`${separator}${JSON.stringify(message)}`);
      separator = ",\n";
    }
  yield Buffer.from("\n]}\n");
}

/**
 * Writes a page with its files. The files are written first, so that the page can say which ones
 * the storage no longer has. The messages are read twice, so that none has to stay in memory.
 */
async function writePage(
  deps: Deps,
  zip: ZipWriter,
  head: ExportedHead,
  style: ExportStyle,
  read: MessageReader,
): Promise<void> {
  const paths = new Map<string, string | null>();
  const nameOf = createNames();
  for await (const messages of read())
    for (const file of messages.flatMap(({ files }) => files)) {
      if (file.name === null || paths.has(file.assetId)) continue;
      const path = `files/${nameOf(file.name)}`;
      const stored = { sha256: file.sha256!, bytes: file.bytes! };
      // Only text is worth compressing.
      const compress = file.mime?.startsWith("text/") ?? false;
      const isAdded = await addFile(deps.blobs, zip, path, stored, { compress });
      paths.set(file.assetId, isAdded ? path : null);
    }
  const pathsOf = (messages: readonly ExportedMessage[]): ExportPaths =>
    Object.fromEntries(
      messages
        .flatMap(({ files }) => files)
        .map(({ assetId }) => [assetId, paths.get(assetId) ?? null]),
    );
  async function* page(): AsyncGenerator<Buffer> {
    yield Buffer.from(pageStart(head, style, deps.clock.now()));
    for await (const messages of read())
      yield Buffer.from(await deps.renderPage({ messages, style, paths: pathsOf(messages) }));
    yield Buffer.from(pageEnd);
  }
  await zip.add("index.html", page(), { compress: true });
  zip.end();
}
