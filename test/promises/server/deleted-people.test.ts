import { afterAll, beforeAll, expect, it } from "vitest";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { doChores } from "#engine/recover/chores.ts";
import { settleOpen } from "#server/routes/deletions/settle-open.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { type Caller, testPassword } from "../../support/server/instance.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/** Nothing is left that identifies a deleted person, and nothing that only they could see. */
forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create());
  });
  afterAll(() => studio.close());

  const as = async <N extends RouteName>(who: Caller, name: N, given: object = {}) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const refused = async (who: Caller, name: RouteName, given: object = {}) => {
    const { status, body } = await who.call<{ code: string }>(name, given as never);
    return [status, body.code];
  };
  const chores = () => doChores(studio.instance.engine.deps);
  const on = (userId: string) => ({ params: { userId } });

  /** Every text column of every table that contains the word, including the word index. */
  async function traces(word: string): Promise<string[]> {
    const { db } = studio.instance.store;
    const found = new Set<string>();
    for (const { name: table, columns } of await db.introspection.getTables()) {
      if (/_fts_(?:data|idx|docsize|config|content)$/.test(table)) continue;
      const rows = await db
        .selectFrom(table as never)
        .selectAll()
        .execute();
      for (const row of rows as Record<string, unknown>[])
        for (const { name: column } of columns)
          if (
            String(row[column] ?? "")
              .toLowerCase()
              .includes(word)
          )
            found.add(`${table}.${column}`);
    }
    return [...found].sort();
  }

  /**
   * A person with a distinctive word in everything that identifies them and in everything they
   * write.
   */
  async function live(word: string, role: "admin" | "member" = "member") {
    const ada = await studio.instance.createPerson(`${word}@example.org`, { role });
    await as(ada, "updateMe", { body: { name: `Ada ${word}` } });
    return { ada, userId: ada.user.id, email: ada.user.email };
  }

  async function work(word: string, ada: Caller, projectId: string, isShared: boolean) {
    const { models } = studio;
    const { conversation } = await as(ada, "createConversation", {
      body: { projectId, title: `${word} talk`, systemPrompt: `Speak of ${word}` },
    });
    const conversationId = conversation.id;
    studio.openai.script({ text: `${word} grows in lakes.` });
    const said = await as(ada, "sendMessage", {
      params: { conversationId },
      body: { parentId: null, text: `Tell me of ${word}`, ask: { model: models.openai } },
    });
    await studio.ended(said.run!.id);
    if (isShared)
      await as(ada, "updateConversation", {
        params: { conversationId },
        body: { visibility: "project" },
      });
    const made = await as(ada, "createRuns", {
      body: { projectId, models: [models.fal], task: "image", input: { prompt: `a ${word}` } },
    });
    await studio.ended(made.runs[0]!.id);
    return { conversationId, runIds: [said.run!.id, made.runs[0]!.id] };
  }
  const makeUnconfirmed = async (who: Caller) => {
    const run = await studio.make("an almanac [sim:lost-reply]", { who });
    return studio.inState(run.id, "unconfirmed");
  };
  const spent = async () => {
    const rows = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .select(["user_id", "micros", "kind"])
      .orderBy("id")
      .execute();
    return rows.map((row) => [row.user_id, Number(row.micros), row.kind]);
  };

  it("lists what is deleted, transferred and kept, and asks for the address or the password", async () => {
    const { person: owner } = studio;
    const { ada, userId } = await live("asphodel");
    await work("asphodel", ada, ada.projectId, false);
    const facts = await as(owner, "getPersonDeletion", on(userId));
    expect(facts).toMatchObject({
      email: "asphodel@example.org",
      goes: { conversations: 1, projects: [{ id: ada.projectId }] },
      handsOver: [],
      open: { runs: 0, unconfirmed: 0 },
    });
    expect(facts.stays.spentMicros).toBeGreaterThan(0);
    const body = { email: "else@example.org", sharedWork: "stays" };
    expect(await refused(owner, "deletePerson", { ...on(userId), body })).toEqual([
      422,
      "invalid_input",
    ]);
    const self = { body: { password: "not this one", sharedWork: "stays" } };
    expect(await refused(ada, "deleteMe", self)).toEqual([422, "invalid_input"]);
    expect((await as(ada, "getMe")).user.name).toBe("Ada asphodel");
  });

  it("the last owner, an owner by an admin, and an admin themselves are refused", async () => {
    const { person: owner } = studio;
    const admin = await studio.instance.createPerson("an-admin@example.org", { role: "admin" });
    const of = (who: Caller) => ({
      ...on(who.user.id),
      body: { email: who.user.email, sharedWork: "stays" },
    });
    expect(await refused(admin, "deletePerson", of(owner))).toEqual([403, "forbidden"]);
    expect(await refused(admin, "deletePerson", of(admin))).toEqual([409, "conflict"]);
    const self = { body: { password: testPassword, sharedWork: "stays" } };
    expect(await refused(owner, "deleteMe", self)).toEqual([409, "conflict"]);
    expect((await as(owner, "getMe")).user.id).toBe(owner.user.id);
  });

  it("nothing of theirs is left in any table, and the ledger keeps the amounts under a number", async () => {
    const { person: owner, instance } = studio;
    const { ada, userId, email } = await live("quillwort", "admin");
    await work("quillwort", ada, ada.projectId, false);
    const team = (await as(owner, "createProject", { body: { name: "Team" } })).project.id;
    await instance.commit(({ tx, at }) =>
      insertMember(tx, { projectId: team, userId, role: "editor", at }),
    );
    await work("quillwort", ada, team, false);
    await work("quillwort", ada, team, true);
    await as(ada, "createFolder", { body: { projectId: team, name: "quillwort drafts" } });
    const key = { name: "quillwort laptop", projectId: team, scopes: ["chat"] };
    await as(ada, "createKey", { body: key });
    const asked = await work("meadow", owner, team, true);
    const { messages } = await as(owner, "getConversation", {
      params: { conversationId: asked.conversationId },
    });
    await as(ada, "putFeedback", {
      params: { messageId: messages.at(-1)!.id },
      body: { value: "down", text: "No quillwort in it" },
    });
    await as(ada, "createInvite", { body: { email: "friend@quillwort.example" } });
    await as(owner, "createPasswordLink", on(userId));
    const before = await spent();
    expect(await traces("quillwort")).toEqual(
      expect.arrayContaining([
        "user.email",
        "user.name",
        "message.parts",
        "asset.prompt_text",
        "run.input",
        "api_key.name",
        "audit_event.detail",
        "invite.email",
        "project.name",
      ]),
    );
    await as(owner, "deletePerson", { ...on(userId), body: { email, sharedWork: "goes" } });
    expect((await ada.call("getMe")).status).toBe(401);
    await chores();
    // Data sent by others isn't theirs: the invited friend's address is in the record of the
    // invitation.
    expect(await traces("quillwort")).toEqual(["audit_event.detail"]);
    expect(await traces(email)).toEqual([]);
    expect(await spent()).toEqual(before);
    const user = await instance.store.db
      .selectFrom("user")
      .selectAll()
      .where("id", "=", userId)
      .executeTakeFirstOrThrow();
    expect(user.name).toMatch(/^Deleted person \d+$/);
    expect(await refused(owner, "updatePerson", { ...on(userId), body: {} })).toEqual([
      404,
      "not_found",
    ]);
    const { people } = await as(owner, "listPeople", { query: {} });
    expect(people.map(({ id }) => id)).not.toContain(userId);
  });

  it("shared content stays without a name, and a project with other members goes to one of them", async () => {
    const { instance, person: owner } = studio;
    const { ada } = await live("saxifrage");
    const grace = await instance.createPerson("grace@example.org");
    const team = (await as(ada, "createProject", { body: { name: "Lakes" } })).project.id;
    await instance.commit(({ tx, at }) =>
      insertMember(tx, { projectId: team, userId: grace.user.id, role: "viewer", at }),
    );
    const shared = await work("saxifrage", ada, team, true);
    const hidden = await work("saxifrage", ada, team, false);
    await as(ada, "createComparison", {
      body: { projectId: team, entries: [shared, hidden].map((one) => ({ runId: one.runIds[1] })) },
    });
    const facts = await as(ada, "getMyDeletion");
    expect(facts.handsOver).toEqual([
      { id: team, name: "Lakes", to: grace.user.name, losesName: false },
    ]);
    expect(facts.shared).toMatchObject({ conversations: 1, files: 2, comparisons: 1, runs: 3 });
    await as(ada, "deleteMe", { body: { password: testPassword, sharedWork: "stays" } });
    await chores();
    const { conversations } = await as(grace, "listConversations", { query: { projectId: team } });
    expect(conversations.map(({ id }) => id)).toEqual([shared.conversationId]);
    expect((await as(grace, "getProject", { params: { projectId: team } })).project).toMatchObject({
      ownerId: grace.user.id,
      role: "manager",
    });
    expect((await studio.runOf(hidden.runIds[0]!)).input).toHaveProperty("erasedAt");
    expect((await studio.runOf(shared.runIds[0]!)).input).not.toHaveProperty("erasedAt");
    expect(await traces("saxifrage@")).toEqual([]);
    expect(await traces("ada saxifrage")).toEqual([]);
    const usage = await as(owner, "getInstanceUsage", {
      query: { from: "2000-01-01", to: "2100-01-01" },
    });
    expect(JSON.stringify(usage)).toMatch(/Deleted person \d+/);
  });

  it("a handed-over project loses the deleted person's name if that was its default name", async () => {
    const { instance, person: owner } = studio;
    const { ada, userId, email } = await live("bogbean");
    const joan = await instance.createPerson("joan@example.org");
    // Not named after this Ada.
    const foreign = (await as(joan, "createProject", { body: { name: "Ada bogbean’s project" } }))
      .project.id;
    const create = async (name: string) => {
      const { id } = (await as(ada, "createProject", { body: { name } })).project;
      await instance.commit(({ tx, at }) =>
        insertMember(tx, { projectId: id, userId: joan.user.id, role: "editor", at }),
      );
      return id;
    };
    const own = await create("Ada bogbean’s project");
    const named = await create("The bogbean garden");
    const earlier = await create("Ada bogbean’s project");
    await as(ada, "updateProject", {
      params: { projectId: earlier },
      body: { ownerId: joan.user.id },
    });
    expect((await as(owner, "getPersonDeletion", on(userId))).handsOver).toEqual([
      { id: own, name: "Ada bogbean’s project", to: joan.user.name, losesName: true },
      { id: named, name: "The bogbean garden", to: joan.user.name, losesName: false },
    ]);
    await as(owner, "deletePerson", { ...on(userId), body: { email, sharedWork: "stays" } });
    const { projects } = await as(joan, "listProjects");
    const nameOf = (id: string) => projects.find((project) => project.id === id)?.name;
    expect(nameOf(own)).toMatch(/^Deleted person \d+’s project$/);
    expect(nameOf(earlier)).toBe(nameOf(own));
    expect(nameOf(named)).toBe("The bogbean garden");
    expect(nameOf(foreign)).toBe("Ada bogbean’s project");
  });

  it("a project whose only other members are suspended goes to one of them", async () => {
    const { instance, person: owner } = studio;
    const { ada, userId, email } = await live("pillwort");
    const grace = await instance.createPerson("suspended-grace@example.org");
    const team = (await as(ada, "createProject", { body: { name: "Ponds" } })).project.id;
    await instance.commit(({ tx, at }) =>
      insertMember(tx, { projectId: team, userId: grace.user.id, role: "editor", at }),
    );
    await work("meadow", grace, team, true);
    await as(owner, "updatePerson", { ...on(grace.user.id), body: { status: "suspended" } });
    const facts = await as(owner, "getPersonDeletion", on(userId));
    expect(facts.handsOver).toEqual([
      { id: team, name: "Ponds", to: grace.user.name, losesName: false },
    ]);
    await as(owner, "deletePerson", { ...on(userId), body: { email, sharedWork: "goes" } });
    await chores();
    const { db } = instance.store;
    const project = await db
      .selectFrom("project")
      .select(["owner_id", "archived_at"])
      .where("id", "=", team)
      .executeTakeFirstOrThrow();
    expect(project).toEqual({ owner_id: grace.user.id, archived_at: null });
    const files = await db
      .selectFrom("asset")
      .select("created_by")
      .where("project_id", "=", team)
      .execute();
    expect(files).toEqual([{ created_by: grace.user.id }]);
  });

  it("a project deleted with its person can't be restored, and isn't listed as if it could", async () => {
    const { person: owner } = studio;
    const { ada, userId, email } = await live("marestail");
    await as(owner, "deletePerson", { ...on(userId), body: { email, sharedWork: "stays" } });
    const { projects } = await as(owner, "listDeletedProjects");
    expect(projects.map(({ id }) => id)).not.toContain(ada.projectId);
  });

  it("a project deleted with its person has its own number, whatever was restored before", async () => {
    const { person: owner, instance } = studio;
    const gone: string[] = [];
    const leave = async (word: string) => {
      const { ada, userId, email } = await live(word);
      await as(owner, "deletePerson", { ...on(userId), body: { email, sharedWork: "stays" } });
      gone.push(ada.projectId);
    };
    const { id, name } = (await as(owner, "createProject", { body: { name: "Reeds" } })).project;
    await as(owner, "deleteProject", { params: { projectId: id }, body: { name, settles: false } });
    await leave("sundew");
    await as(owner, "restoreProject", { params: { projectId: id } });
    await leave("bladderwort");
    await leave("butterwort");
    const rows = await instance.store.db
      .selectFrom("project")
      .select("name")
      .where("id", "in", gone)
      .execute();
    expect(new Set(rows.map((row) => row.name)).size).toBe(gone.length);
    for (const row of rows) expect(row.name).toMatch(/^Deleted project \d+$/);
  });

  it("open work is ended first, or the person stays", async () => {
    const { person: owner } = studio;
    const { ada, userId, email } = await live("clubmoss");
    const { conversation } = await as(ada, "createConversation", {
      body: { projectId: ada.projectId },
    });
    studio.openai.script({ text: "Slowly it comes", gate: { name: "person", at: 1 } });
    const said = await as(ada, "sendMessage", {
      params: { conversationId: conversation.id },
      body: { parentId: null, text: "Wait", ask: { model: studio.models.openai } },
    });
    const lost = await makeUnconfirmed(ada);
    const body = { email, sharedWork: "stays" };
    expect(await refused(owner, "deletePerson", { ...on(userId), body })).toEqual([
      409,
      "conflict",
    ]);
    await as(owner, "deletePerson", { ...on(userId), body: { ...body, settles: true } });
    const run = await studio.runOf(said.run!.id);
    expect(run.finishedAt).not.toBeNull();
    expect(lost.heldMicros).toBeGreaterThan(0);
    expect(await studio.runOf(lost.id)).toMatchObject({
      state: "failed",
      costMicros: lost.heldMicros,
    });
  });

  it("while a provider cancels a run, the deletion says so and can be repeated", async () => {
    const { deps } = studio.instance;
    const { ada, userId } = await live("hornwort");
    const prompt = "slow to cancel [sim:hold]";
    const run = await studio.make(prompt, { who: ada });
    await studio.inState(run.id, "submitted", "running");
    await expect(settleOpen(deps, { userId }, 1)).rejects.toMatchObject({
      code: "conflict",
      message: sentences.deletions.stillEnding,
    });
    studio.fal.release(prompt);
    await studio.ended(run.id);
    await settleOpen(deps, { userId });
  });
});
