import { afterAll, beforeAll, expect, it } from "vitest";
import type { Conversation, Project } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import { type Caller, createInstance, type Instance } from "../support/server/instance.ts";

forEachDatabase((_, create) => {
  let instance: Instance;
  let owner: Caller;
  let manager: Caller;
  beforeAll(async () => {
    instance = await createInstance(await create(), { start: false });
    owner = await instance.createPerson("owner@example.org");
    manager = await instance.createPerson("manager@example.org");
    await instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: owner.projectId,
        userId: manager.user.id,
        role: "manager",
        at: 0,
      }),
    );
  });
  afterAll(() => instance.close());

  const remove = (by: Caller, who: Caller) =>
    by
      .call("removeMember", { params: { projectId: owner.projectId, userId: who.user.id } })
      .then(({ status }) => status);
  const demote = (by: Caller, who: Caller) =>
    by
      .call("updateMember", {
        params: { projectId: owner.projectId, userId: who.user.id },
        body: { role: "viewer" },
      })
      .then(({ status }) => status);
  const handOver = (by: Pick<Caller, "call">, ownerId: string) =>
    by
      .call("updateProject", { params: { projectId: owner.projectId }, body: { ownerId } })
      .then(({ status }) => status);
  const ownerId = async () =>
    (
      await manager.call<{ project: Project }>("getProject", {
        params: { projectId: owner.projectId },
      })
    ).body.project.ownerId;
  const conversationsOf = async (who: Caller) =>
    (
      await who.call<{ conversations: Conversation[] }>("listConversations", {
        query: { projectId: owner.projectId },
      })
    ).body.conversations;

  it("no manager removes or demotes a project's owner, and only the owner transfers it", async () => {
    expect([
      await remove(manager, owner),
      await demote(manager, owner),
      await demote(owner, owner),
    ]).toEqual([409, 409, 409]);
    const outsider = await instance.createPerson("outsider@example.org");
    expect(await handOver(manager, manager.user.id)).toBe(403);
    expect(await handOver(owner, outsider.user.id)).toBe(403);
    expect(await handOver(await instance.createKey(owner), manager.user.id)).toBe(403);
    expect(await ownerId()).toBe(owner.user.id);
  });

  it("a former owner can be removed, and their private conversations stay theirs", async () => {
    const { body } = await owner.call<{ conversation: Conversation }>("createConversation", {
      body: { projectId: owner.projectId },
    });
    expect(await handOver(owner, manager.user.id)).toBe(200);
    expect(await ownerId()).toBe(manager.user.id);
    expect([await remove(owner, manager), await remove(manager, owner)]).toEqual([409, 200]);
    expect(await conversationsOf(manager)).toEqual([]);
    await instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: owner.projectId,
        userId: owner.user.id,
        role: "viewer",
        at: 0,
      }),
    );
    expect((await conversationsOf(owner)).map(({ id }) => id)).toEqual([body.conversation.id]);
  });

  it("a member leaves a project, its owner doesn't, and everyone always has a project", async () => {
    const ada = await instance.createPerson("ada@example.org");
    const bea = await instance.createPerson("bea@example.org");
    const join = (projectId: string, userId: string) =>
      instance.commit(({ tx }) => insertMember(tx, { projectId, userId, role: "viewer", at: 0 }));
    const leave = (who: Pick<Caller, "call">, projectId: string) =>
      who.call("leaveProject", { params: { projectId } }).then(({ status }) => status);
    const projectsOf = async (who: Caller) =>
      (await who.call<RouteOutput<"listProjects">>("listProjects")).body.projects;
    const { projectId } = ada;
    await join(projectId, bea.user.id);
    expect([
      await leave(ada, projectId),
      await leave(await instance.createKey(bea), bea.projectId),
      await leave(bea, manager.projectId),
    ]).toEqual([409, 403, 404]);
    expect(await leave(bea, projectId)).toBe(200);
    expect((await projectsOf(bea)).map(({ id }) => id)).toEqual([bea.projectId]);
    expect(await leave(bea, projectId)).toBe(404);

    // Ada gives her only project away and leaves it.
    await join(projectId, bea.user.id);
    const given = { params: { projectId }, body: { ownerId: bea.user.id } };
    expect((await ada.call("updateProject", given)).status).toBe(200);
    expect(await leave(ada, projectId)).toBe(200);
    const [own, ...others] = await projectsOf(ada);
    expect([own?.ownerId, others]).toEqual([ada.user.id, []]);

    // The same when a manager removes a person from the only project they have.
    await join(own!.id, bea.user.id);
    const own2 = { params: { projectId: own!.id }, body: { ownerId: bea.user.id } };
    expect((await ada.call("updateProject", own2)).status).toBe(200);
    const params = { projectId: own!.id, userId: ada.user.id };
    expect((await bea.call("removeMember", { params })).status).toBe(200);
    expect((await projectsOf(ada)).map(({ ownerId }) => ownerId)).toEqual([ada.user.id]);
  });

  const invite = (email: string, role = "editor") =>
    manager.call<RouteOutput<"addMember">>("addMember", {
      params: { projectId: owner.projectId },
      body: { email, role },
    });
  const invitesOf = async (who: Caller) =>
    (await who.call<RouteOutput<"getMe">>("getMe")).body.invites;
  const answer = (who: Caller, inviteId: string, accept: boolean) =>
    who
      .call("answerInvite", { params: { inviteId }, body: { accept } })
      .then(({ status }) => status);
  const isIn = async (who: Caller) =>
    (await who.call("getProject", { params: { projectId: owner.projectId } })).status === 200;

  it("inviting doesn't reveal whether an address has an account, and nobody joins before accepting", async () => {
    const guest = await instance.createPerson("guest@example.org");
    const known = await invite("guest@example.org");
    const unknown = await invite("nobody@example.org");
    expect([known.status, unknown.status]).toEqual([200, 200]);
    const shapeOf = ({ body }: typeof known, email: string) => {
      const { id: _, ...rest } = body.invite;
      expect(rest.email).toBe(email);
      return { ...rest, email: "" };
    };
    expect(shapeOf(known, "guest@example.org")).toEqual({
      ...shapeOf(unknown, "nobody@example.org"),
      expiresAt: expect.any(Number),
    });
    const listed = await manager.call<RouteOutput<"listMembers">>("listMembers", {
      params: { projectId: owner.projectId },
    });
    expect(listed.body.invites.map(({ email }) => email).sort()).toEqual([
      "guest@example.org",
      "nobody@example.org",
    ]);
    expect(listed.body.members.map(({ email }) => email)).not.toContain("guest@example.org");
    expect(await isIn(guest)).toBe(false);
    const [own, ...others] = await invitesOf(guest);
    expect([own, others]).toMatchObject([
      { projectName: "owner's project", inviterName: "manager", role: "editor" },
      [],
    ]);
    expect(await answer(await instance.createPerson("thief@example.org"), own!.id, true)).toBe(404);
    expect(await answer(guest, own!.id, true)).toBe(200);
    expect([await isIn(guest), await invitesOf(guest), await answer(guest, own!.id, true)]).toEqual(
      [true, [], 404],
    );
    expect((await invite("guest@example.org")).status).toBe(409);
  });

  it("an invitation that was declined, revoked, replaced or made by a former manager leads nowhere", async () => {
    const guest = await instance.createPerson("late@example.org");
    const invited = async (role?: string) => {
      await invite("late@example.org", role);
      return (await invitesOf(guest))[0]!.id;
    };
    expect(await answer(guest, await invited(), false)).toBe(200);
    const replaced = await invited("viewer");
    const last = await invited("editor");
    expect(await answer(guest, replaced, true)).toBe(404);
    const { projectId } = owner;
    expect(
      (await manager.call("removeMemberInvite", { params: { projectId, inviteId: last } })).status,
    ).toBe(200);
    expect(await answer(guest, last, true)).toBe(404);
    const orphan = await invited();
    await instance.commit(({ tx }) =>
      tx
        .updateTable("project_member")
        .set({ role: "editor" })
        .where("user_id", "=", manager.user.id)
        .execute(),
    );
    expect([await invitesOf(guest), await answer(guest, orphan, true), await isIn(guest)]).toEqual([
      [],
      404,
      false,
    ]);
  });
});
