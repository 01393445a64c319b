import { expect, it } from "vitest";
import { migrate, migrateTo } from "#store/database/migrate.ts";
import type { MigrationDatabase } from "#store/database/migrations/ddl.ts";
import { getConnection } from "#store/models/connections.ts";
import { forEachEmptyDatabase } from "../../support/databases/databases.ts";
import { openTestStore } from "../../support/databases/test-store.ts";

forEachEmptyDatabase((_, create) => {
  it("a previous release's concurrent run limits are kept if set, and get the new default otherwise", async () => {
    const store = openTestStore(await create());
    await migrateTo(store, "0016-asked-of-alias");
    const connections = [
      { id: "set", kind: "fal", concurrency: 3 },
      { id: "hosted", kind: "fal", concurrency: 8 },
      { id: "local", kind: "ollama", concurrency: 4 },
      { id: "local-set", kind: "ollama", concurrency: 8 },
    ];
    await store.write(async (tx) => {
      for (const facts of connections)
        await (tx as MigrationDatabase)
          .insertInto("connection")
          .values({
            slug: facts.id,
            name: facts.id,
            scope: "instance",
            scope_id: null,
            base_urls: "{}",
            options: "{}",
            secret: null,
            status: "ok",
            failures: 0,
            created_at: 1,
            ...facts,
          })
          .execute();
    });
    await migrate(store, 1);
    const places = await Promise.all(
      connections.map(async ({ id }) => (await getConnection(store.db, id))!.places),
    );
    expect(places).toEqual([
      { text: 3, media: 3, said: null },
      { text: null, media: null, said: null },
      { text: null, media: null, said: null },
      { text: 8, media: 8, said: null },
    ]);
  });
});
