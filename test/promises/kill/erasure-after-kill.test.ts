import { expect, it, onTestFinished, vi } from "vitest";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import type { Store } from "#store/database/store.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { openStore } from "../../support/databases/test-store.ts";
import { patienceMs } from "../../support/patience.ts";
import { testPassword } from "../../support/server/instance.ts";
import { runBottegaHere } from "../../support/server/run-command.ts";
import {
  createClient,
  type ServerClient,
  setUpServer,
  uploadToServer,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";

const word = "quillwort";
/** More than two slices, the second of which may be twice the first. */
const messages = 60;

const as = async <N extends RouteName>(who: ServerClient, name: N, given: object = {}) => {
  const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
  if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  return body;
};

async function inStore<T>(database: TestDatabase, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const left = (database: TestDatabase) =>
  inStore(database, async ({ db }) => {
    const rows = await db.selectFrom("message").select("parts").execute();
    return rows.filter(({ parts }) => JSON.stringify(parts).includes(word)).length;
  });

/** A member with a shared conversation of many messages, and files. */
async function liveIn(owner: ServerClient): Promise<ServerClient> {
  const email = `${word}@example.org`;
  const invited = await as(owner, "createInvite", {
    body: { email, projectIds: [owner.projectId] },
  });
  const token = new URL(invited.link, owner.url).pathname.split("/").at(-1)!;
  const accepted = await fetch(`${owner.url}/api/v1/invites/${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: word, password: testPassword }),
  });
  const cookie = accepted.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const member = createClient(owner.url, cookie, owner.projectId);
  const { conversation } = await as(member, "createConversation", {
    body: { projectId: owner.projectId, title: `${word} talk` },
  });
  const params = { conversationId: conversation.id };
  let parentId: string | null = null;
  for (let i = 0; i < messages; i++)
    parentId = (
      await as(member, "sendMessage", { params, body: { parentId, text: `${word} ${i}` } })
    ).message.id;
  await as(member, "updateConversation", { params, body: { visibility: "project" } });
  await uploadToServer(member, `${word}.bin`, new Uint8Array(100));
  return member;
}

forEachDatabase((_, create) => {
  it("kill -9 while a deleted person is erased: nobody sees a partial state, and the next start erases the rest", async () => {
    const database = await create();
    const start = (failpoints?: string, args: string[] = []) =>
      startServer({
        dataFolder: database.dataFolder,
        env: { ...database.env, BOTTEGA_FAILPOINTS: failpoints },
        args,
      });
    let server = await start();
    onTestFinished(() => server.kill9());
    const owner = await setUpServer(server);
    const member = await liveIn(owner);
    const userId = (await as(member, "getMe")).user.id;
    const seen = async (who: ServerClient) => ({
      talks: (await as(who, "listConversations", { query: { projectId: owner.projectId } }))
        .conversations.length,
      people: (await as(who, "listPeople", { query: {} })).people.length,
    });
    expect(await seen(owner)).toEqual({ talks: 1, people: 2 });
    await server.stop();

    server = await start("erase.part#2=kill");
    await owner
      .at(server.url)
      .call("deletePerson", {
        params: { userId },
        body: { email: `${word}@example.org`, sharedWork: "goes" },
      })
      .catch(() => undefined);
    expect(await server.ended).toMatchObject({ signal: "SIGKILL" });
    const half = await left(database);
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(messages);

    // A web server, which erases nothing.
    server = await start(undefined, ["--role", "web"]);
    expect(await seen(owner.at(server.url))).toEqual({ talks: 0, people: 1 });
    expect((await member.at(server.url).call("getMe")).status).toBe(401);
    expect(await left(database)).toBe(half);
    await server.stop();

    server = await start();
    await vi.waitFor(
      () =>
        inStore(database, async ({ db }) =>
          expect(
            await db
              .selectFrom("deleted_person")
              .select("user_id")
              .where("erased_at", "is", null)
              .execute(),
          ).toEqual([]),
        ),
      { timeout: patienceMs, interval: 200 },
    );
    expect(await left(database)).toBe(0);
    await inStore(database, async ({ db }) => {
      const { name } = await db
        .selectFrom("user")
        .select("name")
        .where("id", "=", userId)
        .executeTakeFirstOrThrow();
      expect(name).toMatch(/^Deleted person \d+$/);
      const files = await db
        .selectFrom("upload")
        .select("name")
        .where("user_id", "=", userId)
        .execute();
      expect(files.map(({ name }) => name)).toEqual([""]);
    });
    await server.stop();
    const found = await runBottegaHere(["doctor"], database.env);
    expect(found.stdout).toContain("No problems found.");
  });
});
