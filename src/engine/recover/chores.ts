import { limits } from "#contract/limits.ts";
import { listTrashedBefore, listUnhashed, setHashes, updateAssets } from "#store/content/assets.ts";
import { purgeMessages } from "#store/content/chats/pruned-branches.ts";
import { deleteTemporary, listOverTemporary } from "#store/content/chats/temporary-chats.ts";
import { dissolveCollection, listCollectionsTrashedBefore } from "#store/content/collections.ts";
import { purgeComparisons } from "#store/content/comparisons.ts";
import { purgeConversations } from "#store/content/conversations.ts";
import { erasePersonPart, listErasablePeople } from "#store/content/deletions/erase-person.ts";
import { eraseProjectPart, listDueProjects } from "#store/content/deletions/project-deletions.ts";
import { pruneImports } from "#store/content/project-imports.ts";
import type { Tx } from "#store/database/store.ts";
import { pruneInvites } from "#store/people/member-invites.ts";
import { pruneSessions } from "#store/people/people.ts";
import { pruneChanges } from "#store/runs/changes.ts";
import { recordChore } from "#store/runs/chore-rows.ts";
import {
  listPrunable,
  listRunsWithPromises,
  listUnknownJobs,
  pruneRuns,
  type UnknownJob,
} from "#store/runs/ended-runs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { pruneCalls } from "#store/webhooks/run-webhooks.ts";
import { pruneDeliveries } from "#store/webhooks/webhook-deliveries.ts";
import { listWaiting, pruneWebhooks } from "#store/webhooks/webhooks-in.ts";
import type { EngineDeps } from "../deps.ts";
import { findLostJob } from "../follow/find-job.ts";
import { takeWaiting } from "../follow/further-result.ts";
import { fetchMissing } from "../ingest/fetch-missing.ts";
import { collectBlobs, watchForJumps } from "./collect.ts";
import { inSlices } from "./slices.ts";

/** The interval between rounds of chores. */
export const upkeepEveryMs = 5 * 60_000;
/** Changes are kept for a tab that slept for a week; an older cursor gets a fresh list. */
const changesMs = 7 * 24 * 60 * 60_000;
const atOnce = 200;
const dayMs = 24 * 60 * 60_000;
/** The approximate number of deltas in one answer. */
const eventsOfRun = 10;
/** How long an unconfirmed job is polled automatically; a person can check for longer. */
const askForMs = 30 * dayMs;
/** After a jump of the clock, permanent deletions wait this long, so that people can notice. */
const trashQuietMs = 24 * 60 * 60_000;

/**
 * Runs the background chores, each of which is safe to run twice and on several servers at once.
 * One that fails doesn't stop the others; its error is thrown at the end.
 * @param found called with an unconfirmed run that resumes
 */
export async function doChores(
  deps: EngineDeps,
  workerId = "",
  found: (run: OwnedRun) => void = () => undefined,
  hasJumped: (quietMs?: number) => boolean = () => false,
  isDue: AskSchedule = createAskSchedule(),
): Promise<void> {
  const now = deps.clock.now();
  const merge = () => mergeWords(deps);
  const prune = (
    slice: (tx: Tx, before: number, most: number) => Promise<boolean>,
    before: number,
  ) => inSlices(deps, ({ tx }, rows) => slice(tx, before, rows), merge);
  const deletions = [
    () => prune(purgeConversations, now - limits.trashMs),
    () => deleteTemporaryChats(deps, now),
    () => prune(purgeMessages, now - limits.trashMs),
    () => prune(purgeComparisons, now - limits.trashMs),
    () => purgeTrash(deps, now),
    () => purgeCollections(deps, now - limits.trashMs),
    () => eraseProjects(deps, now),
    () => prune(pruneSessions, now),
    () => prune(pruneInvites, now - limits.inviteMemoryMs),
  ];
  const chores: (() => Promise<unknown>)[] = [
    () => pruneEvents(deps, now - limits.eventRetentionMs),
    () => prune(pruneChanges, now - changesMs),
    ...(hasJumped(trashQuietMs) ? [] : deletions),
    () => erasePeople(deps),
    () => prune(pruneDeliveries, now - limits.webhookLogMs),
    () => prune(pruneCalls, now - limits.webhookLogMs),
    () => prune(pruneWebhooks, now - limits.webhookMemoryMs),
    () => deps.commit(({ tx }) => pruneImports(tx, now - limits.importMemoryMs)),
    // Files are deleted only once their owner is known.
    async () => {
      await deps.fileOwner?.bringTogether();
      if (!hasJumped()) await collectBlobs(deps);
    },
    () => mergeWords(deps, now - dayMs),
    async () => {
      while (await deps.store.releaseSpace());
    },
    () => askAboutUnknown(deps, workerId, found, isDue),
    () => takeWaitingWebhooks(deps, isDue),
    () => fetchPromised(deps),
    () => hashPictures(deps),
  ];
  const failures: unknown[] = [];
  for (const chore of chores)
    try {
      await chore();
    } catch (error) {
      failures.push(error);
    }
  const messages = [...new Set(failures.map(messageOf))];
  if (failures.length > 1) throw new AggregateError(failures, messages.join(" "));
  if (failures.length > 0) throw failures[0];
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

async function takeWaitingWebhooks(deps: EngineDeps, isDue: AskSchedule): Promise<void> {
  for await (const webhook of allOf((after) => listWaiting(deps.store.read, after, atOnce)))
    if (isDue({ id: webhook.id, lostAt: webhook.receivedAt }, deps.clock.now()))
      await quietly(deps, webhook.runId, () => takeWaiting(deps, webhook));
}

async function fetchPromised(deps: EngineDeps): Promise<void> {
  for await (const { id } of allOf((after) => listRunsWithPromises(deps.store.read, after, atOnce)))
    await quietly(deps, id, () => fetchMissing(deps, id));
}

/**
 * The most pictures hashed in one round, so that a large older library doesn't delay the other
 * chores.
 */
const maxHashed = 2_000;
/** Hashes written in one unit, which takes SQLite a few milliseconds. */
const hashedAtOnce = 50;
const readAtOnce = 8;

/**
 * Hashes older pictures by their thumbnails, newest first. Unreadable ones are skipped and retried
 * next time.
 */
async function hashPictures(deps: EngineDeps): Promise<void> {
  let before: string | undefined;
  for (let looked = 0; looked < maxHashed; looked += hashedAtOnce) {
    const some = await listUnhashed(deps.store.read, { before, limit: hashedAtOnce });
    const hashes = new Map<string, string>();
    const hash = ({ id, sha256 }: (typeof some)[number]) =>
      deps.media.hash(sha256).then(
        (phash) => hashes.set(id, phash ?? ""),
        (error) => deps.log.warn({ assetId: id, error: String(error) }, "could not hash a picture"),
      );
    for (let from = 0; from < some.length; from += readAtOnce)
      await Promise.all(some.slice(from, from + readAtOnce).map(hash));
    if (hashes.size > 0) await deps.commit((unit) => setHashes(unit, hashes));
    if (some.length < hashedAtOnce) return;
    before = some.at(-1)!.id;
  }
}

/** Yields all entries of a list that is read in pages by id. */
async function* allOf<T extends { id: string }>(
  list: (after: string) => Promise<T[]>,
): AsyncGenerator<T> {
  for (let after = ""; ; ) {
    const page = await list(after);
    yield* page;
    if (page.length < atOnce) return;
    after = page.at(-1)!.id;
  }
}

/**
 * Polls unconfirmed runs whose job id is known or can be found by our client token, in case their
 * provider recovered or has learned of the job.
 */
async function askAboutUnknown(
  deps: EngineDeps,
  workerId: string,
  found: (run: OwnedRun) => void,
  isDue: AskSchedule,
): Promise<void> {
  const foundByToken: string[] = [];
  for (const [kind, { load }] of deps.kinds) if ((await load()).job?.find) foundByToken.push(kind);
  const page = (after: string) => listUnknownJobs(deps.store.read, foundByToken, after, atOnce);
  for await (const job of allOf(page))
    if (isDue(job, deps.clock.now()))
      await quietly(deps, job.id, async () => {
        const run = await findLostJob(deps, job.id, workerId, { byToken: true });
        if (run) found(run);
      });
}

type AskSchedule = (job: UnknownJob, now: number) => boolean;

/**
 * Schedules the polls of an unconfirmed job, and of a job whose webhook could not be read:
 * immediately, then whenever the time since it was lost has doubled, at least daily, for 30 days. The
 * schedule isn't stored, so a restarted server polls immediately.
 */
function createAskSchedule(): AskSchedule {
  const askedAt = new Map<string, number>();
  return ({ id, lostAt }, now) => {
    if (now - lostAt > askForMs) {
      askedAt.delete(id);
      return false;
    }
    const last = askedAt.get(id);
    // After the clock is set back, polls too often rather than never.
    if (last !== undefined && last <= now && now - last < Math.min(dayMs, last - lostAt))
      return false;
    askedAt.set(id, now);
    return true;
  };
}

/** Keeps one run's error from affecting the next. */
async function quietly(
  deps: EngineDeps,
  runId: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await work().catch((error) =>
    deps.log.warn({ runId, error: String(error) }, "could not look after a run"),
  );
}

const purgeTrash = (deps: EngineDeps, now: number): Promise<void> =>
  inSlices(
    deps,
    async (unit, rows) => {
      const ids = await listTrashedBefore(unit.tx, now - limits.trashMs, rows);
      await updateAssets(unit, ids, { deletedAt: now });
      return ids.length === rows;
    },
    () => mergeWords(deps),
  );

/**
 * Merges the full-text index between the slices of a purge, because a merge can't be split within a
 * range of deleted words. At the purge's end, merges an index last merged `before` a time, because
 * each merge rewrites it whole.
 */
const mergeWords = (deps: EngineDeps, before?: number): Promise<void> =>
  inSlices(deps, ({ tx, at }, pages) => deps.store.mergeWords(tx, { at, pages, before }));

/** A chat whose answer is still streaming stays for the next round. */
async function deleteTemporaryChats(deps: EngineDeps, now: number): Promise<void> {
  for (const id of await listOverTemporary(deps.store.read, now, atOnce))
    await deps
      .commit((unit) => deleteTemporary(unit, id))
      .catch((error) =>
        deps.log.warn(
          { conversationId: id, error: String(error) },
          "could not delete a temporary chat",
        ),
      );
}

async function purgeCollections(deps: EngineDeps, before: number): Promise<void> {
  for (;;) {
    const ids = await listCollectionsTrashedBefore(deps.store.read, before, atOnce);
    if (ids.length === 0) return;
    for (const id of ids)
      while (!(await deps.commit((unit) => dissolveCollection(unit, id, before))));
  }
}

/** An interrupted erasure continues in the next round. */
async function eraseProjects(deps: EngineDeps, now: number): Promise<void> {
  for (const id of await listDueProjects(deps.store.read, now))
    await inSlices(
      deps,
      (unit, most) => eraseProjectPart(unit, id, { now, most }),
      () => partErased(deps),
    );
}

async function erasePeople(deps: EngineDeps): Promise<void> {
  for (const id of await listErasablePeople(deps.store.read))
    await inSlices(
      deps,
      (unit, most) => erasePersonPart(unit, id, most),
      () => partErased(deps),
    );
}

const partErased = async ({ failpoints }: EngineDeps): Promise<void> =>
  failpoints?.at("erase.part");

const deletionTopic = "deletion";

/**
 * Starts the erasure of a deleted person's data at once, on another server if this one runs no
 * chores.
 */
export async function hintDeletion({
  hub,
  store,
}: Pick<EngineDeps, "hub" | "store">): Promise<void> {
  hub.hint(deletionTopic);
  await store.notify(store.db, [{ topic: deletionTopic }]);
}

/**
 * Deletes the deltas of runs that ended an hour ago, whose text is in their messages. Other events
 * stay.
 */
const pruneEvents = (deps: EngineDeps, before: number): Promise<void> =>
  inSlices(deps, async (unit, rows) => {
    // Pruning rewrites a run's row with its whole input.
    const ids = await listPrunable(unit.tx, before, Math.ceil(rows / eventsOfRun));
    if (ids.length === 0) return false;
    await pruneRuns(unit, ids, rows);
    return true;
  });

/**
 * Creates the chores of one server, one round at a time: a request during a round waits for that
 * round.
 */
export function createChores(
  deps: EngineDeps,
  workerId = "",
  found: (run: OwnedRun) => void = () => undefined,
): () => Promise<void> {
  const hasJumped = watchForJumps(deps.clock);
  const isDue = createAskSchedule();
  let underWay: Promise<void> | undefined;
  return () => {
    underWay ??= doChores(deps, workerId, found, hasJumped, isDue)
      .then(
        () => recordRound(deps, null),
        async (error: unknown) => {
          await recordRound(deps, messageOf(error));
          throw error;
        },
      )
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };
}

/** Records a round for the admins' health page. A failure to record doesn't fail the round. */
const recordRound = (deps: EngineDeps, error: string | null): Promise<void> =>
  deps
    .commit(({ tx, at }) =>
      recordChore(tx, {
        id: deps.ids(),
        kind: "upkeep",
        dueAt: at + upkeepEveryMs,
        isDone: error === null,
        error,
      }),
    )
    .catch((failure) =>
      deps.log.warn({ error: String(failure) }, "could not record a round of chores"),
    );

/**
 * Runs the chores every few minutes. Deleted people are also erased at the start and after each
 * deletion.
 */
export function startChores(
  deps: EngineDeps,
  workerId: string,
  found: (run: OwnedRun) => void,
): () => void {
  const chores = createChores(deps, workerId, found);
  const quietlyDo = (chore: () => Promise<void>): void =>
    void chore().catch((error) => deps.log.warn({ error: String(error) }, "a chore failed"));
  const timer = setInterval(() => quietlyDo(chores), upkeepEveryMs).unref();
  const erase = () => quietlyDo(() => erasePeople(deps));
  const unwatch = deps.hub.subscribe(deletionTopic, erase);
  erase();
  return () => {
    clearInterval(timer);
    unwatch();
  };
}
