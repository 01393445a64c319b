import { isOneOf } from "../../database/is-one-of.ts";
import { fromJson, toJson } from "../../database/json.ts";
import type { RunRow } from "../../database/schema.ts";
import type { Tx } from "../../database/store.ts";
import type { ImportedFacts } from "../../runs/run-rows.ts";

/**
 * The columns of runs without content. The ledger keeps that they ran, when, with which model, and
 * their cost.
 */
const withoutContent = (at: number) =>
  ({
    input: toJson({ erasedAt: at }),
    asked: null,
    next_models: null,
    result: null,
    expansion: null,
    progress: null,
    error: null,
    warnings: "[]",
    message_id: null,
    batch_id: null,
    idempotency_scope: null,
    idempotency_key: null,
  }) satisfies Partial<RunRow>;

/**
 * Erases the requests and answers of these runs, with their logs, outputs and inputs. None of them
 * may be open.
 */
export async function eraseRuns(tx: Tx, runIds: readonly string[], at: number): Promise<void> {
  const ids = toJson(runIds);
  // The runs first: a late result locks its run, and so adds its outputs before or finds it erased.
  await tx
    .updateTable("run")
    .set(withoutContent(at))
    .where(isOneOf(tx, "id", ids))
    .execute();
  for (const table of ["run_event", "run_input", "output", "run_webhook"] as const)
    await tx
      .deleteFrom(table)
      .where(isOneOf(tx, "run_id", ids))
      .execute();
  await tx
    .updateTable("attempt")
    .set({ provider_urls: null })
    .where(isOneOf(tx, "run_id", ids))
    .execute();
  const imported = await tx
    .selectFrom("run")
    .select(["id", "imported"])
    .where(isOneOf(tx, "id", ids))
    .where("imported", "is not", null)
    .execute();
  for (const { id, imported: facts } of imported) {
    const named = fromJson<ImportedFacts>(facts ?? "{}");
    await tx
      .updateTable("run")
      .set({ imported: toJson({ ...named, person: "" }) })
      .where("id", "=", id)
      .execute();
  }
}
