import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { BlobStore } from "#blobs/blob-store.ts";
import { copyBlob, copyVariants } from "#blobs/copy.ts";
import { openLayeredStore } from "#blobs/layered-store.ts";
import type { BlobStorage } from "#blobs/open-storage.ts";
import type { FoundMark, MarkStore } from "#blobs/owner-mark.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  confirmNonce,
  countKnownFiles,
  type FileOwnerRow,
  getFileOwner,
  proposeNonce,
  setFilePrefixes,
  variantsOf,
} from "#store/content/file-owner.ts";
import type { Reader, Store } from "#store/database/store.ts";
import { lockInstance } from "#store/people/people.ts";
import type { EngineDeps } from "../deps.ts";

const pollMs = 60_000;
/** The interval of checks while the storage doesn't answer. */
const retryMs = 10_000;
/** The longest time that a start waits for the storage. */
const startMs = 15_000;
/** A mark that hasn't changed for this long has no living owner. */
const stillMs = 2 * pollMs;
/** The interval of reads while a caller waits for a mark to expire. */
const watchMs = 2_000;
/**
 * How long after its renewal a mark permits deletions. A server frozen for longer checks again
 * first.
 */
const trustMs = 3 * pollMs;
/** Enough for several servers that check at once, each of which can lose the race a few times. */
const maxTries = 10;
/** How many files of a storage without a mark are compared with the database. */
const sampleSize = 200;

/**
 * owner: the storage's mark belongs to this database. copy: it belongs to another database; nothing
 * is deleted, and new files go to a separate prefix. unsure: not known yet; nothing is deleted.
 */
export type FileOwnership = "owner" | "copy" | "unsure";

export type Ownership = { mark: FoundMark | undefined; row: FileOwnerRow; isOurs: boolean };

/**
 * Compares the mark with the database's nonces. Both nonces count, because a process may have died
 * between writing the storage and the database. Another server of the same database may renew the
 * mark between the two reads, so a mark is foreign only if the database's nonces were the same
 * before and after reading it.
 */
export async function readOwnership(marks: MarkStore, db: Reader): Promise<Ownership> {
  let row = await getFileOwner(db);
  for (;;) {
    const before = row;
    const mark = await marks.read();
    if (!mark) return { mark, row, isOurs: false };
    row = await getFileOwner(db);
    const isOurs = mark.nonce === row.nonce || mark.nonce === row.next;
    if (isOurs || (before.nonce === row.nonce && before.next === row.next))
      return { mark, row, isOurs };
  }
}

/**
 * Whether a storage without a mark can belong to this database: it is empty, or the database has
 * rows for its files.
 */
export async function namesItsFiles(blobs: BlobStore, db: Reader): Promise<boolean> {
  const hashes: string[] = [];
  for await (const { sha256 } of blobs.list()) if (hashes.push(sha256) >= sampleSize) break;
  return hashes.length === 0 || (await countKnownFiles(db, hashes)) * 2 >= hashes.length;
}

const inUse = () =>
  new Problem("conflict", {
    message: sentences.storage.otherOwner,
  });

export type FileOwner = Awaited<ReturnType<typeof createFileOwner>>;

type Deps = Pick<EngineDeps, "clock" | "log"> & { store: Store; storage: BlobStorage };

/**
 * Determines which database owns a storage's files
 * (docs/decisions/0008-a-copied-database-waits-for-approval.md). The storage holds a mark with a
 * nonce. Each check writes the next nonce to the database, replaces the mark that was read in the
 * storage, then confirms the nonce in the database. If another database renews the mark, the next
 * check detects it.
 */
export async function createFileOwner({ store, storage, clock, log }: Deps) {
  const { mark: marks } = storage;
  let ownership: FileOwnership = "unsure";
  let isConditional = true;
  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Set while a moved or copied database may share the storage with its running original. */
  let isMoved = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let trouble: string | null = null;
  let hasAnswered = false;
  /** The mark last read, and since when it has been unchanged on this machine's clock. */
  let seen: { version: string; since: number } | undefined;
  let prefixes = (await getFileOwner(store.db)).prefixes;
  const opened = new Map<string, BlobStore>();
  const placeOf = (prefix: string): BlobStore => {
    const place = opened.get(prefix) ?? storage.at(prefix);
    opened.set(prefix, place);
    return place;
  };
  const blobs = openLayeredStore(() => {
    const own = prefixes.map(placeOf).reverse();
    return ownership === "copy" && own[0]
      ? { write: own[0], read: [...own, storage.blobs] }
      : { write: storage.blobs, read: [storage.blobs, ...own] };
  });

  /**
   * Whether the mark's writer may be running. Clocks of two machines differ, so a mark is old only
   * if it was observed without change.
   */
  function mayLive(mark: FoundMark): boolean {
    if (mark.renewedAt === null) return false;
    if (seen?.version !== mark.version) seen = { version: mark.version, since: clock.monotonic() };
    return clock.monotonic() - seen.since < stillMs;
  }

  /** @returns false if another server was faster */
  async function renew(mark: FoundMark | undefined, row: FileOwnerRow): Promise<boolean> {
    // First confirms a nonce already in the storage, whose writer died before confirming it.
    if (mark && mark.nonce === row.next) await store.write((tx) => confirmNonce(tx, mark.nonce));
    await store.write((tx) => proposeNonce(tx, randomUUID()));
    const { next } = await getFileOwner(store.db);
    if (next === null || !(await marks.replace(mark, { nonce: next, renewedAt: clock.now() })))
      return false;
    await store.write((tx) => confirmNonce(tx, next));
    return true;
  }

  async function become(now: FileOwnership): Promise<void> {
    if (now === "owner") {
      isMoved = false;
      renewedAt = clock.monotonic();
    }
    if (now === "copy") await choosePrefix();
    if (now !== ownership && now === "copy")
      log.warn(
        {},
        "the files belong to another database: this server deletes none of them and saves its own separately",
      );
    if (now !== ownership && now === "owner") log.info({}, "the files belong to this database");
    ownership = now;
  }

  /**
   * Every copy writes to its own prefix, including a copy of a copy. All servers of one database
   * share it.
   */
  async function choosePrefix(): Promise<void> {
    await store.write(async (tx) => {
      await lockInstance(tx);
      ({ prefixes } = await getFileOwner(tx));
      if (prefixes.length > 0 && !isMoved) return;
      prefixes = [...prefixes, randomUUID()];
      await setFilePrefixes(tx, prefixes);
    });
    isMoved = false;
  }

  /**
   * @throws the storage's or the database's error; deletions then stop once the last renewal is too
   *   old
   */
  async function poll(): Promise<FileOwnership> {
    isConditional = await marks.isConditional();
    for (let left = maxTries; left > 0; left--) {
      const { mark, row, isOurs } = await readOwnership(marks, store.db);
      prefixes = row.prefixes;
      const isLiving = mark !== undefined && mayLive(mark);
      if (mark ? !isOurs : !(await namesItsFiles(storage.blobs, store.db))) {
        await become("copy");
        return ownership;
      }
      if (isMoved && isLiving) return ownership;
      if (await renew(mark, row)) {
        await become("owner");
        return ownership;
      }
    }
    return ownership;
  }

  /** Checks the mark and records any failure as a sentence. */
  async function check(): Promise<void> {
    try {
      await poll();
      if (trouble !== null) log.info({}, "the file storage works again");
      trouble = null;
      hasAnswered = true;
    } catch (error) {
      const message = error instanceof Problem ? error.message : sentences.storage.failedPlainly;
      if (message !== trouble) log.warn({ error: String(error) }, "the file storage is failing");
      trouble = message;
    }
  }

  async function checkOn(): Promise<void> {
    await check();
    if (!isStopped)
      timer = setTimeout(() => void checkOn(), trouble === null ? pollMs : retryMs).unref();
  }

  return {
    blobs,
    poll,
    ownership: () => ownership,
    /**
     * Why the storage's last operation failed; null if it succeeded. `everWorked` is true if one
     * has succeeded since this server started.
     */
    health: () => ({ trouble, everWorked: hasAnswered }),
    /** Whether files that this database doesn't need may be deleted now. */
    mayDelete: () =>
      ownership === "owner" && isConditional && clock.monotonic() - renewedAt < trustMs,
    /**
     * Checks now and then every minute. A start doesn't wait long for a storage that doesn't
     * answer.
     * @param moved whether the database is at another place than last time
     * @returns whether this database has just become a copy
     */
    async start(moved: boolean): Promise<{ isNewCopy: boolean }> {
      isMoved = moved;
      const known = prefixes.length;
      const waited = new AbortController();
      const tooLong = sleep(startMs, undefined, { signal: waited.signal, ref: false }).then(
        () => {
          if (!hasAnswered) trouble ??= sentences.storage.silent;
        },
        () => undefined,
      );
      await Promise.race([checkOn(), tooLong]);
      waited.abort();
      if (ownership === "owner" && !isConditional)
        log.warn(
          {},
          "the file storage has no conditional writes: no file is deleted, because another database could own it",
        );
      return { isNewCopy: ownership === "copy" && prefixes.length > known };
    },
    /**
     * Waits until another database's mark shows a stopped server or hasn't changed for two minutes.
     * @param onWait called once if the wait takes time
     * @throws Problem conflict if the mark is renewed in the meantime
     */
    async awaitStill(onWait: () => void): Promise<void> {
      const { mark: first, isOurs } = await readOwnership(marks, store.db);
      if (!first || isOurs || !mayLive(first)) return;
      onWait();
      for (
        let mark: FoundMark | undefined = first;
        mark && mayLive(mark);
        mark = await marks.read()
      ) {
        if (mark.version !== first.version) throw inUse();
        await sleep(watchMs);
      }
    },
    /**
     * Makes this database the owner of the files.
     * @throws Problem conflict while another server may renew the mark
     */
    async takeOver(): Promise<void> {
      const { mark, row, isOurs } = await readOwnership(marks, store.db);
      if (mark && !isOurs && mayLive(mark)) throw inUse();
      if (!(await renew(mark, row)))
        throw new Problem("conflict", {
          message: sentences.storage.ownerActive,
        });
      await become("owner");
    },
    /**
     * Moves the files that this database wrote as a copy to the shared ones, once it owns those.
     */
    async bringTogether(): Promise<void> {
      if (ownership !== "owner" || prefixes.length === 0) return;
      const own = prefixes.at(-1)!;
      for (const prefix of prefixes) {
        const place = placeOf(prefix);
        for await (const { sha256, bytes } of place.list()) {
          const how = await copyBlob(place, storage.blobs, sha256, bytes);
          if (how === "damaged" || how === "missing") {
            log.error({ sha256, how }, "a file of this copy can't be read");
            continue;
          }
          await copyVariants(place, storage.blobs, sha256, await variantsOf(store.read, sha256));
          // Earlier prefixes may be another copy's as well.
          if (prefix === own) await place.delete(sha256);
        }
      }
      await store.write((tx) => setFilePrefixes(tx, []));
      prefixes = [];
    },
    /** Marks the storage as released, so that the next owner doesn't have to wait. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      if (ownership !== "owner") return;
      try {
        const { mark, isOurs } = await readOwnership(marks, store.db);
        if (mark && isOurs) await marks.replace(mark, { nonce: mark.nonce, renewedAt: null });
      } catch (error) {
        log.warn({ error: String(error) }, "could not leave the file storage");
      }
    },
  };
}
