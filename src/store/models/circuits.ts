import { sql } from "kysely";
import { cleanText } from "#contract/entities.ts";
import { type Circuit, isQuestionDue, whileProbing } from "#domain/runs/circuit.ts";
import { prepared } from "../database/prepared.ts";
import type { CircuitRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

const toCircuit = (row: CircuitRow): Circuit => ({
  modelId: row.model_id,
  kind: row.kind,
  failures: row.failures,
  inputs: row.inputs.split(" ").filter(Boolean),
  openedAt: row.opened_at,
  pausedUntil: row.paused_until,
  detail: row.detail,
});

const ofConnection = prepared((db, { connectionId }: { connectionId: string }) =>
  db.selectFrom("circuit").selectAll().where("connection_id", "=", connectionId),
);

/** Lists the current failures of a connection and its models; usually there are none. */
export async function listCircuits(db: Reader, connectionId: string): Promise<Circuit[]> {
  return (await ofConnection(db, { connectionId })).map(toCircuit);
}

/** Lists all failures by connection. */
export async function listAllCircuits(db: Reader): Promise<Map<string, Circuit[]>> {
  const rows = await db.selectFrom("circuit").selectAll().execute();
  return new Map(
    [...Map.groupBy(rows, (row) => row.connection_id)].map(([id, of]) => [id, of.map(toCircuit)]),
  );
}

/**
 * Locks a connection's circuits for a unit that decides on them. Undefined when the connection is
 * gone.
 */
export async function lockCircuits(
  tx: Tx,
  connectionId: string,
): Promise<
  { circuits: Circuit[]; status: "unchecked" | "ok" | "failing" | "disabled" } | undefined
> {
  const row = await tx
    .selectFrom("connection")
    .select("status")
    .where("id", "=", connectionId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && { circuits: await listCircuits(tx, connectionId), status: row.status };
}

/** Replaces the circuit of the same kind. The connection must be locked. */
export async function putCircuit(tx: Tx, connectionId: string, circuit: Circuit): Promise<void> {
  await removeCircuit(tx, connectionId, circuit);
  await tx
    .insertInto("circuit")
    .values({
      connection_id: connectionId,
      model_id: circuit.modelId,
      kind: circuit.kind,
      failures: circuit.failures,
      inputs: circuit.inputs.join(" "),
      opened_at: circuit.openedAt,
      paused_until: circuit.pausedUntil,
      detail: circuit.detail && cleanText(circuit.detail),
    })
    .execute();
}

export async function removeCircuit(
  tx: Tx,
  connectionId: string,
  { modelId, kind }: Pick<Circuit, "modelId" | "kind">,
): Promise<void> {
  await tx
    .deleteFrom("circuit")
    .where("connection_id", "=", connectionId)
    .where("model_id", modelId === null ? "is" : "=", modelId)
    .where("kind", "=", kind)
    .execute();
}

/** Whether a run is queued for a connection. */
export async function isWaitedFor(db: Reader, connectionId: string): Promise<boolean> {
  const row = await db
    .selectFrom("run")
    .select("id")
    .where("connection_id", "=", connectionId)
    .where("state", "=", sql.lit("queued"))
    .where("waiting_for", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Claims the next free health check of a connection's service for this server. False when none is
 * due or another server runs it.
 */
export async function takeQuestion(tx: Tx, connectionId: string, now: number): Promise<boolean> {
  const known = await lockCircuits(tx, connectionId);
  const waits = await isWaitedFor(tx, connectionId);
  const due =
    known?.status === "disabled"
      ? undefined
      : known?.circuits.find((circuit) => isQuestionDue(circuit, now, waits));
  if (due) await putCircuit(tx, connectionId, whileProbing(due, now));
  return due !== undefined;
}
