import { setTimeout as sleep } from "node:timers/promises";
import type { ProjectImport } from "#contract/entities.ts";
import { errors, Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { refuseAboveLimit } from "#domain/files/storage-limit.ts";
import {
  claimImport,
  cleanImport,
  countImportFailure,
  dismissImport,
  hasFreeImport,
  hasOpenImport,
  holdImport,
  ImportLost,
  insertImport,
  releaseImport,
} from "#store/content/project-imports.ts";
import { listStorageUse } from "#store/content/storage-limits.ts";
import type { ProjectImportRow } from "#store/database/schema.ts";
import { requireRoomForProject } from "#store/people/projects.ts";
import type { EngineDeps } from "../deps.ts";
import { storeStream } from "../ingest/upload.ts";

/** How often imports are looked up, in case another server has accepted one. */
const pollMs = 5_000;
/** A fault that repeats this often without progress, for most of a minute, is permanent. */
const maxFailures = 10;
/** How long a stop waits for imports. Describing a video can't be interrupted. */
const stopMs = 3_000;

/**
 * Accepts an archive: stores the stream, opens it, and saves an import, which continues in the
 * background.
 * @throws Problem unsupported_media with a sentence about a wrong file
 * @throws Problem too_large, storage_full, storage_limit
 * @throws Problem conflict while another import is active, or if the person is in the maximum
 *   number of projects
 */
export async function beginImport(
  deps: EngineDeps,
  sent: { userId: string; source: AsyncIterable<Uint8Array> },
): Promise<ProjectImport> {
  await refuseSecond(deps, sent.userId);
  await requireRoomForProject(deps.store.read, sent.userId);
  const into = { userId: sent.userId, projectId: deps.ids() };
  refuseAboveLimit(await listStorageUse(deps.store.read, into), 1);
  const stored = await storeStream(deps, sent.source, limits.archiveBytes);
  const { openArchive } = await import("./open-archive.ts");
  const { project, manifest, files } = await openArchive(deps, stored);
  const filesBytes = files.values().reduce((sum, { bytes }) => sum + bytes, 0);
  refuseAboveLimit(await listStorageUse(deps.store.read, into), filesBytes);
  const begun = await deps.commit(({ tx, at }) =>
    insertImport(tx, {
      id: deps.ids(),
      projectId: into.projectId,
      userId: sent.userId,
      ...stored,
      name: project.name,
      filesTotal: files.size,
      filesMissing: manifest.missing.length,
      at,
    }),
  );
  if (!begun) throw second();
  return begun;
}

const second = (): Problem =>
  new Problem("conflict", {
    message: sentences.imports.active,
  });

async function refuseSecond(deps: EngineDeps, userId: string): Promise<void> {
  if (await hasOpenImport(deps.store.read, userId)) throw second();
}

/**
 * Cancels an import and deletes everything it wrote, or dismisses the notice of one that has ended.
 * @throws Problem not_found
 */
export async function removeImport(deps: EngineDeps, id: string, userId: string): Promise<void> {
  if (!(await deps.commit(({ tx, at }) => dismissImport(tx, id, userId, at))))
    throw new Problem("not_found");
}

export type Imports = { wake(): void; stop(): Promise<void> };

/** Runs imports one after the other, and deletes what failed or canceled ones wrote. */
export function startImports(deps: EngineDeps, workerId: string): Imports {
  const shutdown = new AbortController();
  let going: Promise<void> | undefined;

  async function workOff(): Promise<void> {
    while (!shutdown.signal.aborted) {
      if (!(await hasFreeImport(deps.store.read, workerId))) return;
      const held = await deps.commit(({ tx }) => claimImport(tx, workerId));
      if (!held || !(await continueImport(deps, held, shutdown.signal))) return;
    }
  }

  function wake(): void {
    going ??= workOff()
      .catch((error) => deps.log.warn({ error: String(error) }, "could not look for imports"))
      .finally(() => {
        going = undefined;
      });
  }

  const timer = setInterval(wake, pollMs).unref();
  wake();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      shutdown.abort(new DOMException("shutdown", "AbortError"));
      await Promise.race([going, sleep(stopMs, undefined, { ref: false })]);
    },
  };
}

/** @returns false to pause before the next attempt */
async function continueImport(
  deps: EngineDeps,
  held: ProjectImportRow,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (held.state === "open") {
      const { importProject } = await import("./import-project.ts");
      await importProject(deps, held, signal);
    }
    await cleanUp(deps, held.state === "open" ? { ...held, state: "done" } : held, signal);
    return true;
  } catch (error) {
    // The import was canceled or belongs to another worker; the next check tells which.
    const isLost = error instanceof ImportLost;
    const goesOn = isLost || (!signal.aborted && (await hasGivenUp(deps, held, error)));
    await deps.commit(({ tx }) => releaseImport(tx, held));
    return goesOn;
  }
}

async function cleanUp(
  deps: EngineDeps,
  held: ProjectImportRow,
  signal: AbortSignal,
): Promise<void> {
  for (let isLeft = true; isLeft; ) {
    signal.throwIfAborted();
    isLeft = await deps.commit(async ({ tx, at }) => {
      await holdImport(tx, held);
      const some = await cleanImport(tx, held);
      if (!some) await holdImport(tx, held, { cleaned_at: at });
      return some;
    });
  }
}

/**
 * An error in the archive or a lack of space ends the import with its message. Any other fault is
 * retried for a while.
 */
async function hasGivenUp(
  deps: EngineDeps,
  held: ProjectImportRow,
  error: unknown,
): Promise<boolean> {
  deps.log.warn({ importId: held.id, error: String(error) }, "an import broke off");
  const isRefusal =
    error instanceof Problem && error.code !== "unavailable" && error.code !== "internal";
  const failures = isRefusal
    ? maxFailures
    : await deps.commit(({ tx }) => countImportFailure(tx, held));
  if (held.state !== "open" || failures < maxFailures) return false;
  const problem = isRefusal
    ? (error.detail.message ?? errors[error.code].text)
    : errors.internal.text;
  return deps
    .commit(({ tx, at }) => holdImport(tx, held, { state: "failed", problem, ended_at: at }))
    .then(
      () => true,
      (lost) => lost instanceof ImportLost,
    );
}
