import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { doChores } from "#engine/recover/chores.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import type { Caller } from "../../../support/server/instance.ts";
import { createWebhookStudio, type WebhookStudio } from "../../../support/studio/webhook-studio.ts";

/** A result that arrives after its run's content was erased is booked, and nothing of it is kept. */
forEachDatabase((_, create) => {
  let studio: WebhookStudio;
  beforeAll(async () => {
    studio = await createWebhookStudio(await create());
  });
  afterAll(() => studio.close());
  beforeEach(() => studio.forgetFailures());

  const as = async <N extends RouteName>(who: Caller, name: N, given: object) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const chores = () => doChores(studio.instance.engineDeps);
  /** A run whose job is made although the answer to its submit was lost. */
  async function makeLost(prompt: string, who: Caller) {
    const run = await studio.make(prompt, { who });
    await studio.inState(run.id, "unconfirmed");
    return run.id;
  }
  const resolveUnpaid = (who: Caller, runId: string) =>
    as(who, "resolveRun", { params: { runId }, body: { outcome: "not-made" } });

  async function erasePerson(prompt: string) {
    const ada = await studio.instance.createPerson(`${prompt.split(" ")[0]}@example.org`);
    const runId = await makeLost(prompt, ada);
    await resolveUnpaid(ada, runId);
    const body = { email: ada.user.email, sharedWork: "goes" };
    await as(studio.person, "deletePerson", { params: { userId: ada.user.id }, body });
    await chores();
    return runId;
  }
  async function eraseProject(prompt: string) {
    const name = prompt.split(" ")[0]!;
    const { project } = await as(studio.person, "createProject", { body: { name } });
    const runId = await makeLost(prompt, { ...studio.person, projectId: project.id });
    await resolveUnpaid(studio.person, runId);
    const body = { name, settles: false };
    await as(studio.person, "deleteProject", { params: { projectId: project.id }, body });
    await studio.instance.store.write((tx) =>
      tx.updateTable("deleted_project").set({ due_at: 0 }).execute(),
    );
    await chores();
    return runId;
  }
  async function eraseChat(prompt: string) {
    const { person, models, instance } = studio;
    const { conversation } = await as(person, "createConversation", {
      body: { projectId: person.projectId, temporary: true },
    });
    const params = { conversationId: conversation.id };
    const { answer, run } = await as(person, "sendMessage", {
      params,
      body: { parentId: null, text: "Draw it", ask: { model: models.openai } },
    });
    await studio.ended(run!.id);
    const runId = await makeLost(prompt, person);
    await instance.commit(({ tx }) =>
      tx.updateTable("run").set({ message_id: answer!.id }).where("id", "=", runId).execute(),
    );
    await resolveUnpaid(person, runId);
    await as(person, "removeConversation", { params });
    return runId;
  }

  /** Deletes the webhooks that were received, as after their retention. */
  const forgetWebhooks = () =>
    studio.instance.store.write((tx) => tx.deleteFrom("webhook_in").execute());
  const expectOnlyCost = async (runId: string) => {
    // Fetches what is promised, if anything is.
    await chores();
    const run = await studio.runOf(runId);
    expect(run.input).toEqual({ erasedAt: expect.any(Number) });
    expect(run).toMatchObject({ state: "failed", costMicros: 25_000, costBasis: "known" });
    expect(JSON.stringify(run)).not.toContain("quillwort");
    expect(JSON.stringify(await studio.events(runId))).not.toContain("quillwort");
    expect((await studio.spentOf(runId)).map(({ kind, micros }) => [kind, Number(micros)])).toEqual(
      [
        ["spend", 0],
        ["adjust", 25_000],
      ],
    );
    expect(await studio.assetsOf(runId)).toEqual([]);
    const outputs = studio.instance.store.db
      .selectFrom("output")
      .select("index")
      .where("run_id", "=", runId);
    expect(await outputs.execute()).toEqual([]);
  };

  it.each([
    ["person", erasePerson],
    ["project", eraseProject],
    ["chat", eraseChat],
  ])("a webhook after its %s was deleted books the cost alone, once", async (what, erase) => {
    const prompt = `${what}-told quillwort [sim:lost-reply][sim:webhook-hold]`;
    const runId = await erase(prompt);
    expect((await studio.fal.deliver(prompt, { copies: 3 })).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
    await expectOnlyCost(runId);
    await forgetWebhooks();
    await studio.fal.deliver(prompt);
    await expectOnlyCost(runId);
  });

  it.each([
    ["person", erasePerson],
    ["project", eraseProject],
    ["chat", eraseChat],
  ])("so does one that waits until its job can be read: %s", async (what, erase) => {
    const prompt = `${what}-waiting quillwort [sim:lost-reply][sim:webhook-hold]`;
    const runId = await erase(prompt);
    studio.fal.script(prompt, "status-500", 1);
    expect((await studio.fal.deliver(prompt))[0]!.status).toBeGreaterThanOrEqual(500);
    expect(await studio.outcomes()).toContain("waits");
    await expectOnlyCost(runId);
    expect(await studio.outcomes()).not.toContain("waits");
  });

  it("a shared run whose result waits at a deleted person's own connection says that it can't be read", async () => {
    const { instance, person, models } = studio;
    const ada = await instance.createPerson("own-connection@example.org");
    const team = (await as(person, "createProject", { body: { name: "Team" } })).project.id;
    await instance.commit(({ tx, at }) =>
      insertMember(tx, { projectId: team, userId: ada.user.id, role: "editor", at }),
    );
    const prompt = "shared and waiting [sim:lost-reply][sim:webhook-hold]";
    const runId = await makeLost(prompt, { ...ada, projectId: team });
    await resolveUnpaid(ada, runId);
    studio.fal.script(prompt, "status-500", 1);
    await studio.fal.deliver(prompt);
    expect(await studio.outcomes()).toContain("waits");
    // The last test: the connection goes with the person.
    await instance.store.write((tx) =>
      tx
        .updateTable("connection")
        .set({ scope: "user", scope_id: ada.user.id })
        .where("id", "=", models.fal.connectionId)
        .execute(),
    );
    const body = { email: ada.user.email, sharedWork: "stays" };
    await as(person, "deletePerson", { params: { userId: ada.user.id }, body });
    expect((await studio.runOf(runId)).warnings).toEqual([
      expect.objectContaining({ message: expect.stringContaining("connection was deleted") }),
    ]);
  });
});
