import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { listBudgets } from "#store/money/budgets.ts";
import { listAllApiKeys } from "#store/people/api-keys.ts";
import { listPeople } from "#store/people/people.ts";
import { listAllProjects, listMembers } from "#store/people/projects.ts";
import { seedPeople } from "../../bench/seed-people.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { plansOf } from "../../support/databases/query-plans.ts";
import { at } from "../../support/databases/store-rows.ts";
import { openStore } from "../../support/databases/test-store.ts";

const count = 6_000;

/**
 * A page and everything read with its rows. The total count reads an index, and a search reads
 * names.
 */
const pages: [title: string, ask: (store: Store) => Promise<unknown>, index: RegExp][] = [
  ["people", (store) => listPeople(store.read, { limit: 50 }), /user_name/],
  ["all projects", (store) => listAllProjects(store.read, { limit: 50 }), /project_name/],
  [
    "the members of a project",
    (store) => listMembers(store.read, "project-0", { limit: 50 }),
    /project_member_name/,
  ],
  [
    "everyone's keys",
    (store) => listAllApiKeys(store, { limit: 50 }),
    /api_key_pkey|api_key_named/,
  ],
  [
    "the budgets of some people",
    (store) => listBudgets(store.read, { userIds: ["user-1", "user-2"] }, at),
    /budget_one/,
  ],
  [
    "the budgets of the instance and the defaults",
    (store) => listBudgets(store.read, { withInstance: true, withDefaults: true }, at),
    /budget_one/,
  ],
];

forEachDatabase((engine, create) => {
  let store: Store;
  beforeAll(async () => {
    store = openStore(await create());
    await migrate(store, 0);
    await seedPeople(store, count);
    if (store.engine === "postgres") await sql`vacuum analyze`.execute(store.db);
  });
  afterAll(() => store.close());

  it.each(pages)(
    `a page of %s uses an index in its order and sorts none of ${count} rows`,
    async (_title, ask, index) => {
      const plans = await plansOf(store, ask);
      const main = plans.find(({ query }) => query.includes("order by"))!;
      expect(main.plan).toMatch(index);
      expect(main.plan).not.toMatch(
        /SCAN (member|budget)(?! USING)|Seq Scan on (project_member|budget)/,
      );
      // A few budgets are sorted; a page is already in order.
      if (main.query.includes("limit"))
        expect(main.plan).not.toMatch(
          /TEMP B-TREE FOR ORDER BY|Sort Key|SCAN (user|project)\b(?! USING)/,
        );
    },
  );

  it.each<[string, (store: Store) => Promise<unknown>, string]>([
    ["people", ({ read }) => listPeople(read, { q: "n", limit: 50 }), "user_name"],
    ["keys", (store) => listAllApiKeys(store, { q: "n", limit: 50 }), "api_key_named"],
  ])(
    "a search of %s reads names once, from an index alone if the rows are scattered",
    async (_title, ask, index) => {
      const plans = await plansOf(store, ask);
      const counted = plans.find(({ query }) => query.startsWith('select count(*) as "n"'))!;
      // PostgreSQL reads the table, whose rows are adjacent.
      expect(counted.plan).toMatch(
        engine === "sqlite"
          ? new RegExp(`^SCAN \\w+ USING COVERING INDEX ${index}\n`)
          : /Seq Scan|Index/,
      );
    },
  );
});
