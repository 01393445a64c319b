import { type SelectQueryBuilder, sql } from "kysely";
import { limits } from "#contract/limits.ts";
import { textTasks } from "#contract/tasks.ts";
import { longestWaitMs } from "#domain/runs/backoff.ts";
import { type Circuit, gateOf, whileProbing } from "#domain/runs/circuit.ts";
import { activeStates } from "#domain/runs/run-machine.ts";
import { fromJson } from "../database/json.ts";
import { literals } from "../database/literals.ts";
import { prepared } from "../database/prepared.ts";
import type { Database, RunRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { listCircuits, putCircuit } from "../models/circuits.ts";
import { type Slots, toSlots } from "../models/connections.ts";
import { insertAttempt } from "./attempts.ts";
import type { ClaimedRun } from "./run-rows.ts";
import { moveRun } from "./runs.ts";
import type { Unit } from "./unit.ts";

/**
 * Lists the connections with runs to claim now. `nextAt` is when the next delayed run becomes
 * claimable.
 */
export async function connectionsWithWork(
  db: Reader,
  now: number,
): Promise<{ connectionIds: string[]; nextAt: number | null }> {
  const rows = await db
    .selectFrom("run")
    .select((e) => ["connection_id", e.fn.min<number | null>("not_before").as("not_before")])
    .where("state", "=", sql.lit("queued"))
    .where("waiting_for", "is", null)
    .groupBy("connection_id")
    .execute();
  const later = rows
    .map((row) => row.not_before)
    .filter((at): at is number => at !== null && at > now);
  return {
    connectionIds: rows.map((row) => row.connection_id),
    nextAt: later.length > 0 ? Math.min(...later) : null,
  };
}

const workOf = prepared((db, { workerId }: { workerId: string }) => {
  const runs = db.selectFrom("run").select("id");
  return db.selectNoFrom((e) => [
    e
      .exists(runs.where("state", "=", sql.lit("queued")).where("waiting_for", "is", null))
      .as("queued"),
    e.exists(db.selectFrom("circuit").select("connection_id")).as("circuits"),
    e.exists(runs.where("worker_id", "=", workerId).where("finished_at", "is", null)).as("owned"),
  ]);
});

/**
 * Checks in one statement which of a worker's polls would find anything: runs to claim, paused
 * circuits, runs recorded as its own.
 */
export async function findWork(
  db: Reader,
  workerId: string,
): Promise<{ queued: boolean; circuits: boolean; owned: boolean }> {
  const [found] = await workOf(db, { workerId });
  return {
    queued: Boolean(found?.queued),
    circuits: Boolean(found?.circuits),
    owned: Boolean(found?.owned),
  };
}

type Claim = { connectionId: string; workerId: string; clientToken(): string };
/** Text runs have slots of their own, so that a queue of slow images can't hold up chats. */
type Class = "text" | "media";
/**
 * The number of concurrent runs of each class that a connection may have, from its kind, address
 * and settings.
 */
export type SlotsOf = (connection: {
  kind: string;
  baseUrls: Record<string, string>;
  places: Slots;
}) => Record<Class, number>;

const hostedSlotsOf: SlotsOf = ({ places: slots }) => ({
  text: slots.text ?? limits.textSlots,
  media: slots.media ?? limits.mediaSlots,
});

const queuedOn = (db: Reader, connectionId: string) =>
  db
    .selectFrom("run")
    .select("id")
    .where("connection_id", "=", connectionId)
    .where("state", "=", sql.lit("queued"))
    .where("waiting_for", "is", null);
const anyQueuedRow = prepared((db, { connectionId }: { connectionId: string }) =>
  queuedOn(db, connectionId).limit(1),
);

/** Whether the connection has a queued run that may be claimed, now or once it is due. */
export const isAnyQueued = async (db: Reader, connectionId: string): Promise<boolean> =>
  (await anyQueuedRow(db, { connectionId })).length > 0;

const slotsRow = prepared((db, { id }: { id: string }) =>
  db
    .selectFrom("connection")
    .select(["kind", "base_urls", "text_places", "media_places", "said_places"])
    .where("id", "=", id)
    .where("status", "!=", sql.lit("disabled"))
    // An admission never waits for another one's slot: while the connection is locked by a claim,
    // its run goes to the queue.
    .forNoKeyUpdate()
    .skipLocked(),
);
const occupancyOf = (group: Class) =>
  prepared((db, { connectionId }: { connectionId: string }) =>
    db.selectNoFrom((e) => [
      e.exists(queuedOn(db, connectionId)).as("isAnyQueued"),
      e
        .exists(
          db
            .selectFrom("circuit")
            .select("connection_id")
            .where("connection_id", "=", connectionId),
        )
        .as("isAnyPaused"),
      db
        .selectFrom("run")
        .select((runs) => runs.fn.countAll<number>().as("runs"))
        .where("connection_id", "=", connectionId)
        .where("state", "in", literals(activeStates))
        .where("state", "!=", sql.lit("storing"))
        .where("placeless", "=", sql.lit(0))
        .where("task", group === "text" ? "in" : "not in", literals(textTasks))
        .as("taken"),
    ]),
  );
/** Read after the connection is locked, so that it sees everything committed before. */
const occupancy = { text: occupancyOf("text"), media: occupancyOf("media") };

/**
 * Whether a run that is about to be admitted may be claimed in the same unit: a slot of its class
 * is free, its service has not failed, and no other run is queued on the connection, so nobody is
 * overtaken. No other claim can take the slot until the unit ends.
 */
export async function hasFreeSlot(
  tx: Tx,
  { connectionId, task }: { connectionId: string; task: string },
  slotsOf: SlotsOf,
): Promise<boolean> {
  const [connection] = await slotsRow(tx, { id: connectionId });
  if (!connection) return false;
  const group = isText(task) ? "text" : "media";
  const [now] = await occupancy[group](tx, { connectionId });
  if (!now || now.isAnyQueued || now.isAnyPaused) return false;
  const slots = slotsOf({
    kind: connection.kind,
    baseUrls: fromJson(connection.base_urls),
    places: toSlots(connection),
  });
  return Number(now.taken) < slots[group];
}

/**
 * Claims up to `most` queued runs of a connection, each with its attempt, in the caller's unit.
 * They are `submitting` and owned when the unit commits, before anything is sent. People and API
 * keys take turns: the one with the fewest active runs goes first, then the one served longest ago.
 * One unit claims several runs, because each unit waits for all other units before its answers can
 * start.
 * @returns fewer than `most` when all slots of the connection are taken, its service fails, or the
 *   queue is empty
 */
export async function claimRuns(
  unit: Unit,
  claim: Claim & { most: number; slotsOf?: SlotsOf },
): Promise<ClaimedRun[]> {
  const connection = await unit.tx
    .selectFrom("connection")
    .select([
      "kind",
      "base_urls",
      "text_places",
      "media_places",
      "said_places",
      "text_turn",
      "media_turn",
      "status",
    ])
    .where("id", "=", claim.connectionId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!connection || connection.status === "disabled") return [];
  const circuits = await listCircuits(unit.tx, claim.connectionId);
  const gate = gateOf(circuits, unit.at);
  if (gate.connection === "open") return [];
  const active = await unit.tx
    .selectFrom("run")
    .select((e) => [taker.as("taker"), "task", e.fn.countAll<number>().as("runs")])
    .where("connection_id", "=", claim.connectionId)
    .where("state", "in", literals(activeStates))
    // A run that only waits for its files has finished at the provider, and may wait for days.
    .where("state", "!=", sql.lit("storing"))
    .where("placeless", "=", sql.lit(0))
    .groupBy([taker, "task"])
    .execute();
  const slots = (claim.slotsOf ?? hostedSlotsOf)({
    kind: connection.kind,
    baseUrls: fromJson(connection.base_urls),
    places: toSlots(connection),
  });
  const lines = (["text", "media"] as const).map((group): Line => {
    const taken = new Map<string, number>();
    let all = 0;
    for (const row of active.filter(({ task }) => isText(task) === (group === "text"))) {
      taken.set(row.taker, (taken.get(row.taker) ?? 0) + Number(row.runs));
      all += Number(row.runs);
    }
    return {
      group,
      free: slots[group] - all,
      taken,
      last: group === "text" ? connection.text_turn : connection.media_turn,
    };
  });
  const claimed: ClaimedRun[] = [];
  async function take(of: {
    models?: readonly string[];
    most: number;
    isProbe: boolean;
  }): Promise<void> {
    let left = of.most;
    for (const line of lines) {
      const most = Math.min(left, claim.most - claimed.length, line.free);
      if (most <= 0) continue;
      for (const next of await nextRuns(unit, claim, line, {
        most,
        ...(of.models && { models: of.models }),
      })) {
        const run = await claimOne(unit, claim, next);
        if (!run) continue;
        claimed.push({ ...run, isProbe: of.isProbe });
        line.free--;
        left--;
      }
    }
  }
  if (gate.connection === "closed" && gate.models.size === 0) {
    await take({ most: claim.most, isProbe: false });
    return claimed;
  }
  const waiting = await modelsWaiting(unit.tx, claim.connectionId);
  const halfOpen = waiting.filter((modelId) => gate.models.get(modelId) === "half-open");
  const closed = waiting.filter((modelId) => !gate.models.has(modelId));
  if (gate.connection === "half-open")
    await take({ models: [...closed, ...halfOpen], most: 1, isProbe: true });
  else {
    for (const modelId of halfOpen) await take({ models: [modelId], most: 1, isProbe: true });
    await take({ models: closed, most: claim.most, isProbe: false });
  }
  const probing = claimed.filter(({ isProbe }) => isProbe);
  const isProbed = (circuit: Circuit): boolean =>
    circuit.openedAt !== null &&
    probing.some(({ modelId }) => circuit.modelId === null || circuit.modelId === modelId);
  for (const circuit of circuits.filter(isProbed))
    await putCircuit(unit.tx, claim.connectionId, whileProbing(circuit, unit.at));
  return claimed;
}

/**
 * Lists the models with queued runs on a connection, by one index step for each model: a paused
 * model may have any number of queued runs.
 */
async function modelsWaiting(tx: Tx, connectionId: string): Promise<string[]> {
  const models: string[] = [];
  for (;;) {
    const row = await tx
      .selectFrom("run")
      .select("model_id")
      .where("connection_id", "=", connectionId)
      .where("state", "=", sql.lit("queued"))
      .where("model_id", ">", models.at(-1) ?? "")
      .orderBy("connection_id")
      .orderBy("model_id")
      .limit(1)
      .executeTakeFirst();
    if (!row) return models;
    models.push(row.model_id);
  }
}

const isText = (task: string): boolean => (textTasks as readonly string[]).includes(task);
/** Each API key takes its own turns, apart from its owner. */
const taker = sql<string>`coalesce(api_key_id, user_id)`;

type Waiting = Pick<RunRow, "id" | "attempts" | "fence" | "request_hash" | "started_at">;

async function claimOne(
  unit: Unit,
  claim: Claim,
  next: Waiting,
): Promise<Omit<ClaimedRun, "isProbe"> | undefined> {
  const number = next.attempts + 1;
  // The run comes first: inserting an attempt takes a weak lock on it through the foreign key, and
  // two units that upgrade that lock would deadlock.
  const run = await moveRun(unit, {
    runId: next.id,
    step: { type: "claimed" },
    // The run may have moved to another model since it was read, or may need approval.
    expect: { connectionId: claim.connectionId, fence: next.fence },
    events: [{ type: "run-started", payload: { attempt: number } }],
    set: {
      worker_id: claim.workerId,
      fence: next.fence + 1,
      attempts: number,
      started_at: next.started_at ?? unit.at,
      not_before: null,
    },
  });
  if (!run) return undefined;
  const clientToken = claim.clientToken();
  await insertAttempt(unit.tx, {
    runId: next.id,
    number,
    requestHash: next.request_hash,
    clientToken,
  });
  return { ...run, clientToken };
}

/**
 * Claims a run in the unit that admits it. It is owned from the start, and no other worker ever
 * sees it queued. Used for live sessions, whose socket is on this server.
 */
export function claimAdmitted(
  unit: Unit,
  run: { id: string; requestHash: string },
  claim: Claim,
): Promise<Omit<ClaimedRun, "isProbe"> | undefined> {
  return claimOne(unit, claim, {
    id: run.id,
    attempts: 0,
    fence: 0,
    request_hash: run.requestHash,
    started_at: null,
  });
}

/** Counts a person's open live sessions. */
export async function countSessions(tx: Tx, userId: string): Promise<number> {
  const row = await tx
    .selectFrom("run")
    .select((e) => e.fn.countAll<number>().as("open"))
    .where("user_id", "=", userId)
    .where("task", "=", sql.lit("live"))
    .where("finished_at", "is", null)
    .executeTakeFirst();
  return Number(row?.open ?? 0);
}

/** Whether a live session is open on a connection, on any server. */
export async function isDrawnOn(db: Reader, connectionId: string): Promise<boolean> {
  const row = await db
    .selectFrom("run")
    .select("id")
    .where("connection_id", "=", connectionId)
    .where("task", "=", sql.lit("live"))
    .where("finished_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The active runs of one class on a connection, counted by taker, and the number of free slots. */
type Line = { group: Class; free: number; taken: Map<string, number>; last: string | null };

/** Picks up to `most` runs by turn, restricted to `models` when given. */
async function nextRuns(
  { tx, at }: Unit,
  claim: Claim,
  line: Line,
  of: { most: number; models?: readonly string[] },
): Promise<Waiting[]> {
  if (of.models?.length === 0) return [];
  const ready = tx
    .selectFrom("run")
    .$if(of.models !== undefined, (runs) => runs.where("model_id", "in", of.models ?? []))
    .where("connection_id", "=", claim.connectionId)
    .where("state", "=", sql.lit("queued"))
    .where("waiting_for", "is", null)
    .where("task", line.group === "text" ? "in" : "not in", literals(textTasks))
    .where((e) =>
      e.or([
        e("not_before", "is", null),
        e("not_before", "<=", at),
        e("not_before", ">", at + longestWaitMs),
      ]),
    )
    // Runs of a suspended person wait until the person is reinstated or the run is canceled.
    .where(
      "user_id",
      "not in",
      tx.selectFrom("user").select("id").where("status", "=", sql.lit("suspended")),
    );
  const takers = (await ready.select(taker.as("taker")).groupBy(taker).execute()).map(
    (row) => row.taker,
  );
  const hasTurns = takers.length > 1;
  const active = (one: string): number => line.taken.get(one) ?? 0;
  const waitingOf = new Map<string, Waiting[]>();
  const chosen: Waiting[] = [];
  let { last } = line;
  /** Round robin after the last taker: nobody is skipped, however many runs another has queued. */
  const isAfterLast = (one: string): boolean => last === null || one > last;
  while (chosen.length < of.most && takers.length > 0) {
    takers.sort(
      (a, b) =>
        active(a) - active(b) ||
        Number(isAfterLast(b)) - Number(isAfterLast(a)) ||
        (a < b ? -1 : 1),
    );
    const first = takers[0]!;
    const waiting = waitingOf.get(first) ?? (await waitingRuns(ready, first, of.most));
    waitingOf.set(first, waiting);
    const next = waiting.shift();
    if (next) {
      chosen.push(next);
      line.taken.set(first, active(first) + 1);
      last = first;
    }
    if (waiting.length === 0) takers.shift();
  }
  if (hasTurns && last !== line.last)
    await tx
      .updateTable("connection")
      .set(line.group === "text" ? { text_turn: last } : { media_turn: last })
      .where("id", "=", claim.connectionId)
      .execute();
  line.last = last;
  return chosen;
}

const waitingRuns = (
  ready: SelectQueryBuilder<Database, "run", object>,
  whose: string,
  most: number,
): Promise<Waiting[]> =>
  ready
    .select(["id", "attempts", "fence", "request_hash", "started_at"])
    .where(taker, "=", whose)
    .orderBy("priority", "desc")
    .orderBy("id")
    .limit(most)
    .execute();
