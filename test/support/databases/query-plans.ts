import { CompiledQuery, type KyselyPlugin } from "kysely";
import { expect } from "vitest";
import type { Store } from "#store/database/store.ts";

/**
 * The query plans of all queries that `work` sends to the given store; at least one is required.
 * `asked` grows with each query, for work that continues by itself.
 */
export async function plansOf(
  store: Store,
  work: (watched: Store, asked: readonly CompiledQuery[]) => Promise<unknown>,
): Promise<{ query: string; plan: string }[]> {
  const asked: CompiledQuery[] = [];
  const watch: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      asked.push(store.db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const watched: Store = {
    ...store,
    read: store.read.withPlugin(watch),
    write: (unit) => store.write((tx) => unit(tx.withPlugin(watch))),
  };
  await work(watched, asked);
  const explain = store.engine === "sqlite" ? "explain query plan" : "explain";
  const plans: { query: string; plan: string }[] = [];
  for (const { sql, parameters } of asked) {
    const { rows } = await store.db.executeQuery<Record<string, string>>(
      CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
    );
    plans.push({ query: sql, plan: rows.map((row) => row.detail ?? row["QUERY PLAN"]).join("\n") });
  }
  expect(plans.length).toBeGreaterThan(0);
  return plans;
}
