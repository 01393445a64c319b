import { cleanText } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { fromJson, toJson } from "../database/json.ts";
import type { WorkflowRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

export type Workflow = { id: string; name: string; document: JsonObject; updatedAt: number };

const toWorkflow = (row: WorkflowRow): Workflow => ({
  id: row.id,
  name: row.name,
  document: fromJson(row.document),
  updatedAt: row.updated_at,
});

const ofConnection = (db: Reader, connectionId: string) =>
  db.selectFrom("workflow").selectAll().where("connection_id", "=", connectionId);

export async function listWorkflows(db: Reader, connectionId: string): Promise<Workflow[]> {
  return (await ofConnection(db, connectionId).orderBy("name").orderBy("id").execute()).map(
    toWorkflow,
  );
}

export async function getWorkflow(
  db: Reader,
  connectionId: string,
  id: string,
): Promise<Workflow | undefined> {
  const row = await ofConnection(db, connectionId).where("id", "=", id).executeTakeFirst();
  return row && toWorkflow(row);
}

/**
 * Lists workflows without their documents. `isOffered` tells whether the server can run one, by its
 * last answer.
 */
export async function listWorkflowNames(
  db: Reader,
  connectionId: string,
): Promise<{ id: string; name: string; updatedAt: number; isOffered: boolean }[]> {
  const rows = await db
    .selectFrom("workflow")
    .leftJoin("model", (on) =>
      on
        .onRef("model.connection_id", "=", "workflow.connection_id")
        .onRef("model.model_id", "=", "workflow.id"),
    )
    .select(["workflow.id", "workflow.name", "workflow.updated_at", "model.status"])
    .where("workflow.connection_id", "=", connectionId)
    .orderBy("workflow.name")
    .orderBy("workflow.id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    updatedAt: row.updated_at,
    isOffered: row.status === "active",
  }));
}

export type NewWorkflow = {
  connectionId: string;
  id: string;
  name: string;
  document: JsonObject;
  updatedBy: string;
  at: number;
};

/**
 * Adds a workflow or replaces its content. The id stays, so recipes that refer to it still work.
 */
export async function putWorkflow(
  tx: Tx,
  { connectionId, id, name, document, updatedBy, at }: NewWorkflow,
): Promise<void> {
  const set = {
    name: cleanText(name),
    document: cleanText(toJson(document)),
    updated_by: updatedBy,
    updated_at: at,
  };
  await tx
    .insertInto("workflow")
    .values({ connection_id: connectionId, id, created_at: at, ...set })
    .onConflict((conflict) => conflict.columns(["connection_id", "id"]).doUpdateSet(set))
    .execute();
}

/** @returns false when the workflow doesn't exist */
export async function deleteWorkflow(tx: Tx, connectionId: string, id: string): Promise<boolean> {
  const removed = await tx
    .deleteFrom("workflow")
    .where("connection_id", "=", connectionId)
    .where("id", "=", id)
    .executeTakeFirst();
  return Number(removed.numDeletedRows) > 0;
}
