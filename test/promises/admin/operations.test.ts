import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import { type AuditAction, auditActions } from "#contract/filters/audit-actions.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { createChores, upkeepEveryMs } from "#engine/recover/chores.ts";
import { insertAsset, updateAssets } from "#store/content/assets.ts";
import { touchBlob } from "#store/content/blobs.ts";
import type { RunRow } from "#store/database/schema.ts";
import { insertConnection } from "#store/models/connections.ts";
import { recordAudit } from "#store/people/people.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import { noteFailing, pauseEndpoint } from "#store/webhooks/webhooks.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { buildAsset, buildConnection, buildRun } from "../../support/databases/store-rows.ts";
import {
  type Caller,
  createInstance,
  createTestClock,
  testPassword,
} from "../../support/server/instance.ts";

type Audit = RouteOutput<"listAudit">;
type Use = RouteOutput<"getStorageUse">;
type Health = RouteOutput<"getHealth">;

const dayMs = 24 * 60 * 60_000;

async function open(database: TestDatabase) {
  const clock = createTestClock(Date.parse("2026-11-20T12:00:00Z"));
  const instance = await createInstance(database, { endsWithTest: true, start: false, clock });
  const root = await instance.createPerson("root@example.org", { role: "admin" });
  const ada = await instance.createPerson("ada@example.org");
  const record = (
    action: AuditAction,
    at: number,
    rest: Partial<Parameters<typeof recordAudit>[1]> = {},
  ) =>
    instance.commit(({ tx }) =>
      recordAudit(tx, {
        id: uuid(),
        actorId: root.user.id,
        action,
        targetKind: "person",
        targetId: ada.user.id,
        ip: "192.0.2.1",
        at,
        ...rest,
      }),
    );
  return { ...instance, clock, root, ada, record };
}

forEachDatabase((_, create) => {
  it("the audit log is listed newest first, by page, with names", async () => {
    const { root, ada, record } = await open(await create());
    const day = Date.parse("2026-11-10");
    for (const hour of [3, 1, 2])
      await record("update-person", day + hour, { detail: { role: `role ${hour}` } });
    const first = await root.call<Audit>("listAudit", { query: { limit: "2" } });
    expect(first.body.events.map(({ at }) => at - day)).toEqual([3, 2]);
    expect(first.body.events[0]).toMatchObject({
      actor: { id: root.user.id, name: "root", email: "root@example.org" },
      action: "update-person",
      target: { kind: "person", id: ada.user.id, name: "ada" },
      ip: "192.0.2.1",
      detail: { role: "role 3" },
    });
    const query = { limit: "2", cursor: first.body.next! };
    const second = await root.call<Audit>("listAudit", { query });
    expect(second.body.events.map(({ at }) => at - day)).toEqual([1]);
    expect(second.body.next).toBeNull();
  });

  it("the audit log is filtered by person, action and day, and the CSV has the same entries", async () => {
    const { root, ada, record, request } = await open(await create());
    const at = (day: string) => Date.parse(`${day}T23:59:59Z`);
    await record("invite", at("2026-11-09"));
    await record("revoke-key", at("2026-11-10"), { detail: { name: "=cmd()" } });
    await record("invite", at("2026-11-10"), {
      actorId: ada.user.id,
      targetId: uuid(),
      detail: { email: "eve@example.org" },
    });
    await record("invite", at("2026-11-11"), { actorId: null });
    const found = async (query: Record<string, string>) =>
      (await root.call<Audit>("listAudit", { query })).body.events.map(
        ({ action, actor, at }) =>
          `${action} ${actor?.name ?? "-"} ${new Date(at).toISOString().slice(8, 10)}`,
      );
    expect(await found({ from: "2026-11-10", to: "2026-11-10" })).toEqual(
      expect.arrayContaining(["revoke-key root 10", "invite ada 10"]),
    );
    expect(await found({ from: "2026-11-10", to: "2026-11-10" })).toHaveLength(2);
    expect(await found({ q: "ADA@" })).toEqual(["invite ada 10"]);
    expect(await found({ action: "invite", to: "2026-11-10" })).toEqual([
      "invite ada 10",
      "invite root 09",
    ]);
    expect(await found({ q: "nobody" })).toEqual([]);
    const invited = await root.call<Audit>("listAudit", { query: { q: "ADA@" } });
    expect(invited.body.events[0]?.target.name).toBe("eve@example.org");
    const csv = await request("/api/v1/admin/audit.csv?action=revoke-key", {
      headers: { host: "127.0.0.1", cookie: root.cookie },
    });
    expect(csv.headers.get("content-disposition")).toContain("bottega-audit.csv");
    const lines = (await csv.text()).trim().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^at,who,email,action/);
    expect(lines[1]).toMatch(
      /^2026-11-10T23:59:59.000Z,root,root@example.org,revoke-key,person,ada/,
    );
  });

  it("memberships, archived projects, withdrawn invitations and new passwords are in the audit log", async () => {
    const { root, ada, anonymous } = await open(await create());
    const act = async (who: Caller, name: RouteName, given: object) => {
      const { status, body } = await who.call<Record<string, { id: string }>>(name, given as never);
      expect([name, status]).toEqual([name, 200]);
      return body;
    };
    const projectId = (await act(root, "createProject", { body: { name: "Harbor" } })).project!.id;
    const params = { projectId };
    const invited = async (email: string) => {
      const body = { email, role: "editor" };
      return (await act(root, "addMember", { params, body })).invite!.id;
    };
    const inviteId = await invited("eve@example.org");
    await act(root, "removeMemberInvite", { params: { projectId, inviteId } });
    const own = await invited(ada.user.email);
    await act(ada, "answerInvite", { params: { inviteId: own }, body: { accept: true } });
    const member = { params: { projectId, userId: ada.user.id } };
    await act(root, "updateMember", { ...member, body: { role: "viewer" } });
    await act(root, "removeMember", member);
    for (const name of ["Harbor", "Old harbor"])
      await act(root, "updateProject", { params, body: { name, archived: true } });
    await act(root, "updateProject", { params, body: { archived: false } });
    const again = await invited(ada.user.email);
    await act(ada, "answerInvite", { params: { inviteId: again }, body: { accept: true } });
    await act(ada, "leaveProject", { params });
    const guest = await act(root, "createInvite", { body: { email: "guest@example.org" } });
    await act(root, "removeInvite", { params: { inviteId: guest.invite!.id } });
    const password = { current: testPassword, password: "another harbor at dawn" };
    await act(ada, "changePassword", { body: password });
    const link = async (name: RouteName, given: object) =>
      String((await act(root, name, given)).link).split("/join/")[1]!;
    const accept = async (token: string) => {
      const body = { name: "Eve", password: "another harbor at dusk" };
      const accepted = await anonymous("acceptInvite", { params: { token }, body });
      expect(accepted.status).toBe(200);
    };
    await accept(await link("createInvite", { body: { email: "eve@example.org" } }));
    await accept(await link("createPasswordLink", { params: { userId: ada.user.id } }));
    const { events } = (await root.call<Audit>("listAudit")).body;
    expect(events.map(({ action, actor }) => `${actor?.name} ${action}`).reverse()).toEqual([
      "root invite-member",
      "root withdraw-member-invite",
      "root invite-member",
      "ada join-project",
      "root change-member",
      "root remove-member",
      "root archive-project",
      "root unarchive-project",
      "root invite-member",
      "ada join-project",
      "ada leave-project",
      "root invite",
      "root withdraw-invite",
      "ada change-password",
      "root invite",
      "Eve join",
      "root password-link",
      "ada change-password",
    ]);
    expect(events.every(({ action }) => auditActions.includes(action as AuditAction))).toBe(true);
  });

  it("the audit log hides the names of personal connections from admins", async () => {
    const { root, ada, record, commit } = await open(await create());
    const own = buildConnection({ name: "Ada's secret", scope: "user", scopeId: ada.user.id });
    const shared = buildConnection({ name: "Shared" });
    await commit(async ({ tx }) => {
      await insertConnection(tx, own);
      await insertConnection(tx, shared);
    });
    await record("connect", 2, { targetKind: "connection", targetId: own.id });
    await record("connect", 1, { targetKind: "connection", targetId: shared.id });
    const { events } = (await root.call<Audit>("listAudit")).body;
    expect(events.map(({ target }) => target.name)).toEqual(["", "Shared"]);
  });

  it("storage is summed by project, person, kind and age, and emptying the trash counts only what it frees", async () => {
    const { root, ada, commit, clock } = await open(await create());
    const now = clock.now();
    const add = async (
      who: typeof ada,
      sha256: string,
      bytes: number,
      facts: Partial<Parameters<typeof buildAsset>[0]> = {},
    ) => {
      const asset = buildAsset({
        projectId: who.projectId,
        createdBy: who.user.id,
        sha256,
        bytes,
        createdAt: now,
        ...facts,
      });
      await commit(async (unit) => {
        await touchBlob(unit.tx, { sha256, bytes, mime: "image/png", at: now });
        await insertAsset(unit, asset);
      });
      return asset.id;
    };
    await add(ada, "a", 100);
    await add(root, "a", 100, { createdAt: now - 10 * dayMs });
    const shared = await add(ada, "a", 100, { createdAt: now - 400 * dayMs });
    const alone = await add(ada, "b", 7, { kind: "video" });
    const gone = await add(ada, "c", 50);
    await commit((unit) => updateAssets(unit, [shared, alone], { trashedAt: now }));
    await commit((unit) => updateAssets(unit, [gone], { deletedAt: now }));
    const { body } = await root.call<Use>("getStorageUse");
    expect(body.stored).toEqual({ files: 3, bytes: 157 });
    expect(body.projects.map(({ name, ...sum }) => [name, sum.files, sum.bytes])).toEqual([
      ["ada's project", 3, 207],
      ["root's project", 1, 100],
    ]);
    expect(body.people.map(({ name, bytes }) => [name, bytes])).toEqual([
      ["ada", 207],
      ["root", 100],
    ]);
    expect(body.kinds).toEqual([
      { kind: "image", files: 3, bytes: 300 },
      { kind: "video", files: 1, bytes: 7 },
    ]);
    expect(body.ages).toEqual([
      { days: 7, files: 2, bytes: 107 },
      { days: 30, files: 1, bytes: 100 },
      { days: 90, files: 0, bytes: 0 },
      { days: 365, files: 0, bytes: 0 },
      { days: null, files: 1, bytes: 100 },
    ]);
    expect(body.trash).toEqual({ files: 1, bytes: 7 });
    expect(body.unneeded).toEqual({ files: 1, bytes: 50 });
    expect(body.databaseBytes).toBeGreaterThan(0);
  });

  it("health names overdue and failing work, and no personal connection", async () => {
    const world = await open(await create());
    const { root, ada, commit, clock, engineDeps, engine } = world;
    await engine.start();
    const health = async () => (await root.call<Health>("getHealth")).body;
    expect(await health()).toMatchObject({ state: "ok", servers: [{}], upkeep: { dueAt: null } });
    await createChores(engineDeps)();
    expect(await health()).toMatchObject({
      state: "ok",
      upkeep: { dueAt: clock.now() + upkeepEveryMs, lastError: null },
    });
    const shared = buildConnection({ name: "Shared" });
    const own = buildConnection({ name: "Own", scope: "user", scopeId: ada.user.id });
    await commit(async ({ tx }) => {
      for (const connection of [shared, own]) await insertConnection(tx, connection);
      await tx
        .updateTable("connection")
        .set({ status: "failing", status_detail: "No key." })
        .where("id", "in", [shared.id, own.id])
        .execute();
    });
    const hook = {
      params: { projectId: ada.projectId },
      body: { url: "https://hooks.example.org" },
    };
    const { id } = (await ada.call<{ id: string }>("addProjectWebhook", hook)).body;
    await commit(({ tx }) => noteFailing(tx, id, clock.now()));
    expect(await health()).toMatchObject({
      checks: { webhooks: "warn" },
      webhooks: { failing: 1, paused: 0 },
    });
    await commit(({ tx }) => pauseEndpoint(tx, id, "It is gone.", clock.now()));
    expect(await health()).toMatchObject({
      checks: { webhooks: "warn" },
      webhooks: { failing: 0, paused: 1 },
    });
    clock.advance(3 * upkeepEveryMs);
    const late = await health();
    expect(late).toMatchObject({
      state: "warn",
      checks: { upkeep: "warn", connections: "warn", database: "ok", servers: "ok" },
      connections: { failing: [{ name: "Shared", detail: "No key." }], others: 1 },
    });
    expect(JSON.stringify(late)).not.toContain("Own");
  });

  it("health warns of a queue only while its connection could start a run and starts none", async () => {
    const world = await open(await create());
    const { root, ada, commit, clock, store } = world;
    const connection = buildConnection();
    const others = buildConnection();
    const minutes = (count: number) => clock.now() - count * 60_000;
    const add = async (facts: Partial<NewRun> = {}) => {
      const run = buildRun({
        projectId: ada.projectId,
        userId: ada.user.id,
        connectionId: connection.id,
        ...facts,
      });
      await commit((unit) => insertRun(unit, run));
      return run.id;
    };
    const set = (id: string, values: Partial<RunRow>) =>
      store.write((tx) => tx.updateTable("run").set(values).where("id", "=", id).execute());
    const queue = async () => {
      const { checks, runs } = (await root.call<Health>("getHealth")).body;
      return { state: checks.queue, since: runs.stalledSince };
    };
    await commit(async ({ tx }) => {
      await insertConnection(tx, connection);
      await insertConnection(tx, others);
    });
    const oldest = await add({ at: minutes(40) });
    await add({ at: minutes(5) });
    expect(await queue()).toEqual({ state: "warn", since: minutes(40) });

    const active = await add({ at: minutes(41) });
    await set(active, { state: "running", started_at: minutes(41) });
    expect(await queue()).toEqual({ state: "ok", since: null });
    // A run that gave its slot back holds none, and neither does one that only waits for its files.
    await set(active, { placeless: 1 });
    expect(await queue()).toEqual({ state: "warn", since: minutes(40) });
    await set(active, { placeless: 0, state: "storing" });
    expect(await queue()).toEqual({ state: "warn", since: minutes(40) });
    await set(active, { state: "succeeded", finished_at: minutes(9) });
    expect(await queue()).toEqual({ state: "ok", since: null });
    await set(active, { finished_at: minutes(11) });
    expect(await queue()).toEqual({ state: "warn", since: minutes(40) });
    await set(active, { connection_id: others.id, finished_at: minutes(1) });
    expect(await queue()).toEqual({ state: "warn", since: minutes(40) });

    await set(oldest, { not_before: clock.now() + 60_000 });
    expect(await queue()).toEqual({ state: "ok", since: null });
    await set(oldest, { not_before: minutes(12) });
    expect(await queue()).toEqual({ state: "warn", since: minutes(12) });
    await set(oldest, { waiting_for: "manager" });
    expect(await queue()).toEqual({ state: "ok", since: null });
    await set(oldest, { waiting_for: null });
    const setStatus = (status: "active" | "suspended") =>
      store.write((tx) =>
        tx.updateTable("user").set({ status }).where("id", "=", ada.user.id).execute(),
      );
    await setStatus("suspended");
    expect(await queue()).toEqual({ state: "ok", since: null });
    await setStatus("active");
    expect(await queue()).toEqual({ state: "warn", since: minutes(12) });
    await store.write((tx) =>
      tx
        .updateTable("connection")
        .set({ status: "disabled" })
        .where("id", "=", connection.id)
        .execute(),
    );
    expect(await queue()).toEqual({ state: "ok", since: null });
  });

  it("a failing chore is reported until it succeeds", async () => {
    const { root, engineDeps } = await open(await create());
    const upkeep = async () => (await root.call<Health>("getHealth")).body.upkeep;
    const chores = createChores({
      ...engineDeps,
      store: {
        ...engineDeps.store,
        releaseSpace: () => Promise.reject(new Error("The disk failed.")),
      },
    });
    await expect(chores()).rejects.toThrow("The disk failed.");
    expect((await upkeep()).lastError).toBe("The disk failed.");
    await createChores(engineDeps)();
    expect((await upkeep()).lastError).toBeNull();
  });

  it("a failing chore doesn't keep the others of its round from running", async () => {
    const { engineDeps } = await open(await create());
    const ran: string[] = [];
    const failing = (name: string) => () => {
      ran.push(name);
      return Promise.reject(new Error(`${name} failed.`));
    };
    const store = { ...engineDeps.store, releaseSpace: failing("Space") };
    const fileOwner = { ...engineDeps.fileOwner!, bringTogether: failing("Files") };
    const chores = createChores({ ...engineDeps, store, fileOwner });
    await expect(chores()).rejects.toThrow("Files failed. Space failed.");
    expect(ran).toEqual(["Files", "Space"]);
  });
});
