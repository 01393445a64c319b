import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { v7 as uuid } from "uuid";
import { expect, it, onTestFinished } from "vitest";
import { limits } from "#contract/limits.ts";
import { migrate } from "#store/database/migrate.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import { endSessions, insertUser, updateUser } from "#store/people/people.ts";
import { oneKey } from "../../../test/support/one-key.ts";
import { createTempFolder } from "../../../test/support/temp.ts";
import { createAuth } from "./auth.ts";

const password = "correct horse battery";
const dayMs = 24 * 60 * 60_000;

async function buildSignedIn(encrypted = false) {
  const store = openSqlite(join(createTempFolder(), "bottega.db"), {
    monotonic: () => performance.now(),
  });
  onTestFinished(() => store.close());
  await migrate(store, Date.now());
  const auth = createAuth({ store, masterKeys: oneKey(randomBytes(32)) });
  const passwordHash = await auth.hashPassword(password);
  const user = await store.write((tx) =>
    insertUser(tx, {
      id: uuid(),
      accountId: uuid(),
      name: "Ada",
      email: "ada@example.org",
      role: "member",
      passwordHash,
      at: Date.now(),
    }),
  );
  const { cookies } = await auth.signIn("ada@example.org", password, {
    headers: new Headers(),
    encrypted,
  });
  const cookie = cookies[0]!.split(";")[0]!;
  const identify = (line: string) =>
    auth.identify({ headers: new Headers({ cookie: line }), encrypted });
  const expiresAt = async (): Promise<number> =>
    new Date(
      (await store.db.selectFrom("session").select("expiresAt").executeTakeFirstOrThrow())
        .expiresAt,
    ).getTime();
  const setExpiry = (at: number) =>
    store.db
      .updateTable("session")
      .set({ expiresAt: new Date(at).toISOString() })
      .execute();
  return { store, auth, user, cookie, identify, expiresAt, setExpiry };
}

it.each([false, true])(
  "a session's cookie identifies its person, among other cookies too (encrypted: %s)",
  async (encrypted) => {
    const { user, cookie, identify } = await buildSignedIn(encrypted);
    expect((await identify(cookie))?.user).toEqual(user);
    expect((await identify(`theme=dark; ${cookie}; other=%`))?.user.id).toBe(user.id);
  },
);

it("a cookie with another token, another signature or another instance's key identifies nobody", async () => {
  const { cookie, identify } = await buildSignedIn();
  const [name, value] = cookie.split("=") as [string, string];
  const [token, signature] = decodeURIComponent(value).split(".") as [string, string];
  const forge = (newToken: string, newSignature: string) =>
    identify(`${name}=${encodeURIComponent(`${newToken}.${newSignature}`)}`);
  expect(await forge(token, signature)).toBeDefined();
  expect(await forge(`${token}x`, signature)).toBeUndefined();
  expect(await forge(token, Buffer.alloc(32).toString("base64"))).toBeUndefined();
  expect(await forge(token, "")).toBeUndefined();
  expect(await identify(`${name}=${token}`)).toBeUndefined();
  expect(await identify(`${name}=%E0%A4%A`)).toBeUndefined();
  const other = await buildSignedIn();
  expect(await other.identify(cookie)).toBeUndefined();
});

it("a cookie from http identifies nobody over https", async () => {
  const { auth, cookie } = await buildSignedIn(false);
  expect(
    await auth.identify({ headers: new Headers({ cookie }), encrypted: true }),
  ).toBeUndefined();
});

it("ended sessions and those of suspended people identify nobody from the next request on", async () => {
  const { store, user, cookie, identify } = await buildSignedIn();
  await store.write((tx) => updateUser(tx, user.id, { status: "suspended" }));
  expect(await identify(cookie)).toBeUndefined();
  await store.write((tx) => updateUser(tx, user.id, { status: "active" }));
  expect(await identify(cookie)).toBeDefined();
  await store.write((tx) => endSessions(tx, user.id, {}));
  expect(await identify(cookie)).toBeUndefined();
});

it("a session that is a day old is extended, an expired one isn't", async () => {
  const { cookie, identify, expiresAt, setExpiry } = await buildSignedIn();
  const dueAt = Date.now() + limits.sessionMs - dayMs - 1;
  await setExpiry(dueAt);
  expect(await identify(cookie)).toBeDefined();
  expect(await expiresAt()).toBeGreaterThan(dueAt + dayMs / 2);
  await setExpiry(Date.now() - 1);
  expect(await identify(cookie)).toBeUndefined();
});
