import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Budget, Run } from "#contract/entities.ts";
import { periodAt } from "#domain/money/periods.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { balanceFromLedger } from "#store/money/budgets.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { listEveryBudget } from "../../../support/databases/every-budget.ts";
import {
  type Answer,
  type Caller,
  createInstance,
  until,
} from "../../../support/server/instance.ts";
import { createStudio, type Studio, testAdapters } from "../../../support/studio/studio.ts";

type Setting = Partial<Pick<Budget, "period" | "timeZone" | "onLimit">> & {
  scope: "instance" | "project" | "user";
  scopeId?: string;
};

/** Half a megapixel at $0.025 a megapixel, rounded up. */
const pictureMicros = 25_000;
const picture = { image_size: { width: 1_000, height: 500 } };

forEachDatabase((database, create) => {
  let studio: Studio;
  let shared: Awaited<ReturnType<typeof create>>;
  beforeAll(async () => {
    shared = await create();
    studio = await createStudio(shared);
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    await studio.instance.store.db.deleteFrom("budget").execute();
    await until("nothing is under way", async () => {
      const open = await studio.instance.store.db
        .selectFrom("run")
        .select("id")
        .where("finished_at", "is", null)
        .execute();
      return open.length === 0;
    });
  });

  const owner = (): Caller => studio.person;
  async function budget(
    limitMicros: number,
    { scope, scopeId, ...setting }: Setting,
  ): Promise<void> {
    const body = {
      scope,
      scopeIds: [scopeId ?? null],
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      ...setting,
      limitMicros,
    };
    expect(await owner().call("setBudgets", { body })).toMatchObject({ status: 200 });
  }
  const draw = (
    prompt: string,
    who = owner(),
    facts: Record<string, unknown> = {},
  ): Promise<Answer<{ runs: { id: string }[] }>> =>
    who.call("createRuns", {
      body: {
        projectId: who.projectId,
        models: [studio.models.fal],
        task: "image",
        input: { prompt, ...picture },
        ...facts,
      },
    });
  const standings = () =>
    listEveryBudget(studio.instance.store.db, studio.instance.deps.clock.now());
  /** Expects that the balances match the ledger. */
  async function expectBalancesOfBooks(): Promise<void> {
    for (const one of await standings()) {
      const period = periodAt(one.period, one.timeZone, studio.instance.deps.clock.now());
      const { spentMicros, heldMicros } = one;
      expect({ spentMicros, heldMicros }).toEqual(
        await balanceFromLedger(studio.instance.store.db, one, period),
      );
    }
  }
  async function spentBefore(): Promise<number> {
    const [row] = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .select((e) => e.fn.sum<number | string>("micros").as("micros"))
      .execute();
    return Number(row?.micros ?? 0);
  }

  it("a hundred runs started at once against a budget for ten make ten provider calls, from two servers", async () => {
    const { instance } = studio;
    const others =
      database === "postgres"
        ? [
            await createInstance(shared, {
              adapters: testAdapters,
              secrets: instance.engineDeps.secrets,
            }),
          ]
        : [];
    const engines = [instance.engine, ...others.map(({ engine }) => engine)];
    await budget((await spentBefore()) + 10 * pictureMicros, {
      scope: "user",
      scopeId: owner().user.id,
    });
    const ask = (i: number) => ({
      projectId: owner().projectId,
      models: [studio.models.fal],
      task: "image" as const,
      input: { prompt: `one of a hundred ${i}`, ...picture },
      variants: 1,
    });
    const asked = await Promise.allSettled(
      Array.from({ length: 100 }, (_, i) =>
        admitBatch(engines[i % engines.length]!.deps, { userId: owner().user.id }, ask(i)),
      ),
    );
    const admitted = asked.flatMap((one) => (one.status === "fulfilled" ? one.value.runs : []));
    expect(admitted).toHaveLength(10);
    const refusals = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(["budget_exceeded"]));
    for (const run of admitted) await studio.ended(run.id);
    expect(
      studio.fal.ledger.posts.filter(({ prompt }) => prompt.startsWith("one of a hundred")),
    ).toHaveLength(10);
    await expectBalancesOfBooks();
    await Promise.all(others.map((other) => other.close()));
  });

  it.each(["instance", "project", "user"] as const)(
    "a refusal by the budget of the %s names it, what is left, and whom to ask",
    async (scope) => {
      const scopeId = { instance: undefined, project: owner().projectId, user: owner().user.id }[
        scope
      ];
      await budget((await spentBefore()) + 30_000, { scope, scopeId, period: "total" });
      expect((await draw("fits")).status).toBe(200);
      const refused = await draw("does not fit");
      expect(refused.status).toBe(402);
      expect(refused.body).toMatchObject({
        code: "budget_exceeded",
        scope,
        neededMicros: pictureMicros,
        leftMicros: 5_000,
      });
      const whose = {
        instance: "this Bottega’s budget",
        project: "the project “ada's project”’s budget",
        user: "your budget",
      }[scope];
      expect(refused.body).toMatchObject({
        detail: expect.stringContaining(`This may cost up to $0.025, and ${whose} of `),
      });
      expect(refused.body).toMatchObject({
        detail: expect.stringMatching(/ has \$0\.005 left\.$/),
        advice: expect.stringContaining("Ask an admin"),
      });
      expect(studio.fal.ledger.postsOf("does not fit")).toBe(0);
      // A refused request leaves nothing: neither its reservations at other levels nor its rows.
      await expectBalancesOfBooks();
    },
  );

  it("a setting left to the model's default is reserved at the default's cost", async () => {
    await budget(1e9, { scope: "instance" });
    const body = {
      projectId: owner().projectId,
      models: [studio.models.fal],
      task: "image",
      input: { prompt: "in the usual size" },
    };
    const made = await owner().call<{ runs: Run[] }>("createRuns", { body });
    const [run] = made.body.runs;
    // Landscape 4:3 is 1024 by 768, below a megapixel, and each started megapixel is billed.
    expect(run?.heldMicros).toBe(25_000);
  });

  it("several variants are admitted together or not at all", async () => {
    const before = await spentBefore();
    await budget(before + 3 * pictureMicros, { scope: "user", scopeId: owner().user.id });
    expect((await draw("four of them", owner(), { variants: 4 })).status).toBe(402);
    expect(await spentBefore()).toBe(before);
    expect((await draw("three of them", owner(), { variants: 3 })).status).toBe(200);
  });

  it("an unused reservation is released, and a run's overage blocks the next", async () => {
    await priceOfChat([
      { unit: "input token", micros: "3" },
      { unit: "output token", micros: "15" },
    ]);
    const before = await spentBefore();
    await budget(before + 300_000, { scope: "instance" });
    studio.openai.script({
      text: "Short.",
      usage: { prompt_tokens: 40, completion_tokens: 2, total_tokens: 42 },
    });
    const { run } = await studio.ask("How long is a piece of string?");
    expect((await standings())[0]).toMatchObject({
      spentMicros: before,
      heldMicros: run.heldMicros,
    });
    await studio.ended(run.id);
    expect((await standings())[0]).toMatchObject({ spentMicros: before + 150, heldMicros: 0 });
    studio.openai.script({
      text: "Dear.",
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 0.5 },
    });
    const dear = await studio.ask("What if you are dearer?");
    expect(await studio.ended(dear.run.id)).toMatchObject({
      costMicros: 500_000,
      costBasis: "known",
    });
    expect((await standings())[0]).toMatchObject({ spentMicros: before + 500_150, heldMicros: 0 });
    expect((await draw("next")).body).toMatchObject({ code: "budget_exceeded", leftMicros: 0 });
    await expectBalancesOfBooks();
    await priceOfChat(null);
  });

  it("other people's budgets block nobody else, and a project's blocks everyone in it", async () => {
    const eve = await studio.instance.createPerson(`eve${Math.random()}@example.org`);
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: owner().projectId,
        userId: eve.user.id,
        role: "editor",
        at: 0,
      }),
    );
    await budget(0, { scope: "user", scopeId: eve.user.id });
    expect((await draw("of ada")).status).toBe(200);
    expect((await draw("of eve", { ...eve, projectId: owner().projectId })).status).toBe(402);
    await studio.instance.store.db.deleteFrom("budget").execute();
    await budget(0, { scope: "project", scopeId: owner().projectId });
    expect((await draw("of eve", { ...eve, projectId: owner().projectId })).body).toMatchObject({
      scope: "project",
    });
    expect((await draw("elsewhere", eve)).status).toBe(200);
  });

  it("under a blocking budget a run of unknown price is refused until there is a ceiling, which is then reserved, and charged if the cost stays unknown", async () => {
    await budget(1e9, { scope: "instance" });
    const { connectionId, modelId } = studio.models.openai;
    const refused = await studio.ask("what do you cost?").catch((error) => error);
    expect(refused).toMatchObject({ code: "ceiling_needed" });
    expect(refused.detail).toMatchObject({
      connectionId,
      modelId,
      advice: expect.stringContaining("set a ceiling"),
    });
    const set = (ceilingMicros: number | null) =>
      owner().call("setModelPrice", { params: { connectionId }, body: { modelId, ceilingMicros } });
    expect((await set(70_000)).status).toBe(200);
    const before = await spentBefore();
    const { run } = await studio.ask("and now?");
    expect(run.heldMicros).toBe(70_000);
    expect(await studio.ended(run.id)).toMatchObject({
      state: "succeeded",
      costMicros: 70_000,
      costBasis: "held",
    });
    expect(await spentBefore()).toBe(before + 70_000);
    await expectBalancesOfBooks();
    await set(null);
    expect(await studio.ask("no more?").catch((error) => error)).toMatchObject({
      code: "ceiling_needed",
    });
  });

  it("free runs are never refused", async () => {
    await budget(0, { scope: "instance" });
    await studio.instance.store.db
      .updateTable("model")
      .set({ price: JSON.stringify([{ unit: "image", micros: "0", source: "t", at: 0 }]) })
      .where("model_id", "=", studio.models.openaiImage.modelId)
      .execute();
    const run = await studio.make("for nothing", { model: studio.models.openaiImage });
    expect(run.heldMicros).toBe(0);
    await studio.ended(run.id);
  });

  it("an approval budget makes a run wait with its money reserved, and a warning budget lets it continue", async () => {
    await budget(0, { scope: "project", scopeId: owner().projectId, onLimit: "ask" });
    const waiting = (await draw("may I?")).body.runs[0]!;
    expect(await studio.runOf(waiting.id)).toMatchObject({
      state: "queued",
      waitingFor: "admin",
      heldMicros: pictureMicros,
    });
    const other = (await draw("elsewhere", { ...owner(), projectId: await anotherProject() })).body
      .runs[0]!;
    await studio.ended(other.id);
    expect(await studio.runOf(waiting.id)).toMatchObject({ state: "queued" });
    expect(studio.fal.ledger.postsOf("may I?")).toBe(0);
    await owner().call("cancelRun", { params: { runId: waiting.id } });
    await budget(0, { scope: "project", scopeId: owner().projectId, onLimit: "warn" });
    const warned = (await draw("only warned")).body.runs[0]!;
    expect(await studio.ended(warned.id)).toMatchObject({ state: "succeeded" });
    await expectBalancesOfBooks();
  });

  it("the person who set the budget decides on a waiting run, and sees nothing of its content", async () => {
    type Waiting = { waiting: { runId: string; personName: string; heldMicros: number }[] };
    const waitingFor = async (who: Caller) => (await who.call<Waiting>("listWaiting")).body.waiting;
    const decide = (who: Caller, runId: string, allow: boolean) =>
      who.call("decideWaiting", { params: { runId }, body: { allow } });
    const eve = await studio.instance.createPerson(`eve${Math.random()}@example.org`);
    await budget(0, { scope: "user", scopeId: eve.user.id, onLimit: "ask" });
    const asked = (await draw("a secret of eve", eve)).body.runs[0]!.id;
    const refused = (await draw("another secret of eve", eve)).body.runs[0]!.id;
    // Eve manages her own project, but the approval is the admin's.
    expect(await waitingFor(eve)).toEqual([]);
    expect((await decide(eve, asked, true)).status).toBe(404);
    expect((await eve.call("approveRun", { params: { runId: asked } })).status).toBe(403);
    const seen = await waitingFor(owner());
    expect(seen.map(({ runId }) => runId)).toEqual([asked, refused]);
    expect(seen[0]).toMatchObject({ heldMicros: pictureMicros, personName: eve.user.name });
    expect(JSON.stringify(seen)).not.toContain("secret");
    const page = (cursor?: string) =>
      owner().call<Waiting & { next: string; count: number }>("listWaiting", {
        query: { limit: "1", ...(cursor && { cursor }) },
      });
    const first = (await page()).body;
    expect(first).toMatchObject({ waiting: [{ runId: asked }], count: 2 });
    const { body } = await page(first.next);
    expect(body).toMatchObject({ waiting: [{ runId: refused }], next: null });
    expect((await decide(owner(), asked, true)).status).toBe(200);
    expect((await decide(owner(), refused, false)).status).toBe(200);
    expect(await studio.ended(asked)).toMatchObject({ state: "succeeded" });
    expect(await studio.ended(refused)).toMatchObject({ state: "cancelled", costMicros: 0 });
    expect((await decide(owner(), asked, true)).status).toBe(404);
    await expectBalancesOfBooks();
  });

  it("a higher budget releases waiting runs by itself", async () => {
    await budget(0, { scope: "instance", onLimit: "ask" });
    const run = (await draw("soon allowed")).body.runs[0]!;
    expect(await studio.runOf(run.id)).toMatchObject({ waitingFor: "admin" });
    await budget(1e9, { scope: "instance", onLimit: "ask" });
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", waitingFor: null });
  });

  it("new people and projects get their default budgets", async () => {
    await budget(2_000_000, { scope: "project", period: "month" });
    const { body } = await owner().call<{ project: { id: string } }>("createProject", {
      body: { name: "Poster" },
    });
    const { body: listed } = await owner().call<{ budgets: Budget[] }>("listBudgets");
    expect(listed.budgets.filter(({ scopeId }) => scopeId === body.project.id)).toMatchObject([
      { limitMicros: 2_000_000, period: "month" },
    ]);
  });

  it("people are warned once at 80 and once at 100 percent", async () => {
    const eve = await studio.instance.createPerson(`eve${Math.random()}@example.org`);
    await budget(110_000, { scope: "user", scopeId: eve.user.id, onLimit: "warn" });
    const seen: number[] = [];
    for (const prompt of ["one", "two", "three", "four", "five"]) {
      await studio.ended((await draw(`warned ${prompt}`, eve)).body.runs[0]!.id);
      const [row] = await studio.instance.store.db
        .selectFrom("balance")
        .select("warned_percent")
        .execute();
      seen.push(row!.warned_percent);
    }
    expect(seen).toEqual([0, 0, 0, 80, 100]);
    const told = await studio.instance.store.db
      .selectFrom("change")
      .selectAll()
      .where("project_id", "=", eve.projectId)
      .where("kind", "=", "budget")
      .execute();
    expect(told).toHaveLength(2);
  });

  it("a manager's budget applies together with the admin's, and neither lifts the other", async () => {
    const eve = await studio.instance.createPerson(`eve${Math.random()}@example.org`);
    await budget(0, { scope: "project", scopeId: eve.projectId });
    const setting = { period: "total", timeZone: "UTC", onLimit: "block" };
    const set = (limitMicros: number | null) =>
      eve.call("setProjectBudget", {
        params: { projectId: eve.projectId },
        body: { ...setting, limitMicros },
      });
    expect((await set(1e9)).status).toBe(200);
    expect((await draw("mine?", eve)).body).toMatchObject({
      code: "budget_exceeded",
      limitMicros: 0,
    });
    expect((await set(null)).status).toBe(200);
    expect((await draw("still?", eve)).body).toMatchObject({ code: "budget_exceeded" });
    expect(
      (
        await eve.call("setBudgets", {
          body: { scope: "user", scopeIds: [eve.user.id], ...setting, limitMicros: null },
        })
      ).status,
    ).toBe(403);
  });

  const anotherProject = async (): Promise<string> =>
    (
      await owner().call<{ project: { id: string } }>("createProject", {
        body: { name: "Another" },
      })
    ).body.project.id;
  const priceOf = (modelId: string, prices: { unit: string; micros: string }[] | null) =>
    studio.instance.store.db
      .updateTable("model")
      .set({
        price:
          prices && JSON.stringify(prices.map((price) => ({ ...price, source: "test", at: 0 }))),
      })
      .where("model_id", "=", modelId)
      .execute();
  const priceOfChat = (prices: { unit: string; micros: string }[] | null) =>
    priceOf(studio.models.openai.modelId, prices);
});
