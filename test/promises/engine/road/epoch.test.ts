import { expect, it } from "vitest";
import { arriveAt } from "#engine/claim/epoch.ts";
import { connect } from "#engine/connections/connect.ts";
import type { RunRow } from "#store/database/schema.ts";
import { putBudget } from "#store/money/budgets.ts";
import { getInstance } from "#store/people/people.ts";
import { getPlace } from "#store/runs/epoch.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  it("a new epoch leaves every run in a safe state: needing approval, a person's decision, or a poll", async () => {
    // Nothing is claimed here; each run is put into the state in which its worker would have left
    // it.
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { start: false },
    });
    const { store, commit } = studio.instance.deps;
    const put = async (
      id: string,
      set: Partial<RunRow>,
      providerRequestId: string | null = null,
    ) => {
      await commit(async ({ tx }) => {
        await tx
          .updateTable("run")
          .set({ ...set, worker_id: "gone", attempts: 1 })
          .where("id", "=", id)
          .execute();
        await tx
          .insertInto("attempt")
          .values({
            run_id: id,
            number: 1,
            request_hash: "",
            client_token: id,
            provider_request_id: providerRequestId,
            provider_urls: null,
            state: "committed",
            bytes_written: null,
            http_status: null,
            sent_at: null,
            accepted_at: null,
            ended_at: null,
          })
          .execute();
      });
      return id;
    };
    const putAskingBudget = () =>
      commit(({ tx }) =>
        putBudget(store, tx, {
          id: "budget-1",
          scope: "project",
          scopeId: studio.person.projectId,
          period: "total",
          timeZone: "UTC",
          limitMicros: 1,
          onLimit: "ask",
          authority: "manager",
          createdBy: studio.person.user.id,
          at: 0,
        }),
      );
    const made = async () => (await studio.make("a picture")).id;
    const asked = async (kind: "openai" | "ollama") =>
      (await studio.ask("a question", kind)).run.id;
    const queued = await made();
    const sent = await put(await made(), { state: "submitting" });
    const known = await put(await made(), { state: "running" }, "request-1");
    const storing = await put(await made(), { state: "storing" });
    const talking = await put(await asked("openai"), { state: "running", first_output_at: 1 });
    const unanswered = await put(await asked("openai"), { state: "submitting" });
    const free = await put(await asked("ollama"), { state: "running" });
    const freeTalking = await put(await asked("ollama"), { state: "running", first_output_at: 1 });
    const rented = await put(await asked("ollama"), { state: "running" });
    const overBudget = await made();
    await commit(({ tx }) =>
      tx.updateTable("run").set({ waiting_for: "manager" }).where("id", "=", overBudget).execute(),
    );
    const before = (await getInstance(store.db))?.epoch;
    const whyUnless = (same: string | null) => (last: string | null) =>
      last === same ? null : ("copy" as const);
    // A free kind's software at an address that may be billed.
    const elsewhere = await connect(studio.instance.engineDeps, {
      kind: "ollama",
      name: "rented",
      scope: "instance",
      userId: studio.person.user.id,
      values: { address: studio.ollama.url },
    });
    await commit(({ tx }) =>
      tx
        .updateTable("connection")
        .set({ base_urls: JSON.stringify({ api: "https://ollama.com" }) })
        .where("id", "=", elsewhere.connection.id)
        .execute(),
    );
    await commit(({ tx }) =>
      tx
        .updateTable("run")
        .set({ connection_id: elsewhere.connection.id })
        .where("id", "=", rented)
        .execute(),
    );

    expect(await arriveAt(studio.instance.engine.deps, "here", whyUnless(null))).toBeUndefined();
    expect(await arriveAt(studio.instance.engine.deps, "here", whyUnless("here"))).toBeUndefined();
    expect((await getInstance(store.db))?.epoch).toBe(before);
    const begun = await arriveAt(studio.instance.engine.deps, "elsewhere", whyUnless("elsewhere"));
    expect(begun).toEqual({ waiting: 3, unconfirmed: 1, followed: 6, webhooks: 0 });
    expect((await getInstance(store.db))?.epoch).not.toBe(before);
    expect(await getPlace(store.db)).toBe("elsewhere");

    const stateOf = async (id: string) => {
      const { state, waitingFor } = await studio.runOf(id);
      return waitingFor === null ? state : `${state}, waits for ${waitingFor}`;
    };
    expect(
      await Promise.all(
        [
          queued,
          overBudget,
          sent,
          known,
          storing,
          talking,
          unanswered,
          rented,
          free,
          freeTalking,
        ].map(stateOf),
      ),
    ).toEqual([
      "queued, waits for copy",
      "queued, waits for copy",
      "unconfirmed",
      "running",
      "storing",
      // Text is never unconfirmed: the adopting server ends these with the received part.
      "running",
      "submitting",
      "running",
      "queued, waits for copy",
      "running",
    ]);
    expect((await studio.runOf(sent)).fence).toBe(1);
    expect((await studio.attempts(sent)).map(({ state }) => state)).toEqual(["lost"]);
    // The approval after a restore isn't about money.
    await putAskingBudget();
    const word = await studio.person.call("approveRun", { params: { runId: overBudget } });
    expect(word).toMatchObject({
      status: 200,
      body: { run: { state: "queued", waitingFor: "manager" } },
    });
    // The possible cost stays reserved until it is resolved.
    expect((await studio.runOf(sent)).heldMicros).toBeGreaterThan(0);
  });

  it.each([
    ["restore", "The database was restored from a backup."],
    ["copy", "The database was copied or moved."],
    ["overtaken", "Another Bottega took over the files of this one."],
  ] as const)("a webhook paused by a new epoch says why: %s", async (why, reason) => {
    const studio = await createStudio(await create(), { endsWithTest: true });
    const { person, instance } = studio;
    const params = { projectId: person.projectId };
    const body = { url: "https://hooks.example.org/", events: ["run.succeeded"] };
    expect(await person.call("addProjectWebhook", { params, body })).toMatchObject({ status: 200 });
    const begun = await arriveAt(instance.engine.deps, "elsewhere", () => why);
    expect(begun).toMatchObject({ webhooks: 1 });
    expect((await person.call("listProjectWebhooks", { params })).body).toMatchObject({
      webhooks: [{ pausedWhy: `${reason} Resume this webhook to send from this server.` }],
    });
  });
});
