import type { ArchiveRows } from "#contract/archive.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { hasCycle } from "#domain/runs/imported-ids.ts";
import { foldTag } from "#domain/text/fold-tag.ts";
import type { Known } from "#store/content/imported-rows.ts";
import { type Archive, changedArchive, wrongArchive } from "./open-archive.ts";
import { readTable } from "./read-table.ts";

/** The ids and references in an archive's tables, and the title of each file. */
export type Checked = Known & {
  titles: ReadonlyMap<string, string>;
  connections: ReadonlyMap<string, string | null>;
  /** The size of all assets, with a file counted once for each asset that uses it. */
  assetBytes: number;
};

/**
 * Reads every table once and collects only ids, to check before the first write that each row is
 * complete and refers to existing rows. An asset whose file was lost before the export isn't
 * included.
 * @throws Problem unsupported_media
 */
export async function checkArchive(archive: Archive): Promise<Checked> {
  if (archive.manifest.tables.reduce((sum, { rows }) => sum + rows, 0) > limits.archiveRows)
    throw wrongArchive(
      sentences.imports.tooManyRows({ most: limits.archiveRows.toLocaleString("en") }),
    );
  const conversations = new Set<string>();
  for await (const { id } of readTable(archive, "conversations")) addOnce(conversations, id);
  const messages = await checkMessages(archive, conversations);
  const runs = new Map<string, string>();
  const connections = new Map<string, string | null>();
  for await (const { id, model } of readTable(archive, "runs")) {
    if (runs.has(id)) throw twice(id);
    runs.set(id, model.name);
    connections.set(model.connection, model.kind);
  }
  return { conversations, messages, runs, connections, ...(await checkAssets(archive)) };
}

async function checkMessages(
  archive: Archive,
  conversations: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const messages = new Map<string, string>();
  const parents = new Map<string, string | null>();
  const continued = new Map<string, string | null>();
  for await (const message of readTable(archive, "messages")) {
    if (messages.has(message.id)) throw twice(message.id);
    if (!conversations.has(message.conversationId))
      throw changedArchive("a message is of a conversation that is not in it");
    messages.set(message.id, message.conversationId);
    parents.set(message.id, message.parentId);
    continued.set(message.id, message.continuesId);
  }
  for (const links of [parents, continued]) {
    for (const [id, to] of links)
      if (to !== null && messages.has(to) && messages.get(to) !== messages.get(id))
        throw changedArchive("a message belongs to one of another conversation");
    if (hasCycle(links)) throw changedArchive("its messages answer each other in a circle");
  }
  return messages;
}

async function checkAssets(
  archive: Archive,
): Promise<{ assets: Set<string>; titles: Map<string, string>; assetBytes: number }> {
  const missing = new Set(archive.manifest.missing);
  const assets = new Set<string>();
  const titles = new Map<string, string>();
  const seen = new Set<string>();
  const tags = new Set<string>();
  let assetBytes = 0;
  for await (const asset of readTable(archive, "assets")) {
    addOnce(seen, asset.id);
    for (const name of asset.tags) tags.add(foldTag(name));
    if (tags.size > limits.tagsPerProject)
      throw wrongArchive(
        sentences.imports.tooManyTags({ most: limits.tagsPerProject.toLocaleString("en") }),
      );
    if (hasFile(archive, missing, asset)) {
      assets.add(asset.id);
      assetBytes += asset.bytes;
      if (!titles.has(asset.sha256)) titles.set(asset.sha256, asset.title);
    }
  }
  for (const sha256 of archive.files.keys())
    if (!titles.has(sha256)) throw changedArchive(`no row tells of files/${sha256}`);
  return { assets, titles, assetBytes };
}

function hasFile(
  { files }: Archive,
  missing: ReadonlySet<string>,
  asset: ArchiveRows["assets"],
): boolean {
  const file = files.get(asset.sha256);
  if (!file && !missing.has(asset.sha256)) throw changedArchive(`files/${asset.sha256} is missing`);
  if (file && file.bytes !== asset.bytes)
    throw changedArchive(`files/${asset.sha256} has another size than its row tells of`);
  return file !== undefined;
}

function addOnce(ids: Set<string>, id: string): void {
  if (ids.has(id)) throw twice(id);
  ids.add(id);
}

const twice = (id: string) => changedArchive(`the row ${id} is in it twice`);
