import { sql } from "kysely";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EngineDeps } from "#engine/deps.ts";
import { createEngine } from "#engine/engine.ts";
import { doChores } from "#engine/recover/chores.ts";
import { advanceAllTools } from "#engine/rounds/advance.ts";
import { passOnWaiting } from "#engine/settle/pass-on.ts";
import type { Store } from "#store/database/store.ts";
import { connectionsWithWork } from "#store/runs/claims.ts";
import { createCommit } from "#store/runs/unit.ts";
import { listOwnedRuns } from "#store/runs/workers.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { fillStore, fullRows } from "../../support/databases/full-store.ts";
import { plansOf } from "../../support/databases/query-plans.ts";
import { at } from "../../support/databases/store-rows.ts";
import { createInstance } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";

const dayMs = 24 * 60 * 60_000;

/** Tables that grow as long as people work. */
const grown =
  "(asset|attempt|batch|blob|change|conversation|import_file|invite|message|output|run|run_event|run_input|run_webhook|session|webhook_in|webhook_out)";
/** Indexes of active rows: few, however large the history. */
const ofFew =
  "(run_queued|run_queued_model|run_active|run_open|run_connection_open|run_worker|run_next_models|run_unconfirmed|run_prunable|run_webhook_due|blob_unchecked|message_tools_open|output_promised|webhook_in_waiting|webhook_out_due|conversation_trash|conversation_temporary|message_trash|asset_purge|asset_unhashed)";

/**
 * A full read of a grown table: sequentially, by its key from the start, or by an index of all its
 * rows.
 */
const readsAll = {
  sqlite: new RegExp(
    `SCAN ${grown}\\b(?! USING (COVERING )?INDEX ${ofFew}\\b)|SEARCH ${grown} USING (COVERING )?INDEX sqlite_autoindex_\\w+ \\(id[<>]\\?`,
  ),
  // It may read the attempts' keys next to the few waiting webhooks, in the same order, and ends
  // with these.
  postgres: new RegExp(
    `Seq Scan on ${grown}\\b|Index (Only )?Scan (Backward )?using (?!(${ofFew}|attempt_request)\\b)\\w+ on ${grown}\\b(?![^\\n]*\\n\\s+Index Cond)`,
  ),
};

forEachDatabase((engine, create) => {
  let instance: Awaited<ReturnType<typeof createInstance>>;
  beforeAll(async () => {
    const clock = { now: () => at + dayMs, monotonic: () => performance.now() };
    instance = await createInstance(await create(), { start: false, clock });
    await fillStore(instance.store);
    // PostgreSQL analyzes by itself after a while; SQLite never does.
    if (engine === "postgres") await sql`vacuum analyze`.execute(instance.store.db);
  });
  afterAll(() => instance.close());

  const depsOn = (store: Store): EngineDeps => {
    const { hub, ids, clock } = instance.deps;
    return {
      ...instance.deps,
      store,
      commit: createCommit({ store, watchers: hub, ids, clock }),
    };
  };

  it(`an idle server's checks read none of ${fullRows} old rows`, async () => {
    const plans = await plansOf(instance.store, async (store, asked) => {
      const deps = depsOn(store);
      const server = createEngine(deps, { role: "all", workerId: uuid(), bootId: uuid() });
      await server.start();
      await advanceAllTools(deps);
      // Where runs are queued, or are assigned to it.
      await connectionsWithWork(store.read, at);
      await listOwnedRuns(store.read, uuid());
      await passOnWaiting(deps);
      await server.ownership()?.tick();
      const lastOfEachLook = [/as "owned"/, /"run_webhook"/, /"project_import"/];
      for (const last of lastOfEachLook)
        await soon(() => asked.some((query) => last.test(query.sql))).toBe(true);
      await server.stop();
    });
    for (const { query, plan } of plans) expect(`${query}\n${plan}`).not.toMatch(readsAll[engine]);
  });

  it(`idle chores read none of ${fullRows} remaining rows`, async () => {
    // Once, so that everything due is done.
    await doChores(depsOn(instance.store));
    const plans = await plansOf(instance.store, (store) => doChores(depsOn(store)));
    for (const { query, plan } of plans) expect(`${query}\n${plan}`).not.toMatch(readsAll[engine]);
  });
});
