import { sql } from "kysely";
import { sentences } from "#contract/sentences/index.ts";
import { type EpochReason, epochReasons, type WaitingReason } from "#contract/waiting-reasons.ts";
import { activeStates } from "#domain/runs/run-machine.ts";
import { literals } from "../database/literals.ts";
import type { ConnectionRow, WebhookOutRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";
import { type OwnedRun, toOwnedRun } from "./run-rows.ts";

/**
 * Returns where the database was last served from (place.ts); null if no start has recorded it yet.
 */
export async function getPlace(db: Reader): Promise<string | null> {
  return (
    (await db.selectFrom("instance").select("place").where("id", "=", 1).executeTakeFirst())
      ?.place ?? null
  );
}

export async function setPlace(tx: Tx, place: string): Promise<void> {
  await tx.updateTable("instance").set({ place }).where("id", "=", 1).execute();
}

/**
 * Identifies a PostgreSQL database by its cluster, its own oid, and the oid of one table, which
 * changes when a dump is restored. The cluster's id is omitted when this user may not read it.
 */
export async function identifyPostgres(db: Reader): Promise<string> {
  const own = await sql<{ database: string; instance: string }>`
    select (select oid from pg_database where datname = current_database())::text as database, 'instance'::regclass::oid::text as instance`.execute(
    db,
  );
  const cluster = await sql<{
    id: string;
  }>`select system_identifier::text as id from pg_control_system()`
    .execute(db)
    .catch(() => undefined);
  const { database, instance } = own.rows[0]!;
  return [cluster?.rows[0]?.id ?? "?", database, instance].join("/");
}

const reasons: Record<EpochReason, string> = {
  restore: "The database was restored from a backup",
  copy: "The database was copied or moved",
  overtaken: "Another Bottega took over the files of this one",
};

/**
 * Starts a new epoch. Workers of the original database run elsewhere, and webhooks are paused so
 * that receivers aren't notified twice.
 * @returns the number of paused webhooks
 */
export async function replaceEpoch(
  tx: Tx,
  epoch: string,
  why: EpochReason,
  at: number,
): Promise<number> {
  await tx.updateTable("instance").set({ epoch }).where("id", "=", 1).execute();
  await tx.deleteFrom("worker").execute();
  const given: Pick<WebhookOutRow, "status" | "last_error"> = {
    status: "given-up",
    last_error: sentences.webhooks.notSent({ reason: reasons[why] }),
  };
  await tx.updateTable("webhook_out").set(given).where("status", "=", "waiting").execute();
  await tx.updateTable("run_webhook").set(given).where("status", "=", "waiting").execute();
  const paused = await tx
    .updateTable("webhook_endpoint")
    .set({
      disabled_at: at,
      disabled_why: sentences.webhooks.resumeHere({ reason: reasons[why] }),
    })
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  return Number(paused.numUpdatedRows);
}

/** Lists queued runs that can be claimed at once, or as soon as a budget has room. */
export async function listQueued(
  tx: Tx,
): Promise<{ id: string; waitingFor: WaitingReason | null }[]> {
  const rows = await tx
    .selectFrom("run")
    .select(["id", "waiting_for"])
    .where("state", "=", sql.lit("queued"))
    .where((e) =>
      e.or([e("waiting_for", "is", null), e("waiting_for", "not in", literals(epochReasons))]),
    )
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ id: row.id, waitingFor: row.waiting_for as WaitingReason | null }));
}

/**
 * A run that was active, with its connection's kind and, where there is one, the provider's job id.
 */
export type ActiveRun = {
  run: OwnedRun;
  kind: ConnectionRow["kind"];
  providerRequestId: string | null;
};

export async function listActiveRuns(tx: Tx): Promise<ActiveRun[]> {
  const rows = await tx
    .selectFrom("run")
    .innerJoin("connection", "connection.id", "run.connection_id")
    .leftJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .selectAll("run")
    .select(["connection.kind as kind", "attempt.provider_request_id as provider_request_id"])
    .where("run.state", "in", literals(activeStates))
    .orderBy("run.id")
    .execute();
  return rows.map((row) => ({
    run: toOwnedRun(row),
    kind: row.kind,
    providerRequestId: row.provider_request_id,
  }));
}
