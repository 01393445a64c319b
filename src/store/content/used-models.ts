import { type RawBuilder, sql } from "kysely";
import type { Asset, Model, ModelRef } from "#contract/entities.ts";
import type { UsedModelOrder } from "#contract/filters/model-filters.ts";
import { fromCursor, toCursor } from "../database/cursor.ts";
import type { Reader, Searchable } from "../database/store.ts";
import {
  type ModelFilter,
  pickModels,
  reachedConnections,
  readLeads,
} from "../models/list-models.ts";
import { listAssets } from "./assets.ts";

/** A model's recent activity in a project, as far as one person may see it. */
export type UsedModel = {
  model: Model;
  /** Three of the newest pictures and videos at most: kept ones first, rejected ones last. */
  assets: Asset[];
  /** Time from start to finish; null when no run has both. */
  medianMs: number | null;
  /** The number of runs in the median. */
  runs: number;
};

/** The number of a model's newest runs that are read, including failed ones. */
const runsScanned = 60;
const samples = 3;
/**
 * Assets read for the samples. There are more than samples, because a model that speaks may also
 * draw, and because most of a batch may be rejected.
 */
const assetsScanned = 24;
/** The order of samples, because a model is judged by its best results. */
const sampleOrder = { kept: 0, none: 1, rejected: 2 } as const;

type UsedFilter = Omit<ModelFilter, "order"> & {
  projectId: string;
  order?: UsedModelOrder;
  /** The models' scores, for the order by rating. */
  scores?: readonly (ModelRef & { score: number })[];
};
type UsedRef = ModelRef & { newestRunId: string };

/**
 * Lists the models that made something in a project, with recent results and durations: by newest
 * run, or in another order first.
 */
export async function listUsedModels(
  store: Searchable,
  { order, ...filter }: UsedFilter & { cursor?: string; limit: number },
): Promise<{ models: UsedModel[]; next: string | null }> {
  const [from, before] = filter.cursor
    ? (fromCursor(filter.cursor, ["number", "string"]) as [number, string])
    : [];
  const used = await listRefs(store.read, filter, reachedConnections(filter));
  const refs = (await addLeads(store, { ...filter, ...(order && { order }) }, used))
    .filter(
      ({ lead, newestRunId }) =>
        from === undefined ||
        before === undefined ||
        lead > from ||
        (lead === from && newestRunId < before),
    )
    // Equal ones stay by newest run.
    .sort((a, b) => a.lead - b.lead);
  const models: UsedModel[] = [];
  for (let at = 0; at < refs.length; at += filter.limit) {
    const some = refs.slice(at, at + filter.limit);
    for (const model of await pickModels(store, filter, some)) {
      const used = await readUse(store, model, filter);
      if (!used) continue;
      models.push(used);
      const ref = some.find(({ connectionId, modelId }) => isOf(model, { connectionId, modelId }))!;
      const isLast = ref === refs.at(-1);
      if (models.length === filter.limit)
        return { models, next: isLast ? null : toCursor([ref.lead, ref.newestRunId]) };
    }
  }
  return { models, next: null };
}

/** After every known value. */
const unknown = Number.MAX_SAFE_INTEGER;

/** Adds what the order sorts by, lowest first. Models that don't pass the filter may be left out. */
async function addLeads(
  store: Searchable,
  { order = "recent", scores = [], ...filter }: UsedFilter,
  refs: readonly UsedRef[],
): Promise<(UsedRef & { lead: number })[]> {
  if (order === "recent") return refs.map((ref) => ({ ...ref, lead: 0 }));
  if (order === "rating")
    return refs.map((ref) => {
      const rated = scores.find((one) => isOf(one, ref));
      // A cursor holds whole numbers only.
      return { ...ref, lead: rated ? -Math.round(rated.score * 1e9) : unknown };
    });
  const known = await readLeads(
    store,
    { ...filter, order: order === "speed" ? "name" : order },
    refs,
  );
  const led: (UsedRef & { lead: number })[] = [];
  for (const ref of refs) {
    const found = known.find((one) => isOf(one, ref));
    if (!found) continue;
    const lead =
      order === "speed"
        ? ((await readTimes(store.read, ref, filter)).medianMs ?? unknown)
        : found.lead;
    led.push({ ...ref, lead });
  }
  return led;
}

const isOf = (model: ModelRef, ref: ModelRef): boolean =>
  model.connectionId === ref.connectionId && model.modelId === ref.modelId;

/**
 * A person may see shared runs and their own private ones, each with its own index. No order,
 * cursor or count reveals other people's private runs, however many there are.
 */
const seenBy = (userId: string): RawBuilder<boolean>[] => [
  sql<boolean>`run.visibility = 'project'`,
  sql<boolean>`run.visibility = 'author' and run.user_id = ${userId}`,
];

/**
 * Finds each used model by one index step, however many runs it has, with its newest run that the
 * person may see.
 */
async function listRefs(
  db: Reader,
  { projectId, userId }: { projectId: string; userId: string },
  connectionIds: readonly string[],
): Promise<UsedRef[]> {
  const found = new Map<string, UsedRef>();
  for (const connectionId of connectionIds) {
    for (const seen of seenBy(userId)) {
      const of = sql`run.project_id = ${projectId} and run.connection_id = ${connectionId} and ${seen}`;
      const { rows } = await sql<{ model_id: string; newest: string }>`
        with recursive used (model_id) as (
          select min(run.model_id) from run where ${of}
          union all
          select (select min(run.model_id) from run where ${of} and run.model_id > used.model_id)
          from used where used.model_id is not null
        )
        select used.model_id, (
          select run.id from run where ${of} and run.model_id = used.model_id order by run.id desc limit 1
        ) as newest
        from used where used.model_id is not null`.execute(db);
      for (const { model_id: modelId, newest } of rows) {
        const key = `${connectionId}/${modelId}`;
        if (newest > (found.get(key)?.newestRunId ?? ""))
          found.set(key, { connectionId, modelId, newestRunId: newest });
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.newestRunId < b.newestRunId ? 1 : -1));
}

/** Reads how long a model's newest runs took, and how many succeeded. */
async function readTimes(
  db: Reader,
  { connectionId, modelId }: ModelRef,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<Pick<UsedModel, "medianMs" | "runs">> {
  const rows = await Promise.all(
    seenBy(userId).map((seen) =>
      db
        .selectFrom("run")
        .select(["id", "state", "started_at", "finished_at"])
        .where("project_id", "=", projectId)
        .where("connection_id", "=", connectionId)
        .where("model_id", "=", modelId)
        .where(seen)
        .orderBy("id", "desc")
        .limit(runsScanned)
        .execute(),
    ),
  );
  const newest = rows.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  const done = newest.slice(0, runsScanned).filter(({ state }) => state === "succeeded");
  const times = done.flatMap(({ started_at, finished_at }) =>
    started_at !== null && finished_at !== null ? [Number(finished_at) - Number(started_at)] : [],
  );
  return { medianMs: median(times), runs: done.length };
}

async function readUse(
  store: Searchable,
  model: Model,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<UsedModel | undefined> {
  const { connectionId, modelId } = model;
  const times = await readTimes(store.read, model, { projectId, userId });
  if (times.runs === 0) return undefined;
  const { assets } = await listAssets(store, {
    ...{ projectId, userId, connectionId, modelId },
    trash: false,
    limit: assetsScanned,
  });
  return {
    model,
    assets: assets
      .filter(({ kind }) => kind === "image" || kind === "video")
      .sort((a, b) => sampleOrder[a.pick] - sampleOrder[b.pick])
      .slice(0, samples),
    ...times,
  };
}

/** Returns the middle value, or the lower of the two. */
function median(values: number[]): number | null {
  values.sort((a, b) => a - b);
  return values[Math.floor((values.length - 1) / 2)] ?? null;
}
