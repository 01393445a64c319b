import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import {
  completeMessage,
  insertConversation,
  insertMessage,
  updateConversation,
} from "#store/content/conversations.ts";
import { insertConnection } from "#store/models/connections.ts";
import { claimRuns } from "#store/runs/claims.ts";
import { insertRun, lockRun, redirectQueued } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { createTestDatabase, forEachDatabase } from "../../support/databases/databases.ts";
import {
  at,
  buildConnection,
  buildConversation,
  buildRun,
} from "../../support/databases/store-rows.ts";
import { isAnyoneWaiting } from "../../support/databases/test-store.ts";
import { createInstance, until } from "../../support/server/instance.ts";

type Work = (unit: Unit) => Promise<unknown>;

/** A project with a conversation in which a run answers. */
async function createWorld(name: "sqlite" | "postgres") {
  const instance = await createInstance(await createTestDatabase(name), {
    endsWithTest: true,
    start: false,
  });
  const person = await instance.createPerson("ada@example.org");
  const other = await instance.createPerson("bob@example.org");
  const owned = { projectId: person.projectId, userId: person.user.id };
  const newRun = (messageId: string | null) =>
    buildRun({
      ...owned,
      visibility: "author",
      connectionId: "c",
      task: "chat",
      input: {},
      messageId,
    });
  const run = newRun(uuid());
  const conversation = buildConversation(owned);
  await instance.commit(async (unit) => {
    await insertMessage(unit, await insertConversation(unit, conversation), {
      id: run.messageId!,
      parentId: null,
      role: "assistant",
      state: "streaming",
      parts: [],
      runId: run.id,
      continuesId: null,
    });
    await insertRun(unit, run);
  });

  /**
   * Two units, each of which does its first part before either does its second.
   * @returns how often each was started
   */
  async function cross(one: [Work, Work], two: [Work, Work]): Promise<number[]> {
    const begun = [0, 0];
    const both = Promise.withResolvers<void>();
    let ready = 0;
    await Promise.all(
      [one, two].map(([first, second], i) =>
        instance.commit(async (unit) => {
          begun[i]!++;
          await first(unit);
          if (++ready === 2) both.resolve();
          await both.promise;
          await second(unit);
        }),
      ),
    );
    return begun;
  }
  return { instance, person, other, run, newRun, conversationId: conversation.id, cross };
}

// SQLite runs one unit at a time; only PostgreSQL has two at once.
it("opposite write orders of a run and its conversation never deadlock", async () => {
  const world = await createWorld("postgres");
  const touch: Work = ({ tx }) =>
    tx
      .updateTable("conversation")
      .set({ updated_at: at })
      .where("id", "=", world.conversationId)
      .execute();
  const rename: Work = (unit) =>
    updateConversation(unit, world.conversationId, { title: "renamed" });
  expect(
    await world.cross([(unit) => insertRun(unit, world.newRun(null)), rename], [touch, rename]),
  ).toEqual([1, 1]);
});

it("notices to two projects in different orders never deadlock", async () => {
  const world = await createWorld("postgres");
  const tell =
    (projectId: string): Work =>
    async ({ outbox }) =>
      outbox.changes.push({ projectId, userId: null, kind: "run", id: uuid(), at });
  const [a, b] = [tell(world.person.projectId), tell(world.other.projectId)];
  expect(await world.cross([a, b], [b, a])).toEqual([1, 1]);
});

it("sharing a conversation during its answer's settlement waits for the answer, and shares it too", async () => {
  const world = await createWorld("postgres");
  const { instance, run, conversationId } = world;
  const locked = Promise.withResolvers<void>();
  let begun = 0;
  const settling = instance.commit(async (unit) => {
    begun++;
    await lockRun(unit.tx, run.id);
    locked.resolve();
    // The other has requested this one's lock before this one requests more.
    await until("the other waits", () => isAnyoneWaiting(instance.store));
    await completeMessage(unit, run.messageId!, "complete", []);
  });
  await locked.promise;
  const sharing = instance.commit((unit) => {
    begun++;
    return updateConversation(unit, conversationId, { visibility: "project" });
  });
  await Promise.all([settling, sharing]);
  expect(begun).toBe(2);
  expect(await lockRun(instance.store.db, run.id)).toMatchObject({
    visibility: "project",
  });
});

it("a claim skips a run that moves to another model, or starts to need approval, while it waits for the row", async () => {
  const world = await createWorld("postgres");
  const { instance } = world;
  const changes = [
    { connection_id: "elsewhere" },
    { waiting_for: "manager" },
    { connection_id: "elsewhere", waiting_for: "manager" },
  ];
  for (const set of changes) {
    const connection = buildConnection();
    const planned = { ...world.newRun(null), connectionId: connection.id };
    await instance.commit(async (unit) => {
      await insertConnection(unit.tx, connection);
      await insertRun(unit, planned);
    });
    const run = await lockRun(instance.store.db, planned.id);
    const changed = Promise.withResolvers<void>();
    const changing = instance.commit(async (unit) => {
      expect(await redirectQueued(unit, run!, { set, events: [] })).toBe(true);
      changed.resolve();
      await until("the claim waits", () => isAnyoneWaiting(instance.store));
    });
    await changed.promise;
    const claim = {
      connectionId: connection.id,
      workerId: "worker-1",
      clientToken: uuid,
      most: 1,
    };
    const claiming = instance.commit((unit) => claimRuns(unit, claim));
    expect(await claiming).toEqual([]);
    await changing;
    expect(await lockRun(instance.store.db, run!.id)).toMatchObject({
      state: "queued",
      attempts: 0,
    });
  }
});

forEachDatabase((name) => {
  it("a unit's notices are numbered without a gap, in commit order, and duplicates are sent once", async () => {
    const world = await createWorld(name);
    const { instance, person } = world;
    const notices = () =>
      instance.store.db
        .selectFrom("change")
        .select(["seq", "id"])
        .where("project_id", "=", person.projectId)
        .orderBy("seq")
        .execute();
    const before = await notices();
    const say = ({ outbox }: Unit, id: string) =>
      outbox.changes.push({ projectId: person.projectId, userId: null, kind: "run", id, at });
    await instance.commit(async (unit) => {
      say(unit, "a");
      say(unit, "b");
      say(unit, "a");
    });
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        instance.commit(async (unit) => say(unit, `at once ${i}`)),
      ),
    );
    const after = await notices();
    expect(after.map((row) => row.seq)).toEqual(after.map((_, i) => i + 1));
    expect(
      after
        .slice(before.length, before.length + 2)
        .map((row) => row.id)
        .sort(),
    ).toEqual(["a", "b"]);
    expect(after).toHaveLength(before.length + 22);
  });
});
