import { afterAll, beforeAll, expect, it } from "vitest";
import type { Conversation, Project } from "#contract/entities.ts";
import { insertMember } from "#store/projects.ts";
import { forEachDatabase } from "../support/databases.ts";
import { type Caller, createInstance, type Instance } from "../support/instance.ts";

forEachDatabase((_, create) => {
  let instance: Instance;
  let owner: Caller;
  let manager: Caller;
  beforeAll(async () => {
    instance = await createInstance(await create(), { start: false });
    owner = await instance.createPerson("owner@example.org");
    manager = await instance.createPerson("manager@example.org");
    await instance.commit((tx) => insertMember(tx, { projectId: owner.projectId, userId: manager.user.id, role: "manager", at: 0 }));
  });
  afterAll(() => instance.close());

  const remove = (by: Caller, who: Caller) =>
    by.call("removeMember", { params: { projectId: owner.projectId, userId: who.user.id } }).then(({ status }) => status);
  const demote = (by: Caller, who: Caller) =>
    by
      .call("updateMember", { params: { projectId: owner.projectId, userId: who.user.id }, body: { role: "viewer" } })
      .then(({ status }) => status);
  const handOver = (by: Pick<Caller, "call">, ownerId: string) =>
    by.call("updateProject", { params: { projectId: owner.projectId }, body: { ownerId } }).then(({ status }) => status);
  const ownerId = async () =>
    (await manager.call<{ project: Project }>("getProject", { params: { projectId: owner.projectId } })).body.project.ownerId;
  const conversationsOf = async (who: Caller) =>
    (await who.call<{ conversations: Conversation[] }>("listConversations", { query: { projectId: owner.projectId } })).body.conversations;

  it("no manager removes or demotes a project's owner, and nobody but the owner hands it over", async () => {
    expect([await remove(manager, owner), await demote(manager, owner), await demote(owner, owner)]).toEqual([409, 409, 409]);
    const outsider = await instance.createPerson("outsider@example.org");
    expect(await handOver(manager, manager.user.id)).toBe(403);
    expect(await handOver(owner, outsider.user.id)).toBe(403);
    expect(await handOver(await instance.createKey(owner), manager.user.id)).toBe(403);
    expect(await ownerId()).toBe(owner.user.id);
  });

  it("who handed a project over can be removed, and their private conversations stay theirs", async () => {
    const { body } = await owner.call<{ conversation: Conversation }>("createConversation", { body: { projectId: owner.projectId } });
    expect(await handOver(owner, manager.user.id)).toBe(200);
    expect(await ownerId()).toBe(manager.user.id);
    expect([await remove(owner, manager), await remove(manager, owner)]).toEqual([409, 200]);
    expect(await conversationsOf(manager)).toEqual([]);
    await instance.commit((tx) => insertMember(tx, { projectId: owner.projectId, userId: owner.user.id, role: "viewer", at: 0 }));
    expect((await conversationsOf(owner)).map(({ id }) => id)).toEqual([body.conversation.id]);
  });
});
