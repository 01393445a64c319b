import { afterAll, beforeAll, expect, it } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertLedgerEntry, type LedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import { insertProject } from "#store/people/projects.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { buildRun } from "../../../support/databases/store-rows.ts";
import type { Caller, KeyCaller } from "../../../support/server/instance.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

type Usage = RouteOutput<"getUsage">;
type Kind = LedgerEntry["kind"];
const spends: readonly Kind[] = ["spend", "overage", "adjust"];

/** What a team's runs cost: odd micros, so that a lost one shows. Of two years ago, of the last two months, of today. */
const booked = [
  { at: "2024-12-31T23:59:59.999Z", model: "early", micros: 1_000_001 },
  { at: "2025-03-01T00:00:00.000Z", model: "early", micros: 7 },
  { at: "2025-03-31T23:59:59.999Z", model: "plain", micros: 333_333 },
  { at: "2025-04-01T00:00:00.000Z", model: '+sum(A1:A9)|"cmd"', micros: 12_345_679 },
  { at: "2025-05-17T12:00:00.000Z", model: "two\nlines, and a comma", micros: 1, overage: 999_999 },
  { at: "2025-06-02T08:00:00.000Z", model: "plain", micros: 77_777 },
] as const;

forEachDatabase((_, create) => {
  let studio: Studio;
  let ada: Caller;
  let eve: Caller;
  let key: KeyCaller;
  const posterId = "00000000-0000-7000-8000-0000000000aa";
  beforeAll(async () => {
    studio = await createStudio(await create());
    ada = studio.person;
    eve = await studio.instance.createPerson("eve@example.org");
    await studio.instance.commit(({ tx }) =>
      insertProject(tx, {
        id: posterId,
        name: '=Poster, "A3"',
        description: "",
        ownerId: ada.user.id,
        at: 0,
      }),
    );
    key = await studio.instance.createKey(ada, { name: "=press" });
    for (const [i, facts] of booked.entries())
      await book(`r${i}`, i % 2 ? posterId : ada.projectId, ada, facts, i % 2 ? null : key.id);
    await book("of-eve", eve.projectId, eve, {
      at: "2025-05-01T00:00:00.000Z",
      model: "of eve",
      micros: 5_000_003,
    });
  });
  afterAll(() => studio.close());

  /** A run's entries and rollup, as settling it writes them. */
  async function book(
    runId: string,
    projectId: string,
    who: Caller,
    facts: { at: string; model: string; micros: number; overage?: number },
    apiKeyId: string | null = null,
  ): Promise<void> {
    const at = Date.parse(facts.at);
    const { connectionId } = studio.models.openai;
    const entry = {
      runId,
      projectId,
      userId: who.user.id,
      apiKeyId,
      connectionId,
      modelId: facts.model,
      admittedAt: at,
      at,
    };
    await studio.instance.commit(async ({ tx }) => {
      const write = (kind: Kind, micros: number) =>
        insertLedgerEntry(tx, { ...entry, id: studio.instance.deps.ids(), kind, micros });
      await write("hold", 20_000_000);
      await write("release", -20_000_000);
      await write("spend", facts.micros);
      if (facts.overage) await write("overage", facts.overage);
      const micros = facts.micros + (facts.overage ?? 0);
      const usage = {
        day: facts.at.slice(0, 10),
        projectId,
        userId: who.user.id,
        apiKeyId,
        connectionId,
        modelId: facts.model,
        runs: 1,
        tokens: 10,
        micros,
      };
      await addUsage(tx, usage);
    });
  }

  const usage = async (
    who: Caller,
    query: Record<string, string>,
    of: "getUsage" | "getInstanceUsage" = "getUsage",
  ): Promise<Usage> => {
    const { status, body } = await who.call<Usage>(of, { query });
    expect(status).toBe(200);
    return body;
  };
  /** What the books say of the runs that ended in a range. */
  async function ledgerSum(
    { from, to }: { from: string; to: string },
    projectIds?: string[],
  ): Promise<number> {
    let query = studio.instance.store.db
      .selectFrom("ledger_entry")
      .select((e) => e.fn.sum<number | string>("micros").as("micros"))
      .where("kind", "in", spends)
      .where("at", ">=", Date.parse(from))
      .where("at", "<", Date.parse(to) + 86_400_000);
    if (projectIds) query = query.where("project_id", "in", projectIds);
    return Number((await query.executeTakeFirst())?.micros ?? 0);
  }
  const keySum = async ({ from, to }: { from: string; to: string }): Promise<number> => {
    const rows = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .select("micros")
      .where("api_key_id", "=", key.id)
      .where("kind", "in", spends)
      .where("at", ">=", Date.parse(from))
      .where("at", "<", Date.parse(to) + 86_400_000)
      .execute();
    return sumOf(rows);
  };
  const sumOf = (rows: readonly { micros: number }[]): number =>
    rows.reduce((sum, row) => sum + row.micros, 0);

  it.each([
    { from: "2024-01-01", to: "2026-12-31" },
    { from: "2024-12-31", to: "2025-06-02" },
    { from: "2025-01-01", to: "2025-06-01" },
    { from: "2025-03-01", to: "2025-03-31" },
    { from: "2025-03-31", to: "2025-04-01" },
    { from: "2025-05-17", to: "2025-05-17" },
  ])("every sum of a range is that of the books, to the micro: %j", async (range) => {
    const mine = await ledgerSum(range, [ada.projectId, posterId]);
    const shown = await usage(ada, range);
    for (const list of [
      [shown.total],
      shown.bars,
      shown.models,
      shown.projects,
      shown.people,
      shown.connections,
    ])
      expect(sumOf(list)).toBe(mine);
    const byKey = await keySum(range);
    expect(shown.keys.find(({ id }) => id === key.id)?.micros ?? 0).toBe(byKey);
    if (byKey > 0) expect(sumOf(shown.keys)).toBe(mine);
    expect(shown.keys.filter(({ id }) => id !== "")).toMatchObject(
      byKey > 0 ? [{ name: "=press" }] : [],
    );
    const all = await usage(ada, range, "getInstanceUsage");
    for (const list of [[all.total], all.bars, all.models, all.projects, all.people])
      expect(sumOf(list)).toBe(await ledgerSum(range));
    const one = await usage(ada, { ...range, projectId: posterId });
    expect(one.total.micros).toBe(await ledgerSum(range, [posterId]));
  });

  it("a range up to two months is shown by day, a longer one by month, also where it begins in the middle of one", async () => {
    const days = await usage(ada, { from: "2025-03-01", to: "2025-04-01" });
    expect(days.bars.map(({ at, micros }) => [at, micros])).toEqual([
      ["2025-03-01", 7],
      ["2025-03-31", 333_333],
      ["2025-04-01", 12_345_679],
    ]);
    const months = await usage(ada, { from: "2025-03-31", to: "2025-06-02" });
    expect(months).toMatchObject({ step: "month" });
    expect(months.bars.map(({ at, micros }) => [at, micros])).toEqual([
      ["2025-03", 333_333],
      ["2025-04", 12_345_679],
      ["2025-05", 1_000_000],
      ["2025-06", 77_777],
    ]);
  });

  it("what a run just cost is in it, with its model, project, person and connection by name, and its tokens", async () => {
    const today = new Date(studio.instance.deps.clock.now()).toISOString().slice(0, 10);
    const range = { from: today, to: today };
    studio.openai.script({
      text: "Dear.",
      usage: { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42, cost: 0.012345 },
    });
    const { run } = await studio.ask("What do you cost?");
    await studio.ended(run.id);
    const shown = await usage(ada, range);
    const row = { micros: 12_345, runs: 1, tokens: 42 };
    expect(shown).toMatchObject({
      total: row,
      models: [{ ...row, id: "sim-chat", connectionId: studio.models.openai.connectionId }],
      projects: [{ ...row, name: "ada's project" }],
      people: [{ ...row, name: "ada" }],
      connections: [{ ...row, name: "openai-compatible" }],
    });
    expect(await ledgerSum(range)).toBe(12_345);
  });

  it("a member sees what their own projects cost and nothing of others'", async () => {
    const range = { from: "2024-01-01", to: "2026-12-31" };
    const shown = await usage(eve, range);
    expect(shown.total.micros).toBe(5_000_003);
    expect(shown.projects.map(({ name }) => name)).toEqual(["eve's project"]);
    expect(shown.models.map(({ name }) => name)).toEqual(["of eve"]);
    expect((await eve.call("getUsage", { query: { ...range, projectId: posterId } })).status).toBe(
      404,
    );
    expect(
      (await eve.call("downloadUsage", { query: { ...range, projectId: posterId } })).status,
    ).toBe(404);
    expect((await eve.call("getInstanceUsage", { query: range })).status).toBe(403);
    expect((await eve.call("downloadInstanceUsage", { query: range })).status).toBe(403);
    expect(await csv(eve, range)).toSatisfy((rows: string[][]) =>
      rows.slice(1).every((row) => row[4] === "eve's project"),
    );
  });

  it("who is in no project sees that nothing was used", async () => {
    const range = { from: "2024-01-01", to: "2026-12-31" };
    const max = await studio.instance.createPerson(`max${Math.random()}@example.org`);
    await studio.instance.store.db
      .deleteFrom("project_member")
      .where("user_id", "=", max.user.id)
      .execute();
    expect(await usage(max, range)).toMatchObject({ total: { micros: 0, runs: 0 }, bars: [] });
    expect(await csv(max, range)).toHaveLength(1);
  });

  it("a range in which nothing was used has no bar and no row, and its CSV has its columns alone", async () => {
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

  async function csv(
    who: Caller,
    query: Record<string, string>,
    of: "usage.csv" | "admin/usage.csv" = "usage.csv",
  ): Promise<string[][]> {
    const answer = await studio.instance.request(`/api/v1/${of}?${new URLSearchParams(query)}`, {
      headers: { host: "127.0.0.1", cookie: who.cookie },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    return readCsv(await answer.text());
  }

  it("the spend, overage and adjust of the CSV add up to what the screen shows", async () => {
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
    const rows = await csv(ada, { from: "2025-03-31", to: "2025-05-31" });
    const cells = rows.flat();
    expect(cells).toContain("two\nlines, and a comma");
    expect(cells).toContain(`'=Poster, "A3"`);
    expect(cells).toContain(`'+sum(A1:A9)|"cmd"`);
    expect(cells.filter((cell) => /^[=+@]/.test(cell))).toEqual([]);
    // Numbers below nothing are no formulas.
    expect(cells).toContain("-20000000");
  });

  it("a CSV longer than a page has each entry once, in order, also where many have one time", async () => {
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

  it("a run of unknown cost is counted apart, in the sums, the tables, the CSV and the budgets it counts in", async () => {
    const [day, at] = ["2022-02-02", Date.parse("2022-02-02T12:00:00Z")];
    const range = { from: day, to: day };
    const { connectionId } = studio.models.openai;
    const facts = {
      projectId: eve.projectId,
      userId: eve.user.id,
      connectionId,
      modelId: "mystery",
    };
    const { commit, store } = studio.instance;
    const end = async (cost: {
      cost_micros: number | null;
      cost_basis: "known" | "assumed" | null;
    }) => {
      const { id } = await commit((unit) =>
        insertRun(unit, buildRun({ ...facts, waitingFor: "restore", at })),
      );
      const ended = {
        state: cost.cost_micros === null ? "succeeded" : "failed",
        finished_at: at,
        held_micros: 0,
        waiting_for: null,
        ...cost,
      };
      await store.db.updateTable("run").set(ended).where("id", "=", id).execute();
      await commit(({ tx }) =>
        addUsage(tx, {
          ...facts,
          apiKeyId: null,
          day,
          runs: 1,
          tokens: 0,
          micros: cost.cost_micros ?? 0,
        }),
      );
    };
    await end({ cost_micros: null, cost_basis: null });
    await end({ cost_micros: null, cost_basis: null });
    await end({ cost_micros: 0, cost_basis: "known" });
    await end({ cost_micros: 0, cost_basis: "assumed" });
    const shown = await usage(eve, range);
    const counted = { micros: 0, runs: 4, tokens: 0, unpricedRuns: 2, assumedRuns: 1 };
    expect(shown.total).toEqual(counted);
    expect(shown.bars).toEqual([{ at: day, ...counted }]);
    expect(shown.models).toEqual([{ id: "mystery", name: "mystery", connectionId, ...counted }]);
    const [, ...lines] = await csv(eve, range);
    expect(lines.map((cells) => [cells[1], cells[2], cells[3], cells[9]])).toEqual([
      ["unpriced", "", "", "2 without a price"],
    ]);
    const body = {
      scope: "user",
      scopeIds: [eve.user.id],
      period: "total",
      timeZone: "UTC",
      onLimit: "warn",
      limitMicros: 5_000_000,
    };
    await ada.call("setBudgets", { body });
    const { budgets } = (
      await eve.call<{ budgets: { scope: string; unpricedRuns: number }[] }>("listBudgets")
    ).body;
    expect(budgets.find(({ scope }) => scope === "user")).toMatchObject({
      spentMicros: expect.any(Number),
      unpricedRuns: 2,
    });
    await ada.call("setBudgets", { body: { ...body, limitMicros: null } });
    const openRun = async (prices: string | null, heldMicros: number) => {
      const { id } = await commit((unit) =>
        insertRun(unit, buildRun({ ...facts, waitingFor: "restore", at })),
      );
      await store.db
        .updateTable("run")
        .set({ state: "unconfirmed", price_snapshot: prices, held_micros: heldMicros })
        .where("id", "=", id)
        .execute();
    };
    const free = JSON.stringify([{ unit: "request", micros: "0", source: "test", at: 0 }]);
    const before = (await usage(eve, range)).unconfirmed;
    await openRun(null, 0);
    await openRun("[]", 0);
    await openRun(free, 0);
    await openRun(free.replace('"0"', '"9"'), 9);
    const { unconfirmed } = await usage(eve, range);
    expect(unconfirmed).toEqual({
      runs: before.runs + 4,
      micros: before.micros + 9,
      unpricedRuns: before.unpricedRuns + 2,
    });
    await store.db
      .updateTable("run")
      .set({ state: "cancelled" })
      .where("project_id", "=", eve.projectId)
      .where("state", "=", "unconfirmed")
      .execute();
  });

  it("another person's private runs are sums of a day in the CSV, and their own connections and models have no name anywhere", async () => {
    const [day, at] = ["2022-03-03", Date.parse("2022-03-03T12:00:00Z")];
    const { commit, store, deps } = studio.instance;
    await store.db
      .insertInto("project_member")
      .values({ project_id: eve.projectId, user_id: ada.user.id, role: "viewer", created_at: at })
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

  it("what open runs hold is distinguished from what was spent, and what is unconfirmed apart from that", async () => {
    const range = { from: "2020-01-01", to: "2020-01-31" };
    const before = await usage(ada, range);
    const { connectionId } = studio.models.fal;
    const facts = {
      projectId: ada.projectId,
      userId: ada.user.id,
      connectionId,
      heldMicros: 40_000,
    };
    const { id } = await studio.instance.commit((unit) =>
      insertRun(unit, buildRun({ ...facts, waitingFor: "restore" })),
    );
    await studio.instance.store.db
      .updateTable("run")
      .set({ state: "unconfirmed" })
      .where("id", "=", id)
      .execute();
    const shown = await usage(ada, range);
    expect(shown.unconfirmed).toMatchObject({
      runs: before.unconfirmed.runs + 1,
      micros: before.unconfirmed.micros + 40_000,
    });
    expect(shown.held).toMatchObject({
      runs: before.held.runs + 1,
      micros: before.held.micros + 40_000,
    });
    expect((await usage(eve, range)).unconfirmed.runs).toBe(0);
  });
});

/** Reads CSV as RFC 4180 has it. */
function readCsv(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of cells) {
    rows.at(-1)!.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}
