import { transientEvents } from "#contract/events.ts";
import { limits } from "#contract/limits.ts";
import { listTrashedBefore, updateAssets } from "#store/assets.ts";
import { pruneChanges } from "#store/changes.ts";
import { purgeConversations } from "#store/conversations.ts";
import { listRunsWithPromises, listUnknownWithJob } from "#store/ended-runs.ts";
import { pruneImports } from "#store/project-imports.ts";
import type { OwnedRun } from "#store/run-rows.ts";
import { pruneWebhooks } from "#store/webhooks-in.ts";
import { collectBlobs, watchForJumps } from "./collect.ts";
import type { EngineDeps } from "./deps.ts";
import { fetchMissing } from "./fetch-missing.ts";
import { findLostJob } from "./find-job.ts";
import { forgetOldWebhooks } from "./webhooks/deliver.ts";

const everyMs = 5 * 60_000;
/** Notices of a feed are kept for a tab that slept a week; an older cursor gets a fresh list. */
const changesMs = 7 * 24 * 60 * 60_000;
const atOnce = 200;
/** What a clock that runs ahead would empty for good waits until people have had a day to notice. */
const trashQuietMs = 24 * 60 * 60_000;

/** Work that nobody asked for, each safe to do twice and on several servers at once. `found`: an unconfirmed run goes on. */
export async function doChores(
  deps: EngineDeps,
  workerId = "",
  found: (run: OwnedRun) => void = () => undefined,
  hasJumped: (quietMs?: number) => boolean = () => false,
): Promise<void> {
  const now = deps.clock.now();
  await pruneEvents(deps, now - limits.eventRetentionMs);
  await deps.commit((tx) => pruneChanges(tx, now - changesMs));
  if (!hasJumped(trashQuietMs)) {
    await deps.commit((tx) => purgeConversations(tx, now - limits.trashMs));
    await purgeTrash(deps, now);
  }
  await forgetOldWebhooks(deps);
  await deps.commit((tx) => pruneWebhooks(tx, now - limits.webhookMemoryMs));
  await deps.commit((tx) => pruneImports(tx, now - limits.importMemoryMs));
  await deps.fileOwner?.bringTogether();
  if (!hasJumped()) await collectBlobs(deps);
  await askAboutUnknown(deps, workerId, found);
  for await (const runId of allOf((after) => listRunsWithPromises(deps.store.read, after, atOnce)))
    await quietly(deps, runId, () => fetchMissing(deps, runId));
}

/** Every id of a list that is read a page after an id, in their order. */
async function* allOf(list: (after: string) => Promise<string[]>): AsyncGenerator<string> {
  for (let after = ""; ; ) {
    const ids = await list(after);
    yield* ids;
    if (ids.length < atOnce) return;
    after = ids.at(-1)!;
  }
}

/** Unconfirmed runs whose job has a name: its provider may be there again, or have heard of it by now. */
async function askAboutUnknown(deps: EngineDeps, workerId: string, found: (run: OwnedRun) => void): Promise<void> {
  for await (const runId of allOf((after) => listUnknownWithJob(deps.store.read, after, atOnce)))
    await quietly(deps, runId, async () => {
      const run = await findLostJob(deps, runId, workerId);
      if (run) found(run);
    });
}

/** One run's trouble is not the next one's. */
async function quietly(deps: EngineDeps, runId: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error) => deps.log.warn({ runId, error: String(error) }, "could not look after a run"));
}

async function purgeTrash(deps: EngineDeps, now: number): Promise<void> {
  for (;;) {
    const ids = await listTrashedBefore(deps.store.read, now - limits.trashMs, atOnce);
    if (ids.length === 0) return;
    await deps.commit((tx, outbox) => updateAssets(tx, outbox, ids, { deletedAt: now }, now));
  }
}

/** Deltas of runs that ended an hour ago are in their messages; the other events stay. */
async function pruneEvents(deps: EngineDeps, before: number): Promise<void> {
  for (;;) {
    const runs = await deps.store.read
      .selectFrom("run")
      .select("id")
      .where("finished_at", "<", before)
      .where("pruned_at", "is", null)
      .orderBy("finished_at")
      .limit(atOnce)
      .execute();
    if (runs.length === 0) return;
    const ids = runs.map((run) => run.id);
    await deps.commit(async (tx) => {
      await tx
        .deleteFrom("run_event")
        .where("run_id", "in", ids)
        .where("type", "in", [...transientEvents])
        .execute();
      await tx.updateTable("run").set({ pruned_at: deps.clock.now() }).where("id", "in", ids).execute();
    });
  }
}

/** The chores of one server, never two rounds at once: who asks for another while one is under way waits for that one. */
export function createChores(deps: EngineDeps, workerId = "", found: (run: OwnedRun) => void = () => undefined): () => Promise<void> {
  const hasJumped = watchForJumps(deps.clock);
  let underWay: Promise<void> | undefined;
  return () => {
    underWay ??= doChores(deps, workerId, found, hasJumped).finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

export function startChores(deps: EngineDeps, workerId: string, found: (run: OwnedRun) => void): () => void {
  const chores = createChores(deps, workerId, found);
  const timer = setInterval(
    () => void chores().catch((error) => deps.log.warn({ error: String(error) }, "a chore failed")),
    everyMs,
  ).unref();
  return () => clearInterval(timer);
}
