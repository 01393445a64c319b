import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { doChores } from "#engine/recover/chores.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { until } from "../../../support/server/instance.ts";
import { createWebhookStudio, type WebhookStudio } from "../../../support/studio/webhook-studio.ts";

forEachDatabase((_, create) => {
  let studio: WebhookStudio;
  beforeAll(async () => {
    studio = await createWebhookStudio(await create());
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.forgetFailures());

  const lost = async (prompt: string) => {
    const run = await studio.make(prompt);
    await studio.inState(run.id, "unconfirmed");
    return run;
  };
  /** Everything of a run that a webhook might change. */
  const factsOf = async (runId: string) => ({
    run: await studio.runOf(runId),
    attempts: await studio.attempts(runId),
    events: await studio.events(runId),
    ledger: await studio.ledgerOf(runId),
  });

  it("the webhook address with the run's ID is sent with a submit, only under https", async () => {
    const run = await studio.make("told where");
    await studio.ended(run.id);
    const told = studio.fal.deliveries.find((delivery) => delivery.prompt === "told where");
    expect(told?.url).toBe(await studio.webhookUrl(run.connectionId, run.id));
    expect(told?.url).toContain(`/${run.id}?token=`);
    studio.instance.engineDeps.publicUrl = "http://studio.example.org";
    await studio.ended((await studio.make("not told")).id);
    studio.instance.engineDeps.publicUrl = "https://studio.example.org";
    expect(studio.fal.deliveries.some((delivery) => delivery.prompt === "not told")).toBe(false);
  });

  it("a run whose submit's answer was lost is resolved by a late webhook alone, by our own polling, with one POST and one charge", async () => {
    const prompt = "late but told [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    await studio.fal.deliver(prompt);
    expect(await studio.inState(run.id, "succeeded")).toMatchObject({
      costMicros: 25_000,
      heldMicros: 0,
      error: null,
    });
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
    expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
    expect(await studio.attempts(run.id)).toMatchObject([
      { providerRequestId: studio.fal.requestIdOf(prompt), state: "ended" },
    ]);
    expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: 25_000 }]);
    expect((await studio.events(run.id)).filter(({ type }) => type === "run-found")).toHaveLength(
      1,
    );
  });

  it("a webhook's job ID is saved if the provider can't be asked now, and found by it without another webhook", async () => {
    const prompt = "told and not answered [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    studio.fal.script(prompt, "status-500", 1);
    expect((await studio.fal.deliver(prompt))[0]!.status).toBeGreaterThanOrEqual(500);
    expect(await studio.attempts(run.id)).toMatchObject([
      { providerRequestId: studio.fal.requestIdOf(prompt) },
    ]);
    await doChores(studio.instance.engineDeps, "nobody");
    await studio.instance.engine.ownership()?.tick();
    expect(await studio.inState(run.id, "succeeded")).toMatchObject({ costMicros: 25_000 });
  });

  it("a refused run's webhook ID is saved too, and a person can look for its result", async () => {
    const prompt = "told after a refusal [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    const failed = {
      state: "failed",
      cost_basis: "assumed",
      cost_micros: 0,
      finished_at: Date.now(),
    } as const;
    await studio.instance.commit(({ tx }) =>
      tx.updateTable("run").set(failed).where("id", "=", run.id).execute(),
    );
    studio.fal.script(prompt, "status-500", 1);
    expect((await studio.fal.deliver(prompt))[0]!.status).toBeGreaterThanOrEqual(500);
    const { askable } = (
      await studio.person.call<{ askable: object }>("getRun", { params: { runId: run.id } })
    ).body;
    expect(askable).toMatchObject({ canLook: true, canAttach: true });
    expect(await studio.person.call("lookAgain", { params: { runId: run.id } })).toMatchObject({
      status: 200,
      body: { found: true },
    });
    expect(await studio.runOf(run.id)).toMatchObject({
      state: "failed",
      costMicros: 25_000,
      costBasis: "known",
    });
  });

  it("an ended run's result is downloaded by a chore if its job couldn't be looked up at the webhook, once", async () => {
    const prompt = "told after its end and not answered [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "made-elsewhere", costMicros: 40_000 },
    });
    studio.fal.script(prompt, "status-500", 1);
    expect((await studio.fal.deliver(prompt))[0]!.status).toBeGreaterThanOrEqual(500);
    expect(await studio.outcomes()).toContain("waits");
    const { engineDeps } = studio.instance;
    for (let round = 0; round < 2; round++) {
      await doChores(engineDeps);
      expect(await studio.runOf(run.id)).toMatchObject({ state: "failed", costMicros: 25_000 });
      expect(await studio.assetsOf(run.id)).toHaveLength(1);
      expect(
        (await studio.spentOf(run.id)).map(({ kind, micros }) => [kind, Number(micros)]),
      ).toEqual([
        ["spend", 25_000],
        ["overage", 15_000],
        ["adjust", -15_000],
      ]);
    }
    expect(await studio.outcomes()).not.toContain("waits");
  });

  it("a stored webhook of a connection that is deleted meanwhile ends with a warning, once", async () => {
    const gone = await createWebhookStudio(await create(), { endsWithTest: true });
    const prompt = "told, and nobody left to ask [sim:lost-reply][sim:webhook-hold]";
    const run = await gone.make(prompt);
    await gone.inState(run.id, "unconfirmed");
    await gone.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "not-made" },
    });
    gone.fal.script(prompt, "status-500", 1);
    await gone.fal.deliver(prompt);
    expect(await gone.outcomes()).toEqual(["waits"]);
    const params = { connectionId: gone.models.fal.connectionId };
    expect((await gone.person.call("removeConnection", { params })).status).toBe(200);
    for (let round = 0; round < 2; round++) {
      await doChores(gone.instance.engineDeps);
      expect(await gone.outcomes()).toEqual([]);
      expect((await gone.runOf(run.id)).warnings).toEqual([
        expect.objectContaining({ message: expect.stringContaining("connection was deleted") }),
      ]);
    }
  });

  it("a stored webhook is looked up again, without a chore", async () => {
    const prompt = "kept, then told again [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "not-made" },
    });
    studio.fal.script(prompt, "status-500", 1);
    expect((await studio.fal.deliver(prompt))[0]!.status).toBeGreaterThanOrEqual(500);
    expect((await studio.fal.deliver(prompt))[0]!.status).toBe(200);
    await until("the picture is kept", async () => (await studio.assetsOf(run.id)).length === 1);
    expect(await studio.outcomes()).not.toContain("waits");
  });

  it("ten copies at once are one result", async () => {
    const prompt = "ten at once [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    const before = (await studio.outcomes()).length;
    const told = await studio.fal.deliver(prompt, { copies: 10 });
    expect(told.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    await studio.inState(run.id, "succeeded");
    expect((await studio.outcomes()).slice(before)).toEqual(["found"]);
    expect((await studio.events(run.id)).filter(({ type }) => type === "run-found")).toHaveLength(
      1,
    );
    expect(await studio.spentOf(run.id)).toHaveLength(1);
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
  });

  it("a webhook that comes before our own submit returned leaves the run to it", async () => {
    const run = await studio.make("told too early [sim:webhook-early]");
    expect(await studio.ended(run.id)).toMatchObject({ state: "succeeded", costMicros: 25_000 });
    expect(studio.fal.ledger.postsOf("told too early [sim:webhook-early]")).toBe(1);
    expect(await studio.spentOf(run.id)).toHaveLength(1);
    expect((await studio.events(run.id)).some(({ type }) => type === "run-found")).toBe(false);
  });

  it("a webhook before our submit's answer is lost resolves the run, because it named the job", async () => {
    const prompt = "told early and lost [sim:webhook-early][sim:lost-reply]";
    const run = await studio.make(prompt);
    await until("the run is made", async () => (await studio.runOf(run.id)).state === "succeeded");
    expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
    expect(await studio.spentOf(run.id)).toMatchObject([{ kind: "spend", micros: 25_000 }]);
  });

  it("webhooks out of order each resolve their own run", async () => {
    const prompts = [
      "first out [sim:lost-reply][sim:webhook-hold]",
      "second out [sim:lost-reply][sim:webhook-hold]",
    ];
    const [first, second] = [await lost(prompts[0]!), await lost(prompts[1]!)];
    await studio.fal.deliver(prompts[1]!);
    await studio.fal.deliver(prompts[0]!);
    await Promise.all([
      studio.inState(first.id, "succeeded"),
      studio.inState(second.id, "succeeded"),
    ]);
    expect((await studio.attempts(first.id))[0]?.providerRequestId).toBe(
      studio.fal.requestIdOf(prompts[0]!),
    );
    expect((await studio.attempts(second.id))[0]?.providerRequestId).toBe(
      studio.fal.requestIdOf(prompts[1]!),
    );
  });

  it.each([
    ["signed with another key", { forged: true }],
    ["changed after it was signed", { tampered: true }],
    ["older than five minutes", { skewSeconds: -301 }],
    ["from five minutes ahead", { skewSeconds: 302 }],
  ])("a webhook that is %s changes nothing and learns nothing", async (_title, wish) => {
    const prompt = `forged ${JSON.stringify(wish)} [sim:lost-reply][sim:webhook-hold]`;
    const run = await lost(prompt);
    const before = await factsOf(run.id);
    const asked = studio.fal.ledger.requests.filter((request) =>
      request.includes("/status"),
    ).length;
    expect((await studio.fal.deliver(prompt, wish))[0]?.status).toBe(404);
    expect(await factsOf(run.id)).toEqual(before);
    expect(
      studio.fal.ledger.requests.filter((request) => request.includes("/status")),
    ).toHaveLength(asked);
    // The genuine one isn't used up by it.
    await studio.fal.deliver(prompt);
    await studio.inState(run.id, "succeeded");
  });

  it("a caller without a signature gets one answer, whether or not the run and connection exist", async () => {
    const run = await studio.make("who asks");
    await studio.ended(run.id);
    const places: [string, string][] = [
      [run.connectionId, run.id],
      [run.connectionId, uuid()],
      [uuid(), run.id],
      [studio.models.openai.connectionId, run.id],
      ["'; --", "../../me"],
    ];
    const answers = await Promise.all(
      places.map(async (ids) => {
        const path = `/api/webhooks/${ids.map(encodeURIComponent).join("/")}`;
        const response = await fetch(`${studio.address()}${path}`, { method: "POST", body: "{}" });
        return { status: response.status, text: await response.text() };
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const long = await fetch(`${studio.address()}/api/webhooks/${run.connectionId}/${run.id}`, {
      method: "POST",
      body: "x".repeat(5 * 1024 ** 2),
    });
    expect({ status: long.status, text: await long.text() }).toEqual(answers[0]);
  });

  it("a webhook with another run's address or token doesn't swap the runs, and isn't used up by it", async () => {
    const prompt = "whose is it [sim:lost-reply][sim:webhook-hold]";
    const own = await lost(prompt);
    const others = [
      "someone else's [sim:lost-reply][sim:webhook-none]",
      "under way elsewhere [sim:hold][sim:webhook-none]",
    ];
    const [unknown, going] = [await lost(others[0]!), await studio.make(others[1]!)];
    await studio.inState(going.id, "running");
    const ended = await studio.ended((await studio.make("made elsewhere")).id);
    const ids = [own.id, unknown.id, ended.id, going.id];
    const before = await Promise.all(ids.map(factsOf));
    const ownUrl = await studio.webhookUrl(own.connectionId, own.id);
    for (const id of [unknown.id, going.id, ended.id, uuid()])
      expect(
        (await studio.fal.deliver(prompt, { url: ownUrl.replace(own.id, id) }))[0]?.status,
      ).toBe(404);
    for (const url of [
      ownUrl.split("?")[0]!,
      await studio
        .webhookUrl(own.connectionId, unknown.id)
        .then((url) => url.replace(unknown.id, own.id)),
    ])
      expect((await studio.fal.deliver(prompt, { url }))[0]?.status).toBe(404);
    expect(await Promise.all(ids.map(factsOf))).toEqual(before);

    await studio.fal.deliver(prompt);
    await studio.inState(own.id, "succeeded");
    // Even at the other run's real address it is the first one's job.
    const url = await studio.webhookUrl(own.connectionId, unknown.id);
    await studio.instance.store.write((tx) => tx.deleteFrom("webhook_in").execute());
    expect((await studio.fal.deliver(prompt, { url }))[0]?.status).toBe(200);
    expect((await studio.runOf(unknown.id)).state).toBe("unconfirmed");
    expect(await studio.outcomes()).toEqual(["of another"]);
    studio.fal.release(others[1]!);
    await studio.ended(going.id);
  });

  it("a signed webhook of a job that our key can't open changes nothing", async () => {
    const run = await lost("not our job [sim:lost-reply][sim:webhook-none]");
    const before = await factsOf(run.id);
    // Another person's job, of a model that this run didn't request: polling it finds none.
    const url = new URL("/queue/sim/elevenlabs/tts/eleven-v3", studio.fal.url);
    url.searchParams.set("fal_webhook", await studio.webhookUrl(run.connectionId, run.id));
    const headers = { authorization: `Key ${studio.fal.key}`, "content-type": "application/json" };
    expect(
      (await fetch(url, { method: "POST", headers, body: '{"text": "a stranger speaks"}' })).status,
    ).toBe(200);
    await until("it was told", async () =>
      studio.fal.deliveries.some(({ prompt }) => prompt === "a stranger speaks"),
    );
    expect(studio.fal.deliveries.find(({ prompt }) => prompt === "a stranger speaks")?.status).toBe(
      200,
    );
    expect(await studio.outcomes()).toContain("no job");
    expect(await factsOf(run.id)).toEqual(before);
  });

  it("a webhook repeated after the run's end changes nothing", async () => {
    const run = await studio.make("told twice");
    await studio.ended(run.id);
    await until("it was told", async () =>
      studio.fal.deliveries.some(({ prompt }) => prompt === "told twice"),
    );
    const before = await factsOf(run.id);
    expect(
      (await studio.fal.deliver("told twice", { copies: 3 })).map(({ status }) => status),
    ).toEqual([200, 200, 200]);
    expect(await factsOf(run.id)).toEqual(before);
  });

  it("a provider's changed keys are trusted at once when the cached ones are older than a minute", async () => {
    let laterMs = 0;
    const clock = { now: () => Date.now(), monotonic: () => performance.now() + laterMs };
    const own = await createWebhookStudio(await create(), {
      endsWithTest: true,
      instance: { clock },
    });
    await own.ended((await own.make("with the old key")).id);
    await until("it was told", async () => own.fal.deliveries.length === 1);
    expect(own.fal.deliveries[0]?.status).toBe(200);
    own.fal.changeKeys();
    expect((await own.fal.deliver("with the old key"))[0]?.status).toBe(404);
    laterMs = 61_000;
    expect((await own.fal.deliver("with the old key"))[0]?.status).toBe(200);
    for (let forged = 0; forged < 20; forged++)
      await own.fal.deliver("with the old key", { forged: true });
    expect(
      own.fal.ledger.requests.filter((request) => request === "GET /.well-known/jwks.json"),
    ).toHaveLength(2);
  });

  it("a webhook that claims more than its provider confirms changes no state", async () => {
    const prompt = "not yet [sim:hold][sim:webhook-none]";
    const run = await studio.make(prompt);
    await studio.inState(run.id, "running");
    await studio.fal.deliver(prompt);
    expect(await studio.outcomes()).toContain("looked");
    expect(await studio.runOf(run.id)).toMatchObject({ state: "running", costMicros: null });
    studio.fal.release(prompt);
    await studio.inState(run.id, "succeeded");
  });

  it("a result that arrives after a person said that it wasn't made is saved, booked as an adjustment and reported, and the state stays", async () => {
    const prompt = "made after all [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "not-made" },
    });
    const usage = async () =>
      (await studio.instance.store.db.selectFrom("usage_day").selectAll().execute()).reduce(
        (sum, row) => ({
          runs: sum.runs + Number(row.runs),
          micros: sum.micros + Number(row.micros),
        }),
        { runs: 0, micros: 0 },
      );
    // Active runs of earlier tests count in the same day.
    await until("nothing else is under way", async () => {
      const open = studio.instance.store.db
        .selectFrom("run")
        .select("id")
        .where("finished_at", "is", null)
        .where("state", "!=", "unconfirmed");
      return (await open.execute()).length === 0;
    });
    const before = await usage();
    await studio.fal.deliver(prompt, { copies: 10 });
    await until("the picture is kept", async () => (await studio.assetsOf(run.id)).length === 1);
    const ended = await studio.runOf(run.id);
    expect(ended).toMatchObject({
      state: "failed",
      costMicros: 25_000,
      costBasis: "known",
      warnings: [{ type: "late" }],
    });
    expect(
      (await studio.spentOf(run.id)).map(({ kind, micros }) => [kind, Number(micros)]),
    ).toEqual([
      ["spend", 0],
      ["adjust", 25_000],
    ]);
    expect(await usage()).toEqual({ runs: before.runs, micros: before.micros + 25_000 });
    expect((await studio.events(run.id)).map(({ type }) => type).slice(-2)).toEqual([
      "warning",
      "output-stored",
    ]);
    // Again, and once more after the first is forgotten.
    await studio.fal.deliver(prompt, { copies: 3 });
    await studio.instance.store.write((tx) => tx.deleteFrom("webhook_in").execute());
    await studio.fal.deliver(prompt);
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
    expect(await studio.spentOf(run.id)).toHaveLength(2);
    expect(await studio.runOf(run.id)).toEqual(ended);
    expect(studio.fal.ledger.postsOf(prompt)).toBe(1);
  });

  it("a person's stated cost is corrected by the provider's when the result arrives late", async () => {
    const prompt = "made and charged [sim:lost-reply][sim:webhook-hold]";
    const run = await lost(prompt);
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "made-elsewhere", costMicros: 40_000 },
    });
    await studio.fal.deliver(prompt);
    await until("the picture is kept", async () => (await studio.assetsOf(run.id)).length === 1);
    expect(
      (await studio.spentOf(run.id)).reduce((sum, { micros }) => sum + Number(micros), 0),
    ).toBe(25_000);
    expect(await studio.runOf(run.id)).toMatchObject({ state: "failed", costMicros: 25_000 });
  });

  it("a late result whose file isn't ready is downloaded by a chore", async () => {
    const prompt = "late and hidden [sim:lost-reply][sim:webhook-hold][sim:output-503]";
    const run = await lost(prompt);
    await studio.person.call("resolveRun", {
      params: { runId: run.id },
      body: { outcome: "not-made" },
    });
    await studio.fal.deliver(prompt);
    expect(await studio.runOf(run.id)).toMatchObject({ costMicros: 25_000 });
    await until("its file was asked for", async () =>
      [...studio.fal.files.values()].some(
        ({ fault, asked }) => fault === "output-503" && asked > 0,
      ),
    );
    const deps = studio.instance.engineDeps;
    const inAWeek = {
      ...deps,
      clock: { ...deps.clock, now: () => Date.now() + 7 * 24 * 3_600_000 - 60_000 },
    };
    await doChores(inAWeek);
    await doChores(inAWeek);
    expect((await studio.runOf(run.id)).warnings.map(({ type }) => type)).toEqual([
      "late",
      "expiring",
    ]);
    studio.fal.mend(prompt);
    await doChores(deps);
    expect(await studio.assetsOf(run.id)).toHaveLength(1);
    expect((await studio.runOf(run.id)).warnings.map(({ type }) => type)).toEqual(["late"]);
  });
});
