import { afterAll, beforeAll, expect, it } from "vitest";
import { addUsage } from "#store/money/usage-rollup.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { buildRun } from "../../../support/databases/store-rows.ts";
import {
  createUsageStudio,
  sumOf,
  type UsageStudio,
} from "../../../support/studio/usage-studio.ts";

forEachDatabase((_, create) => {
  let here: UsageStudio;
  beforeAll(async () => {
    here = await createUsageStudio(await create());
  });
  afterAll(() => here.close());

  it.each([
    { from: "2024-01-01", to: "2026-12-31" },
    { from: "2024-12-31", to: "2025-06-02" },
    { from: "2025-01-01", to: "2025-06-01" },
    { from: "2025-03-01", to: "2025-03-31" },
    { from: "2025-03-31", to: "2025-04-01" },
    { from: "2025-05-17", to: "2025-05-17" },
  ])("every sum of a range equals the ledger's, to the micro: %j", async (range) => {
    const { ada, key, posterId, usage, ledgerSum, keySum } = here;
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

  it("a range of up to two months is shown by day, a longer one by month, even from mid-month", async () => {
    const { ada, usage } = here;
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

  it("a just finished run is included, with its model, project, person and connection by name, and its tokens", async () => {
    const { studio, ada, usage, ledgerSum } = here;
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
    const { eve, posterId, usage, csv } = here;
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

  it("people without a project see no usage", async () => {
    const { studio, usage, csv } = here;
    const range = { from: "2024-01-01", to: "2026-12-31" };
    const max = await studio.instance.createPerson(`max${Math.random()}@example.org`);
    await studio.instance.store.db
      .deleteFrom("project_member")
      .where("user_id", "=", max.user.id)
      .execute();
    expect(await usage(max, range)).toMatchObject({ total: { micros: 0, runs: 0 }, bars: [] });
    expect(await csv(max, range)).toHaveLength(1);
  });

  it("a run of unknown cost is counted separately in sums, tables, the CSV and its budgets", async () => {
    const { studio, ada, eve, usage, csv } = here;
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

  it("reservations of open runs are shown apart from spending, and unconfirmed money separately", async () => {
    const { studio, ada, eve, usage } = here;
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
