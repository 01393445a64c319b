import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { migrate, migrateTo, StartError } from "#store/database/migrate.ts";
import type { MigrationDatabase } from "#store/database/migrations/ddl.ts";
import { chainFor, migrationsFor } from "#store/database/migrations/index.ts";
import type { Store } from "#store/database/store.ts";
import { createEmptyDatabase, forEachEmptyDatabase } from "../../support/databases/databases.ts";
import { openTestStore } from "../../support/databases/test-store.ts";

type Column = { type: string; nullable: boolean };

/** Every table with its columns, in terms independent of the database. */
async function schemaOf(store: Store): Promise<Record<string, Record<string, Column>>> {
  const rows =
    store.engine === "sqlite"
      ? await sql<{ tab: string; col: string; type: string; nullable: number }>`
          select m.name as tab, c.name as col, c.type as type, c."notnull" = 0 as nullable
          from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`.execute(
          store.db,
        )
      : await sql<{ tab: string; col: string; type: string; nullable: number }>`
          select table_name as tab, column_name as col, data_type as type, (is_nullable = 'YES')::int as nullable
          from information_schema.columns where table_schema = 'public'`.execute(store.db);
  const kinds: Record<string, string> = {
    integer: "int",
    bigint: "int",
    "double precision": "real",
    date: "time",
    "timestamp with time zone": "time",
  };
  const tables: Record<string, Record<string, Column>> = {};
  for (const { tab, col, type, nullable } of rows.rows) {
    // SQLite's word index consists of further tables and needs a row number.
    if (/_fts|^sqlite_|^kysely_/.test(tab) || (col === "row" && store.engine === "sqlite"))
      continue;
    const kind = type.toLowerCase();
    tables[tab] = {
      ...tables[tab],
      [col]: {
        type: kind === "boolean" ? "int" : (kinds[kind] ?? kind),
        nullable: Number(nullable) === 1,
      },
    };
  }
  return tables;
}

const tablesOf = async (store: Store): Promise<string[]> =>
  Object.keys(await schemaOf(store)).sort();

it("both databases have the same tables with the same columns", async () => {
  const [sqlite, postgres] = [
    openTestStore(await createEmptyDatabase("sqlite")),
    openTestStore(await createEmptyDatabase("postgres")),
  ];
  await Promise.all([migrate(sqlite, 0), migrate(postgres, 0)]);
  const schema = await schemaOf(sqlite);
  expect(schema).toEqual(await schemaOf(postgres));
  expect(Object.keys(schema)).toEqual(
    expect.arrayContaining(["run", "attempt", "run_event", "ledger_entry", "asset", "worker"]),
  );
});

forEachEmptyDatabase((name, create) => {
  it("an empty database gets the newest schema, and a second start changes nothing", async () => {
    const store = openTestStore(await create());
    expect(await migrate(store, 0)).toEqual({ copiedTo: undefined });
    const before = await schemaOf(store);
    expect(await migrate(store, 1)).toEqual({});
    expect(await schemaOf(store)).toEqual(before);
  });

  it("servers that start together on an empty database all find the newest schema", async () => {
    const database = await create();
    const stores = Array.from({ length: name === "sqlite" ? 1 : 4 }, () => openTestStore(database));
    await Promise.all(stores.map((store) => migrate(store, 0)));
    expect(await tablesOf(stores[0]!)).toContain("run");
  });

  it("a failed migration leaves nothing behind", async () => {
    const store = openTestStore(await create());
    // One of the last tables already exists.
    await sql`create table usage_day (day text)`.execute(store.db);
    await expect(migrate(store, 0)).rejects.toThrow(/usage_day/);
    expect(await tablesOf(store)).toEqual(["usage_day"]);
  });

  it("a project whose owner was removed is owned by its first manager, and an owner who was demoted manages again", async () => {
    const store = openTestStore(await create());
    await migrateTo(store, "0024-two-places");
    for (const id of ["orphaned", "demoted"])
      await sql`insert into project (id, name, description, instructions, owner_id, defaults, seq, created_at)
        values (${id}, ${id}, '', '', 'ada', '{}', 0, 0)`.execute(store.db);
    for (const [project, user, role, at] of [
      ["orphaned", "late", "manager", 2],
      ["orphaned", "first", "manager", 1],
      ["orphaned", "viewer", "viewer", 0],
      ["demoted", "ada", "viewer", 0],
    ])
      await sql`insert into project_member (project_id, user_id, role, created_at) values (${project}, ${user}, ${role}, ${at})`.execute(
        store.db,
      );
    await migrate(store, 0);
    const owners = await store.db
      .selectFrom("project")
      .select(["id", "owner_id"])
      .orderBy("id")
      .execute();
    expect(owners).toEqual([
      { id: "demoted", owner_id: "ada" },
      { id: "orphaned", owner_id: "first" },
    ]);
    const ada = store.db.selectFrom("project_member").select("role").where("user_id", "=", "ada");
    expect(await ada.executeTakeFirst()).toEqual({ role: "manager" });
  });

  it("a llama.cpp without its own address keeps the port that it was connected with", async () => {
    const store = openTestStore(await create());
    await migrateTo(store, "0140-decisions");
    const facts = { scope: "instance", options: "{}", status: "ok", created_at: 0 };
    const own = '{"api":"http://10.0.0.7:9000/v1"}';
    await store.write(async (tx) => {
      for (const [id, kind, base_urls] of [
        ["bare", "llamacpp", "{}"],
        ["placed", "llamacpp", own],
        ["other", "vllm", "{}"],
      ])
        await (tx as MigrationDatabase)
          .insertInto("connection")
          .values({ ...facts, id, slug: id, name: id, kind, base_urls })
          .execute();
    });
    await migrate(store, 0);
    const rows = await store.db.selectFrom("connection").select(["id", "base_urls"]).execute();
    expect(Object.fromEntries(rows.map((row) => [row.id, row.base_urls]))).toEqual({
      bare: '{"api":"http://127.0.0.1:8080/v1"}',
      placed: own,
      other: "{}",
    });
  });

  it("a paused connection stays paused until its service answers, and shorter failure counts are dropped", async () => {
    const store = openTestStore(await create());
    const names = Object.keys(chainFor(store.engine));
    await migrateTo(store, names[names.indexOf("0028-circuits") - 1]!);
    const facts = {
      kind: "k",
      scope: "instance",
      base_urls: "{}",
      options: "{}",
      status: "failing",
      created_at: 0,
    };
    await store.write(async (tx) => {
      for (const [id, failures, paused_until, status_detail] of [
        ["counted", 3, null, null],
        ["paused", 5, 77, "Nothing answers."],
      ])
        await (tx as MigrationDatabase)
          .insertInto("connection")
          .values({ ...facts, id, slug: id, name: id, failures, paused_until, status_detail })
          .execute();
    });
    await migrate(store, 0);
    expect(await store.db.selectFrom("circuit").selectAll().execute()).toEqual([
      {
        connection_id: "paused",
        model_id: null,
        kind: "network",
        failures: 5,
        inputs: "",
        opened_at: 77,
        paused_until: 77,
        detail: "Nothing answers.",
      },
    ]);
  });

  it("a previous release's unknown runs and events become unconfirmed, and errors that quote the word keep it", async () => {
    const store = openTestStore(await create());
    const names = Object.keys(chainFor(store.engine));
    await migrateTo(store, names[names.indexOf("0040-unconfirmed") - 1]!);
    const run = {
      user_id: "ada",
      project_id: "p",
      visibility: "author",
      connection_id: "c",
      model_id: "m",
      task: "image",
      input: "{}",
    };
    const rest = {
      input_hash: "",
      request_hash: "",
      priority: 0,
      held_micros: 0,
      warnings: "[]",
      fence: 0,
      seq: 1,
      attempts: 1,
      created_at: 0,
    };
    const quoted = JSON.stringify({
      state: "failed",
      error: { cause: '{"state":"unknown"}' },
      costMicros: null,
    });
    await store.write(async (tx) => {
      const db = tx as MigrationDatabase;
      const project = {
        id: "p",
        name: "p",
        description: "",
        instructions: "",
        owner_id: "ada",
        defaults: "{}",
        seq: 0,
        created_at: 0,
      };
      await db.insertInto("project").values(project).execute();
      for (const [id, state, payload] of [
        ["lost", "unknown", '{"state":"unknown","costMicros":null}'],
        ["broken", "failed", quoted],
      ]) {
        await db
          .insertInto("run")
          .values({ id, state, ...run, ...rest })
          .execute();
        await db
          .insertInto("run_event")
          .values({ run_id: id, seq: 1, type: "run-settled", payload, at: 0 })
          .execute();
      }
    });
    await migrate(store, 0);
    const runs = await store.db.selectFrom("run").select(["id", "state"]).orderBy("id").execute();
    expect(runs).toEqual([
      { id: "broken", state: "failed" },
      { id: "lost", state: "unconfirmed" },
    ]);
    const events = await store.db
      .selectFrom("run_event")
      .select("payload")
      .orderBy("run_id")
      .execute();
    expect(events.map(({ payload }) => payload)).toEqual([
      quoted,
      '{"state":"unconfirmed","costMicros":null}',
    ]);
  });

  it("a later migration that fails leaves the earlier schema and data, and runs once its cause is gone", async () => {
    const store = openTestStore(await create());
    await migrate(store, 0);
    const before = await schemaOf(store);
    const known = migrationsFor(store.engine);
    let breaks = true;
    const next = {
      ...known,
      "9000-next": {
        up: async (db: never) => {
          await sql`create table next_thing (id text)`.execute(db);
          await sql`delete from worker`.execute(db);
          if (breaks) throw new Error("broke in the middle");
        },
      },
    };
    await sql`insert into worker (id, boot_id, beat, host, started_at) values ('w', 'b', 0, 'h', 0)`.execute(
      store.db,
    );
    await expect(migrate(store, 0, next)).rejects.toThrow("broke in the middle");
    expect(await schemaOf(store)).toEqual(before);
    expect(await store.db.selectFrom("worker").select("id").execute()).toHaveLength(1);
    breaks = false;
    await migrate(store, 0, next);
    expect(await tablesOf(store)).toContain("next_thing");
    // And the program without it refuses a newer database.
    await expect(migrate(store, 0, known)).rejects.toThrow(StartError);
  });

  it("a migration missing from a build between two releases is applied later, whatever came after it", async () => {
    const store = openTestStore(await create());
    const { "0155-numbers-of-deleted-projects": late, ...before } = migrationsFor(store.engine);
    await migrate(store, 0, before);
    await migrate(store, 1, { ...before, "0155-numbers-of-deleted-projects": late! });
    await sql`select number from deleted_project`.execute(store.db);
    expect(await migrate(store, 2)).toEqual({});
  });
});

it("SQLite commits durably: WAL with synchronous=FULL, and foreign keys are on", async () => {
  const store = openTestStore(await createEmptyDatabase("sqlite"));
  const pragma = async (text: string) =>
    Object.values(
      (await sql.raw<Record<string, unknown>>(`pragma ${text}`).execute(store.db)).rows[0]!,
    )[0];
  expect(await pragma("journal_mode")).toBe("wal");
  expect(await pragma("synchronous")).toBe(2);
  expect(await pragma("foreign_keys")).toBe(1);
});

it("an embedded database is copied before it is changed, and the copy is complete and unchanged", async () => {
  const store = openTestStore(await createEmptyDatabase("sqlite"));
  await migrate(store, 0);
  await store.write((tx) =>
    tx
      .insertInto("worker")
      .values({ id: "w", boot_id: "b", beat: 0, host: "h", started_at: 0 })
      .execute(),
  );
  const drop = {
    ...migrationsFor("sqlite"),
    "9000-drop": { up: (db: never) => sql`drop table worker`.execute(db).then(() => undefined) },
  };
  const { copiedTo } = await migrate(store, Date.UTC(2026, 0, 2, 3, 4, 5), drop);
  expect(copiedTo).toMatch(/backups\/.*2026-01-02T030405/);
  expect(existsSync(copiedTo!)).toBe(true);
  const copy = new DatabaseSync(copiedTo!, { readOnly: true });
  expect(copy.prepare("select id from worker").all()).toEqual([{ id: "w" }]);
  expect(copy.prepare("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  copy.close();
  expect(await tablesOf(store)).not.toContain("worker");
});
