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

const lookMs = 60_000;
/** While the storage does not answer. */
const lookAgainMs = 10_000;
/** A start waits no longer for the storage. */
const startMs = 15_000;
/** A mark that is unchanged for this long has no living owner. */
const stillMs = 2 * lookMs;
/** Between reads of a mark that somebody waits for. */
const watchMs = 2_000;
/** How long a renewed mark lets files be deleted: a server that was frozen for longer asks again first. */
const trustMs = 3 * lookMs;
/** Each of several servers that look at once may be the slower one a few times. */
const looksMost = 10;
/** Files of a storage without a mark that are compared with the rows here. */
const sampleSize = 200;

/**
 * owner: the storage's mark is this database's. copy: it is another's; nothing is deleted, and what is written goes to a place of
 * its own. unsure: it can't be known yet; nothing is deleted.
 */
export type FileOwnership = "owner" | "copy" | "unsure";

export type Ownership = { mark: FoundMark | undefined; row: FileOwnerRow; isOurs: boolean };

/**
 * The mark and what the database says of it. Both of its nonces count: a process may have died between the storage and the
 * database. Another server of the same database may renew the mark between the two reads, so a mark is another's only where the
 * database said the same before and after it was read.
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

/** A storage without a mark: an empty one is anybody's, another one belongs to the database whose rows name its files. */
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
 * Whose the files of a storage are (docs/decisions/0008-a-copied-database-waits-for-approval.md). The storage holds a mark with a nonce. Each look
 * writes the next nonce into the database, then into the storage in the place of the one that was read, then confirms it in the
 * database: another database that renews it is detected at the next check.
 */
export async function createFileOwner({ store, storage, clock, log }: Deps) {
  const { mark: marks } = storage;
  let ownership: FileOwnership = "unsure";
  let isConditional = true;
  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Set while a database that was moved or copied may meet its living original. */
  let isMoved = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let trouble: string | null = null;
  let hasAnswered = false;
  /** The mark as it was last read, and since when it has stood still by the clock of this machine. */
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

  /** Whether the writer of the mark may still be alive. Clocks of two machines can differ: only a mark observed without change is old. */
  function mayLive(mark: FoundMark): boolean {
    if (mark.renewedAt === null) return false;
    if (seen?.version !== mark.version) seen = { version: mark.version, since: clock.monotonic() };
    return clock.monotonic() - seen.since < stillMs;
  }

  /** @returns false when another was quicker */
  async function renew(mark: FoundMark | undefined, row: FileOwnerRow): Promise<boolean> {
    // A nonce that is in the storage already, of a process that died before it could say so, is confirmed first.
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

  /** Every copy writes to a place of its own, a copy of a copy too. All servers of one database share it. */
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

  /** @throws what the storage or the database throws; then nothing is deleted once the last renewal is too old */
  async function look(): Promise<FileOwnership> {
    isConditional = await marks.isConditional();
    for (let left = looksMost; left > 0; left--) {
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

  /** Looks, and keeps in a sentence why that failed. */
  async function check(): Promise<void> {
    try {
      await look();
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
      timer = setTimeout(() => void checkOn(), trouble === null ? lookMs : lookAgainMs).unref();
  }

  return {
    blobs,
    look,
    ownership: () => ownership,
    /** Why the storage did not do what it was last asked; null where it did. `everWorked`: it has since this server started. */
    health: () => ({ trouble, everWorked: hasAnswered }),
    /** Whether a file that no row of this database needs may be deleted now. */
    mayDelete: () =>
      ownership === "owner" && isConditional && clock.monotonic() - renewedAt < trustMs,
    /**
     * The first look, and one each minute from then on. A storage that does not answer keeps no server from starting.
     * @param moved the database is not where it was last served from
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
     * Waits until another's mark tells that its server stopped, or has stood still for two minutes.
     * @param onWait called once where that takes time
     * @throws Problem conflict when the mark is renewed meanwhile
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
    /** What this database wrote while it was a copy comes to the other files, once these are its own. */
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
          // Places before the last may be another copy's.
          if (prefix === own) await place.delete(sha256);
        }
      }
      await store.write((tx) => setFilePrefixes(tx, []));
      prefixes = [];
    },
    /** The mark says that its owner has left: a place that takes over the files need not wait. */
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
