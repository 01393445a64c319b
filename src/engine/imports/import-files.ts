import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { FileFacts } from "#store/content/imported-rows.ts";
import { holdImport, insertImportFile, listImportFiles } from "#store/content/project-imports.ts";
import type { ProjectImportRow } from "#store/database/schema.ts";
import type { Tx } from "#store/database/store.ts";
import { getUser } from "#store/people/people.ts";
import type { EngineDeps } from "../deps.ts";
import { noFacts } from "../ingest/media/media.ts";
import { readHead } from "../ingest/media/read-head.ts";
import { sniffType } from "../ingest/media/sniff.ts";
import { storeBytes } from "../ingest/store-bytes.ts";
import { refuseWhenFull } from "../room.ts";
import { type Archive, changedArchive } from "./open-archive.ts";

/**
 * Holds an import for one step while its importer's account is active.
 * @throws Problem forbidden
 * @throws ImportLost as holdImport
 */
export async function holdForImporter(
  tx: Tx,
  held: ProjectImportRow,
  set?: Parameters<typeof holdImport>[2],
): Promise<void> {
  await holdImport(tx, held, set);
  const person = await getUser(tx, held.user_id);
  if (person?.status !== "active")
    throw new Problem("forbidden", { message: sentences.imports.ownerSuspended });
}

/** Concurrent files: reading and writing continue while others are analyzed. */
const atOnce = 3;

/**
 * Stores and describes every file of an archive like an upload: its bytes determine its type. Files
 * finished before a restart are skipped.
 * @param titles the files' titles, for types that only the name tells apart
 * @throws Problem unsupported_media for a file that doesn't match its hash, storage_full
 */
export async function storeFiles(
  deps: EngineDeps,
  held: ProjectImportRow,
  archive: Archive,
  titles: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const done = new Set(await listImportFiles(deps.store.read, held.id));
  const waiting = archive.files.keys().filter((sha256) => !done.has(sha256));
  // The first failure stops the others.
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  async function work(): Promise<void> {
    for (const sha256 of waiting) {
      either.throwIfAborted();
      await storeFile(deps, held, archive, sha256, titles.get(sha256) ?? "", either);
    }
  }
  const works = Array.from({ length: atOnce }, () =>
    work().catch((error) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(works);
  signal.throwIfAborted();
  failed.signal.throwIfAborted();
}

async function storeFile(
  deps: EngineDeps,
  held: ProjectImportRow,
  archive: Archive,
  sha256: string,
  title: string,
  signal: AbortSignal,
): Promise<void> {
  const { bytes } = archive.files.get(sha256)!;
  if ((await refuseWhenFull(deps)) < bytes) throw new Problem("storage_full");
  const kept = await storeBytes(deps, () => archive.read(`files/${sha256}`), {
    mostBytes: bytes,
    signal,
  });
  if (kept.sha256 !== sha256 || kept.bytes !== bytes)
    throw changedArchive(`files/${sha256} is another file than its name says`);
  const facts = await describe(deps, sha256, bytes, title);
  await deps.failpoints?.at("import.file");
  await deps.commit(async ({ tx }) => {
    await holdForImporter(tx, held);
    await insertImportFile(tx, held.id, sha256, facts);
  });
}

async function describe(
  deps: EngineDeps,
  sha256: string,
  bytes: number,
  title: string,
): Promise<FileFacts> {
  const type = await sniffType(await readHead(deps, sha256, bytes), title);
  const found = await deps.media.describe(sha256, type).catch((error) => {
    deps.log.warn({ sha256, error: String(error) }, "could not look into a file of an import");
    return noFacts();
  });
  // A chore computes the hash again from the thumbnail.
  const { durationMs, phash: _, ...facts } = found;
  return { kind: type.kind, mime: type.mime, bytes, ...facts, duration_ms: durationMs };
}
