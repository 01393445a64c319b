import { sql } from "kysely";
import type { RunWarning } from "#contract/entities.ts";
import { type NewRunEvent, transientEvents } from "#contract/events.ts";
import type { JsonObject } from "#contract/json.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import { literals } from "../database/literals.ts";
import type { RunRow } from "../database/schema.ts";
import type { Reader } from "../database/store.ts";
import type { OwnedRun } from "./run-rows.ts";
import { insertEvents, lockRun, notifyRun } from "./runs.ts";
import type { Unit } from "./unit.ts";

/** Appends to a run after its end: its state stays, its log grows, and watchers are notified. */
export async function noteAfterEnd(
  unit: Unit,
  note: {
    runId: string;
    events: readonly NewRunEvent[];
    warnings?: (before: RunWarning[]) => RunWarning[];
    set?: Pick<Partial<RunRow>, "cost_micros" | "cost_basis" | "usage" | "result">;
  },
): Promise<OwnedRun | undefined> {
  const run = await lockRun(unit.tx, note.runId);
  if (!run || run.finishedAt === null) return undefined;
  const warnings = note.warnings?.(run.warnings) ?? run.warnings;
  await unit.tx
    .updateTable("run")
    .set({ ...note.set, warnings: toJson(warnings), seq: run.lastSeq + note.events.length })
    .where("id", "=", run.id)
    .execute();
  await insertEvents(unit, run.id, run.lastSeq, note.events);
  notifyRun(unit, run);
  return { ...run, warnings };
}

/** Lists ended runs with results that are still to be downloaded, by id, one page after an id. */
export function listRunsWithPromises(
  db: Reader,
  after: string,
  limit: number,
): Promise<{ id: string }[]> {
  return db
    .selectFrom("output")
    .innerJoin("run", "run.id", "output.run_id")
    .select("run.id")
    .distinct()
    .where("output.state", "=", sql.lit("promised"))
    .where("run.finished_at", "is not", null)
    .where("run.id", ">", after)
    .orderBy("run.id")
    .limit(limit)
    .execute();
}

/** Lists runs that ended before a time and still have transient events, oldest first. */
export async function listPrunable(db: Reader, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("run")
    .select("id")
    .where("finished_at", "<", before)
    .where("pruned_at", "is", null)
    .orderBy("finished_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Deletes up to `most` transient events of these runs, and marks the runs pruned once none is left.
 * @returns whether more may be left
 */
export async function pruneRuns(
  { tx, at }: Unit,
  runIds: readonly string[],
  most: number,
): Promise<boolean> {
  const ids = toJson(runIds);
  const { numDeletedRows } = await tx
    .deleteFrom("run_event")
    .where((e) =>
      e(
        e.refTuple("run_id", "seq"),
        "in",
        e
          .selectFrom("run_event")
          .select(["run_id", "seq"])
          .where(isOneOf(tx, "run_id", ids))
          .where("type", "in", literals(transientEvents))
          .limit(most)
          .$asTuple("run_id", "seq"),
      ),
    )
    .executeTakeFirst();
  if (Number(numDeletedRows) === most) return true;
  await tx
    .updateTable("run")
    .set({ pruned_at: at })
    .where(isOneOf(tx, "id", ids))
    .execute();
  return false;
}

/** An unconfirmed run, and when its attempt was given up: Unix time in milliseconds. */
export type UnknownJob = { id: string; lostAt: number };

/**
 * Lists unconfirmed runs that can be looked up at the provider: by the job's id, or by our token
 * for kinds that support it. One page after an id.
 */
export async function listUnknownJobs(
  db: Reader,
  foundByToken: readonly string[],
  after: string,
  limit: number,
): Promise<UnknownJob[]> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("connection", "connection.id", "run.connection_id")
    .innerJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .select(["run.id", "attempt.ended_at as endedAt", "run.created_at as createdAt"])
    .where("run.state", "=", sql.lit("unconfirmed"))
    .where((e) =>
      e.or([
        e("attempt.provider_request_id", "is not", null),
        ...(foundByToken.length > 0 ? [e("connection.kind", "in", foundByToken)] : []),
      ]),
    )
    .where("run.id", ">", after)
    .orderBy("run.id")
    .limit(limit)
    .execute();
  return rows.map(({ id, endedAt, createdAt }) => ({ id, lostAt: endedAt ?? createdAt }));
}

/**
 * Lists the connection's runs, newest first, whose request was sent but whose job id is unknown:
 * each may own a job that turns up there.
 */
export async function listSentWithoutJob(
  db: Reader,
  connectionId: string,
  exceptId: string,
): Promise<{ id: string; projectId: string; input: JsonObject }[]> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .select(["run.id", "run.project_id", "run.input"])
    .where("run.connection_id", "=", connectionId)
    .where("run.finished_at", "is", null)
    .where("run.state", "in", ["submitting", "unconfirmed"])
    .where("run.id", "!=", exceptId)
    .where("attempt.provider_request_id", "is", null)
    .orderBy("run.id", "desc")
    .limit(maxSent)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    input: fromJson<JsonObject>(row.input),
  }));
}

const maxSent = 200;

/**
 * Erases the request and the answer of an ended run, with the events that show them. The run itself
 * and its cost stay. So do copies of the same text elsewhere, such as in a later turn that sent it
 * again.
 */
export async function eraseContent(unit: Unit, runId: string): Promise<void> {
  const run = await lockRun(unit.tx, runId);
  if (!run || run.finishedAt === null) return;
  // A provider's error response may quote the request.
  const { providerAnswer: _, ...error } = run.error ?? {};
  await unit.tx
    .updateTable("run")
    .set({
      input: toJson({ erasedAt: unit.at }),
      asked: null,
      next_models: null,
      result: null,
      error: run.error && toJson(error),
    })
    .where("id", "=", runId)
    .execute();
  await unit.tx
    .deleteFrom("run_event")
    .where("run_id", "=", runId)
    .where("type", "in", [...transientEvents])
    .execute();
  await unit.tx.deleteFrom("run_input").where("run_id", "=", runId).execute();
  // Nothing more is downloaded for it.
  await unit.tx
    .deleteFrom("output")
    .where("run_id", "=", runId)
    .where("state", "!=", "stored")
    .execute();
  notifyRun(unit, run);
}
