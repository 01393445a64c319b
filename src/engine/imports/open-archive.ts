import { Readable } from "node:stream";
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from "yauzl";
import type { BlobStore } from "#blobs/blob-store.ts";
import { type ArchivedProject, type ArchiveManifest, archiveTables } from "#contract/archive.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type JsonBounds, requestBounds } from "#domain/schemas/json-scan.ts";
import type { JsonReader } from "../threads/json/json-reader.ts";
import type { JsonResults, JsonTask } from "../threads/json/read-json.ts";
import { hashing, takeJson } from "./read-entry.ts";

/** The error for a wrong file, with a sentence for the person who chose it. */
export const wrongArchive = (message: string): Problem =>
  new Problem("unsupported_media", { message, field: "file" });
export const changedArchive = (what: string): Problem =>
  wrongArchive(sentences.imports.changed({ reason: what }));

type Stored = { sha256: string; bytes: number };

export type Archive = {
  json: JsonReader;
  project: ArchivedProject;
  manifest: ArchiveManifest;
  /** By hash, which is also the file's name. */
  files: ReadonlyMap<string, { bytes: number }>;
  /**
   * The inflated bytes of an entry, at most as many as its header states.
   * @throws Problem unsupported_media for a damaged entry
   */
  read(name: string): Promise<AsyncIterable<Uint8Array>>;
};

const others = ["project.json", ...archiveTables.map((name) => `${name}.jsonl`), "manifest.json"];
const fileName = /^files\/([0-9a-f]{64})$/;
/** A manifest lists every lost file, and the largest library's list fits. */
const smallJsonBytes = 16 * 1024 ** 2;
const manifestBounds: JsonBounds = {
  depth: requestBounds.depth,
  values: limits.archiveFiles + 1_000,
};

/** Reads the stored archive in place, one range at a time. */
class BlobReader extends RandomAccessReader {
  readonly #read: (start: number, end: number) => Promise<AsyncIterable<Uint8Array>>;
  constructor(blobs: BlobStore, { sha256, bytes }: Stored) {
    super();
    this.#read = async (start, end) => {
      if (start < 0 || end > bytes) throw new Error("a place past the end is named");
      return blobs.get(sha256, { start, end: end - 1 });
    };
  }
  /** @param end the end of the range, exclusive */
  override _readStreamForRange(start: number, end: number): Readable {
    const read = this.#read;
    return Readable.from(
      (async function* () {
        if (end > start) yield* await read(start, end);
      })(),
    );
  }
}

/**
 * Opens an archive and checks its names, sizes, project and manifest, without reading tables or
 * files.
 * @throws Problem unsupported_media with a sentence about the error
 */
export async function openArchive(
  { blobs, json }: { blobs: BlobStore; json: JsonReader },
  stored: Stored,
): Promise<Archive> {
  const { zip, entries } = await listEntries(blobs, stored);
  const read = async (name: string): Promise<AsyncIterable<Uint8Array>> => {
    const entry = entries.get(name);
    if (!entry) throw changedArchive(`${name} is missing`);
    const stream = await zip
      .openReadStreamPromise(entry)
      .catch((error) => Promise.reject(explain(error)));
    return explained(stream);
  };
  if (!entries.has("manifest.json")) throw notOurs();
  const manifest = await readManifest(json, await read("manifest.json"));
  const project = await readProject(json, await read("project.json"), manifest.project.sha256);
  const files = filesOf(entries);
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
  if (files.size !== manifest.files.count || bytes !== manifest.files.bytes)
    throw changedArchive(
      `it has ${files.size} files, and its manifest tells of ${manifest.files.count}`,
    );
  for (const { name } of manifest.tables)
    if (!entries.has(`${name}.jsonl`)) throw changedArchive(`${name}.jsonl is missing`);
  return { json, project, manifest, files, read };
}

const notOurs = () => wrongArchive(sentences.imports.notBottega);

async function listEntries(blobs: BlobStore, stored: Stored) {
  const zip = await openZip(blobs, stored);
  const entries = new Map<string, Entry>();
  if (zip.entryCount > limits.archiveFiles + others.length)
    throw wrongArchive(sentences.imports.tooManyFiles);
  let unpacked = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName: name } = entry;
      if (!others.includes(name) && !fileName.test(name))
        throw entries.size > 0 && isOurs(entries)
          ? changedArchive(`it has a file ${show(name)}`)
          : notOurs();
      if (entries.has(name)) throw changedArchive(`${name} is in it twice`);
      if (entry.isEncrypted() || !entry.canDecodeFileData())
        throw changedArchive(`${name} is packed in a way that Bottega does not use`);
      unpacked += entry.uncompressedSize;
      if (unpacked > limits.archiveUnpackedBytes) throw wrongArchive(sentences.imports.tooLarge);
      entries.set(name, entry);
    }
  } catch (error) {
    throw explain(error);
  }
  refuseOverlaps([...entries.values()]);
  return { zip, entries };
}

/**
 * Whether the archive has a Bottega file, which tells one with a foreign file added from an
 * unrelated ZIP.
 */
const isOurs = (entries: ReadonlyMap<string, Entry>): boolean => entries.has("project.json");
const show = (name: string): string => `“${name.slice(0, 80)}”`;

async function openZip(blobs: BlobStore, stored: Stored): Promise<ZipFile> {
  const { sha256, bytes } = stored;
  const options = {
    lazyEntries: true,
    autoClose: false,
    validateEntrySizes: true,
    strictFileNames: true,
  };
  try {
    return await fromRandomAccessReaderPromise(new BlobReader(blobs, stored), bytes, options);
  } catch (error) {
    if (error instanceof Problem) throw error;
    const isZip = bytes >= 4 && (await firstBytes(blobs, sha256)) === "PK\u0003\u0004";
    throw wrongArchive(isZip ? sentences.imports.incomplete : sentences.imports.notZip);
  }
}

async function firstBytes(blobs: BlobStore, sha256: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await blobs.get(sha256, { start: 0, end: 3 })) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

/** Overlapping entries let a small file expand to any size. */
function refuseOverlaps(entries: Entry[]): void {
  entries.sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  for (const [i, entry] of entries.entries()) {
    const next = entries[i + 1];
    if (
      next &&
      entry.relativeOffsetOfLocalHeader + entry.compressedSize > next.relativeOffsetOfLocalHeader
    )
      throw changedArchive(`${entry.fileName} and ${next.fileName} overlap`);
  }
}

function filesOf(entries: ReadonlyMap<string, Entry>): Map<string, { bytes: number }> {
  return new Map(
    [...entries.values()].flatMap((entry) => {
      const sha256 = fileName.exec(entry.fileName)?.[1];
      return sha256 ? [[sha256, { bytes: entry.uncompressedSize }] as const] : [];
    }),
  );
}

async function readManifest(
  json: JsonReader,
  source: AsyncIterable<Uint8Array>,
): Promise<ArchiveManifest> {
  const read = await parse(json, source, "manifest", manifestBounds);
  if (read.format === "foreign") throw notOurs();
  if (read.format === "newer") throw wrongArchive(sentences.imports.newer);
  if (!read.manifest) throw changedArchive("manifest.json can't be read");
  return read.manifest;
}

async function readProject(
  json: JsonReader,
  source: AsyncIterable<Uint8Array>,
  sha256: string,
): Promise<ArchivedProject> {
  const { bytes, digest } = hashing(source);
  const project = await parse(json, bytes, "project", requestBounds);
  if (digest() !== sha256)
    throw changedArchive("project.json is another one than its manifest tells of");
  if (!project) throw changedArchive("project.json can't be read");
  return project;
}

async function parse<As extends "manifest" | "project">(
  json: JsonReader,
  source: AsyncIterable<Uint8Array>,
  as: As,
  bounds: JsonBounds,
): Promise<JsonResults[As]> {
  try {
    const bytes = await takeJson(source, smallJsonBytes, bounds);
    return (await json.read({ as, bytes } as JsonTask)) as JsonResults[As];
  } catch (error) {
    if (error instanceof Problem && error.code === "unavailable") throw error;
    throw new Problem("unsupported_media", changedArchive(`${as}.json can't be read`).detail, {
      cause: error,
    });
  }
}

/** Converts errors of the ZIP reader or inflation; errors of our own storage stay as they are. */
function explain(error: unknown): unknown {
  if (error instanceof Problem) return error;
  return new Problem("unsupported_media", changedArchive("it is damaged").detail, { cause: error });
}

async function* explained(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* source;
  } catch (error) {
    throw explain(error);
  }
}
