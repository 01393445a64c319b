import { afterAll, beforeAll, expect, it } from "vitest";
import { insertLedgerEntry, type LedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { buildRun } from "../../../support/databases/store-rows.ts";
import type { Caller } from "../../../support/server/instance.ts";
import {
  createUsageStudio,
  spends,
  sumOf,
  type UsageStudio,
} from "../../../support/studio/usage-studio.ts";

type Kind = LedgerEntry["kind"];

forEachDatabase((_, create) => {
  let here: UsageStudio;
  beforeAll(async () => {
    here = await createUsageStudio(await create());
  });
  afterAll(() => here.close());

  it("an unused range has no bar and no row, and its CSV has only the header", async () => {
    const { ada, usage, csv } = here;
    const range = { from: "2020-01-01", to: "2020-01-31" };
    const shown = await usage(ada, range);
    expect(shown).toMatchObject({
      total: { micros: 0, runs: 0, tokens: 0 },
      bars: [],
      models: [],
      projects: [],
      people: [],
      connections: [],
    });
    expect(await csv(ada, range)).toEqual([
      [
        "at",
        "kind",
        "micros",
        "dollars",
        "project",
        "person",
        "connection",
        "model",
        "run",
        "note",
        "key",
      ],
    ]);
    const turned = await ada.call("getUsage", { query: { from: "2020-02-01", to: "2020-01-01" } });
    expect(turned).toMatchObject({
      status: 422,
      body: {
        field: "to",
        detail: expect.stringContaining("The last day is before the first."),
      },
    });
  });

  it("the CSV's spend, overage and adjust entries add up to the screen's sums", async () => {
    const { ada, usage, csv } = here;
    const range = { from: "2025-03-01", to: "2025-06-01" };
    for (const [of, route] of [
      ["usage.csv", "getUsage"],
      ["admin/usage.csv", "getInstanceUsage"],
    ] as const) {
      const [, ...rows] = await csv(ada, range, of);
      const spent = rows
        .filter(([, kind]) => spends.includes(kind as Kind))
        .reduce((sum, row) => sum + Number(row[2]), 0);
      expect(spent).toBe((await usage(ada, range, route)).total.micros);
      expect(rows.map(([at]) => at)).toEqual(rows.map(([at]) => at).toSorted());
      for (const row of rows) expect(Math.round(Number(row[3]) * 1e6)).toBe(Number(row[2]));
    }
  });

  it("a name with commas, quotes and lines stays one cell of the CSV, and none begins a formula", async () => {
    const { ada, csv } = here;
    const rows = await csv(ada, { from: "2025-03-31", to: "2025-05-31" });
    const cells = rows.flat();
    expect(cells).toContain("two\nlines, and a comma");
    expect(cells).toContain(`'=Poster, "A3"`);
    expect(cells).toContain(`'+sum(A1:A9)|"cmd"`);
    expect(cells.filter((cell) => /^[=+@]/.test(cell))).toEqual([]);
    // Negative numbers aren't formulas.
    expect(cells).toContain("-20000000");
  });

  it("a CSV longer than a page has each entry once, in order, even if many share one time", async () => {
    const { studio, eve, csv } = here;
    const at = "2023-05-05T05:05:05.005Z";
    const { connectionId } = studio.models.openai;
    const facts = {
      projectId: eve.projectId,
      userId: eve.user.id,
      apiKeyId: null,
      connectionId,
      modelId: "m",
      kind: "spend" as const,
    };
    const many = Array.from({ length: 2_150 }, (_, i) => ({
      id: `many-${String(i).padStart(5, "0")}`,
      runId: `many-${i}`,
      micros: i,
    }));
    await studio.instance.commit(async ({ tx }) => {
      for (const one of many)
        await insertLedgerEntry(tx, {
          ...facts,
          ...one,
          at: Date.parse(at),
          admittedAt: Date.parse(at),
        });
    });
    const [, ...rows] = await csv(eve, { from: "2023-05-05", to: "2023-05-05" });
    expect(rows.map((row) => row[8])).toEqual(many.map(({ runId }) => runId));
  });

  it("other people's private runs are daily sums in the CSV, and their connections and models are never named", async () => {
    const { studio, ada, eve, usage, csv } = here;
    const [day, at] = ["2022-03-03", Date.parse("2022-03-03T12:00:00Z")];
    const { commit, store, deps } = studio.instance;
    await store.db
      .insertInto("project_member")
      .values({
        project_id: eve.projectId,
        user_id: ada.user.id,
        role: "viewer",
        created_at: at,
        name: "",
      })
      .execute();
    const own = await store.db
      .selectFrom("connection")
      .selectAll()
      .where("id", "=", studio.models.openai.connectionId)
      .executeTakeFirstOrThrow();
    const secret = {
      ...own,
      id: deps.ids(),
      name: "Eve’s own",
      slug: "eves-own",
      scope: "user" as const,
      scope_id: eve.user.id,
    };
    await store.db.insertInto("connection").values(secret).execute();
    const spend = async (
      connectionId: string,
      visibility: "author" | "project",
      micros: number,
    ) => {
      const facts = {
        projectId: eve.projectId,
        userId: eve.user.id,
        connectionId,
        modelId: "m-1",
        visibility,
      };
      const { id: runId } = await commit((unit) =>
        insertRun(unit, buildRun({ ...facts, waitingFor: "restore", at })),
      );
      await store.db
        .updateTable("run")
        .set({ state: "succeeded", finished_at: at, cost_micros: micros })
        .where("id", "=", runId)
        .execute();
      await commit(({ tx }) =>
        insertLedgerEntry(tx, {
          ...facts,
          runId,
          id: deps.ids(),
          apiKeyId: null,
          kind: "spend",
          micros,
          admittedAt: at,
          at,
        }),
      );
      await commit(({ tx }) =>
        addUsage(tx, { ...facts, apiKeyId: null, day, runs: 1, tokens: 0, micros }),
      );
      return runId;
    };
    await spend(secret.id, "author", 5);
    await spend(secret.id, "author", 7);
    await spend(own.id, "author", 100);
    const seen = await spend(own.id, "project", 1_000);
    const lines = async (who: Caller) => {
      const [, ...rows] = await csv(who, { from: day, to: day, projectId: eve.projectId });
      return rows.map(([, , micros, , , , connection, model, run]) => ({
        micros,
        connection,
        model,
        run,
      }));
    };
    expect(await lines(ada)).toEqual([
      { micros: "1000", connection: own.name, model: "m-1", run: seen },
      { micros: "12", connection: "", model: "", run: "" },
      { micros: "100", connection: own.name, model: "m-1", run: "" },
    ]);
    expect((await lines(eve)).map(({ micros }) => micros)).toEqual(["5", "7", "100", "1000"]);
    expect((await lines(eve)).every(({ run }) => run !== "")).toBe(true);
    const tables = async (who: Caller, of: "getUsage" | "getInstanceUsage" = "getUsage") => {
      const { models, connections, people, total } = await usage(
        who,
        { from: day, to: day, projectId: eve.projectId },
        of,
      );
      expect([sumOf(models), sumOf(connections), sumOf(people)]).toEqual([
        total.micros,
        total.micros,
        total.micros,
      ]);
      return {
        models: models.map(({ id, name, connectionId, micros }) => [
          id,
          name,
          connectionId,
          micros,
        ]),
        connections: connections.map(({ id, name, micros }) => [id, name, micros]),
      };
    };
    const summed = {
      models: [
        ["m-1", "m-1", own.id, 1_100],
        ["", "", "", 12],
      ],
      connections: [
        [own.id, own.name, 1_100],
        ["", "", 12],
      ],
    };
    expect(await tables(ada)).toEqual(summed);
    expect(await tables(ada, "getInstanceUsage")).toEqual(summed);
    expect(await tables(eve)).toMatchObject({
      models: [expect.anything(), ["m-1", "m-1", secret.id, 12]],
      connections: [expect.anything(), [secret.id, "Eve’s own", 12]],
    });
  });
});
