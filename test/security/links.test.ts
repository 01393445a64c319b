import { afterAll, beforeAll, expect, it } from "vitest";
import type { Invite, Project } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { updateUser } from "#store/people/people.ts";
import { insertMember, listProjects } from "#store/people/projects.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  type Instance,
  testPassword,
} from "../support/server/instance.ts";

forEachDatabase((_, create) => {
  let instance: Instance;
  let owner: Caller;
  beforeAll(async () => {
    instance = await createInstance(await create());
    owner = await instance.createPerson("owner@example.org", { role: "owner" });
  });
  afterAll(() => instance.close());

  const tokenOf = (answer: { body: Record<string, unknown> }): string =>
    String(answer.body.link).split("/join/")[1]!;
  const invite = async (by: Caller, email: string, role = "member") =>
    tokenOf(await by.call("createInvite", { body: { email, role } }));
  const passwordLink = async (by: Caller, userId: string) =>
    tokenOf(await by.call("createPasswordLink", { params: { userId } }));
  const accept = (token: string, password = testPassword) =>
    instance.anonymous("acceptInvite", { params: { token }, body: { name: "New", password } });
  const change = (userId: string, body: object) =>
    owner.call("updatePerson", { params: { userId }, body });
  const openLinks = async () =>
    (await owner.call<{ invites: Invite[] }>("listPeople")).body.invites;

  it("a suspended admin can't return through a link of their own", async () => {
    const admin = await instance.createPerson("admin1@example.org", { role: "admin" });
    const token = await invite(admin, "again1@example.org", "admin");
    await change(admin.user.id, { status: "suspended" });
    expect((await instance.anonymous("getInvite", { params: { token } })).status).toBe(404);
    expect((await accept(token)).status).toBe(404);
    expect((await openLinks()).filter((link) => link.createdBy === admin.user.id)).toEqual([]);
  });

  it("a link opens nothing once its maker has lost the right to make it, in whatever way", async () => {
    const admin = await instance.createPerson("admin2@example.org", { role: "admin" });
    const member = await instance.createPerson("member2@example.org");
    const tokens = [
      await invite(admin, "again2@example.org"),
      await passwordLink(admin, member.user.id),
    ];
    await instance.commit(({ tx }) => updateUser(tx, admin.user.id, { role: "member" }));
    for (const token of tokens) expect((await accept(token)).status).toBe(404);
    await instance.commit(({ tx }) => updateUser(tx, admin.user.id, { role: "admin" }));
    await instance.commit(({ tx }) => updateUser(tx, member.user.id, { role: "owner" }));
    expect((await accept(tokens[1]!)).status).toBe(404);
    expect((await accept(tokens[0]!)).status).toBe(200);
  });

  it("a new role revokes the person's links; an unchanged role revokes nothing and ends no session", async () => {
    const member = await instance.createPerson("member3@example.org");
    const token = await passwordLink(owner, member.user.id);
    expect((await change(member.user.id, {})).status).toBe(200);
    expect((await change(member.user.id, { role: "member", status: "active" })).status).toBe(200);
    expect((await member.call("getMe")).status).toBe(200);
    expect((await instance.anonymous("getInvite", { params: { token } })).status).toBe(200);
    await change(member.user.id, { role: "admin" });
    expect((await member.call("getMe")).status).toBe(401);
    expect((await accept(token)).status).toBe(404);
  });

  it("a new password, by link or in settings, revokes every other password link", async () => {
    const member = await instance.createPerson("member4@example.org");
    const first = await passwordLink(owner, member.user.id);
    const second = await passwordLink(owner, member.user.id);
    expect((await accept(first, "a second long one")).status).toBe(200);
    expect((await accept(second)).status).toBe(404);
    const third = await passwordLink(owner, member.user.id);
    const again = await instance.signIn("member4@example.org", "a second long one");
    const changed = await instance.request("/api/v1/me/password", {
      method: "POST",
      headers: { cookie: again, "content-type": "application/json" },
      body: JSON.stringify({ current: "a second long one", password: "a third long one" }),
    });
    expect(changed.status).toBe(200);
    expect((await accept(third)).status).toBe(404);
  });

  it("a link adds a person to its projects, except those its maker has left, archived or given up", async () => {
    const admin = await instance.createPerson("admin5@example.org", { role: "admin" });
    const make = async (name: string) =>
      (await admin.call<{ project: Project }>("createProject", { body: { name } })).body.project.id;
    const [kept, archived, left, last] = [
      await make("Kept"),
      await make("Archived"),
      await make("Left"),
      await make("Last"),
    ];
    const other = await instance.createPerson("other5@example.org");
    const foreign = await admin.call("createInvite", {
      body: { email: "x5@example.org", projectIds: [kept, other.projectId] },
    });
    expect(foreign.status).toBe(404);
    const body = { email: "new5@example.org", projectIds: [kept, archived, left, last, kept] };
    const token = tokenOf(await admin.call("createInvite", { body }));
    await admin.call("updateProject", {
      params: { projectId: archived },
      body: { archived: true },
    });
    await instance.commit(async ({ tx }) => {
      await insertMember(tx, { projectId: left, userId: other.user.id, role: "manager", at: 0 });
      await tx
        .updateTable("project")
        .set({ owner_id: other.user.id })
        .where("id", "=", left)
        .execute();
      await tx
        .deleteFrom("project_member")
        .where("project_id", "=", left)
        .where("user_id", "=", admin.user.id)
        .execute();
    });
    const shown = await instance.anonymous("getInvite", { params: { token } });
    expect(shown.body.projectNames).toEqual(["Kept", "Last"]);
    expect((await accept(token)).status).toBe(200);
    const joined = await instance.store.read
      .selectFrom("user")
      .select("id")
      .where("email", "=", "new5@example.org")
      .executeTakeFirstOrThrow();
    const projects = await listProjects(instance.store.read, joined.id);
    expect(projects.map(({ name, role }) => [name, role])).toEqual([
      ["Kept", "editor"],
      ["Last", "editor"],
      ["New’s project", "manager"],
    ]);
  });

  it("revoking a link also revokes its maker's project invitations for that person, and nobody else's", async () => {
    const admin = await instance.createPerson("admin6@example.org", { role: "admin" });
    const email = "late6@example.org";
    await owner.call("addMember", {
      params: { projectId: owner.projectId },
      body: { email, role: "viewer" },
    });
    const made = await admin.call<{ invite: Invite }>("createInvite", {
      body: { email, projectIds: [admin.projectId] },
    });
    await admin.call("removeInvite", { params: { inviteId: made.body.invite.id } });
    const late = await instance.createPerson(email);
    const { invites } = (await late.call<RouteOutput<"getMe">>("getMe")).body;
    expect(invites.map(({ projectName }) => projectName)).toEqual(["owner's project"]);
  });
});
