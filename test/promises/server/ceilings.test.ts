import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { openaiCompatible } from "#providers/services/openai-compatible/adapter.ts";
import { putAlias } from "#store/models/aliases.ts";
import { insertConnection } from "#store/models/connections.ts";
import { upsertModels } from "#store/models/models.ts";
import { inviteMember } from "#store/people/member-invites.ts";
import { insertProject, listProjects } from "#store/people/projects.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { at, buildConnection, buildModel } from "../../support/databases/store-rows.ts";
import { createInstance } from "../../support/server/instance.ts";

/**
 * Limits on what a person may own, each listed whole: one more is refused, with a sentence that
 * contains the limit.
 */
const open = async () => {
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    start: false,
    adapters: [openaiCompatible],
  });
  const owner = await instance.createPerson("ada@example.org", { role: "owner" });
  return { instance, owner, ben: await instance.createPerson("ben@example.org") };
};
type Refusal = { code: string; detail: string };
const refused = (detail: RegExp) => ({
  status: 409,
  body: { code: "conflict", detail: expect.stringMatching(detail) },
});

it("a person at the project limit can't make, accept, import or be given another", async () => {
  const { instance, owner, ben } = await open();
  const most = limits.projectsPerPerson;
  const add = (ownerId: string) =>
    instance.commit(({ tx }) =>
      insertProject(tx, { id: uuid(), name: "p", description: "", ownerId, at }),
    );
  const create = () => ben.call<Refusal>("createProject", { body: { name: "one more" } });
  const count = async () => (await listProjects(instance.store.read, ben.user.id)).length;
  // Including the person's own, and one that is created below.
  for (let i = 2; i < most; i++) await add(ben.user.id);
  expect((await create()).status).toBe(200);
  expect(await create()).toMatchObject(refused(/You are in 500 projects/));
  const sent = await instance.request("/api/v1/imports", {
    method: "POST",
    headers: { cookie: ben.cookie },
    body: "PK",
  });
  expect(await sent.json()).toMatchObject({ detail: expect.stringMatching(/500 projects/) });

  const inviteId = uuid();
  await instance.commit(({ tx, at }) =>
    inviteMember(tx, {
      id: inviteId,
      projectId: owner.projectId,
      email: ben.user.email,
      role: "viewer",
      createdBy: owner.user.id,
      expiresAt: at + limits.inviteMs,
    }),
  );
  const answer = (accept: boolean) =>
    ben.call<Refusal>("answerInvite", { params: { inviteId }, body: { accept } });
  expect(await answer(true)).toMatchObject(refused(/500 projects/));
  // The invitation can still be declined.
  expect((await answer(false)).status).toBe(200);

  const eve = await instance.createPerson("eve@example.org");
  await owner.call("updatePerson", {
    params: { userId: eve.user.id },
    body: { status: "suspended" },
  });
  const handOver = (toUserId: string) =>
    owner.call<Refusal>("handOver", { params: { userId: eve.user.id }, body: { toUserId } });
  expect(await handOver(ben.user.id)).toMatchObject(refused(/would be in more than 500 projects/));
  expect(await count()).toBe(most);
  expect((await handOver(owner.user.id)).status).toBe(200);
});

it("an owner at the connection limit can't connect another, and nobody else is affected", async () => {
  const { instance, owner, ben } = await open();
  await instance.commit(async ({ tx }) => {
    for (let i = 0; i < limits.connectionsPerOwner; i++)
      await insertConnection(
        tx,
        buildConnection({ id: `c${i}`, scope: "user", scopeId: ben.user.id }),
      );
  });
  const connect = (who: typeof owner) =>
    who.call<Refusal>("createConnection", {
      body: {
        kind: "openai-compatible",
        name: "one more",
        scope: "user",
        values: { api: "http://127.0.0.1:9/v1", key: "a key" },
      },
    });
  expect(await connect(ben)).toMatchObject(refused(/There are 200 connections here already/));
  expect((await connect(owner)).body.detail).not.toMatch(/200 connections/);
});

it("at the alias limit one can be changed, and none added", async () => {
  const { instance, owner } = await open();
  const id = uuid();
  const models = [{ connectionId: id, modelId: "m" }];
  await instance.commit(async ({ tx, at }) => {
    await insertConnection(tx, buildConnection({ id }));
    await upsertModels(tx, [buildModel({ connectionId: id, tasks: ["chat"] })]);
    for (let i = 0; i < limits.modelAliases; i++)
      await putAlias(tx, { name: `alias-${i}`, task: "chat", models, madeBy: owner.user.id, at });
  });
  const create = await owner.call<Refusal>("createAlias", {
    body: { name: "one-more", task: "chat", models },
  });
  expect(create).toMatchObject(refused(/There are 500 aliases already/));
  const change = { params: { alias: "alias-7" }, body: { task: "chat", models } };
  expect((await owner.call("updateAlias", change)).status).toBe(200);
});
