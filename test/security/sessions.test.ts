import { afterAll, beforeAll, expect, it } from "vitest";
import type { Session } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import {
  type Caller,
  createInstance,
  createTestClock,
  type Instance,
  testPassword,
} from "../support/server/instance.ts";

const account = {
  name: "Ada",
  email: "ada@example.org",
  password: testPassword,
  projectName: "Tide",
};

forEachDatabase((_, create) => {
  let instance: Instance;
  let owner: Caller;
  beforeAll(async () => {
    instance = await createInstance(await create());
  });
  afterAll(() => instance.close());

  it("a set-up code works once, a wrong one never, and of two concurrent uses one makes the owner", async () => {
    const code = await instance.createSetupCode();
    expect(
      (await instance.anonymous("setUp", { body: { ...account, code: "wrong" } })).body.field,
    ).toBe("code");
    expect(
      (await instance.anonymous("setUp", { body: { ...account, code, password: "short" } })).body
        .field,
    ).toBe("password");
    const both = await Promise.all([
      instance.anonymous("setUp", { body: { ...account, code } }),
      instance.anonymous("setUp", { body: { ...account, code, email: "eve@example.org" } }),
    ]);
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 409]);
    expect(
      (await instance.anonymous("setUp", { body: { ...account, code, email: "late@example.org" } }))
        .status,
    ).toBe(409);
    const users = await instance.store.db.selectFrom("user").select("role").execute();
    expect(users.map((user) => user.role)).toEqual(["owner"]);
  });

  it("a session's cookie is for this server only: httpOnly, lax, __Host- and Secure over https", async () => {
    owner = await instance.createPerson("owner@example.org", { role: "owner" });
    const body = JSON.stringify({ email: "owner@example.org", password: testPassword });
    const plain = (
      await instance.request("/api/v1/session", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      })
    ).headers.getSetCookie()[0]!;
    expect(plain).toMatch(/^bottega-session=/);
    expect(plain).toMatch(/HttpOnly/i);
    expect(plain).toMatch(/SameSite=Lax/i);
    expect(plain).not.toMatch(/Secure/i);
    const { cookies } = await instance.deps.auth.signIn("owner@example.org", testPassword, {
      headers: new Headers(),
      encrypted: true,
    });
    expect(cookies[0]).toMatch(/^__Host-bottega-session=/);
    expect(cookies[0]).toMatch(/Secure/i);
    expect(cookies[0]).not.toMatch(/Domain=/i);
  });

  it("a proxy's headers are trusted only from named addresses", async () => {
    const headers = { "x-forwarded-for": "8.8.8.8", "x-forwarded-proto": "https" };
    const answer = (await (await instance.request("/api/v1/instance", { headers })).json()) as {
      encrypted: boolean;
    };
    expect(answer.encrypted).toBe(false);
  });

  it("over https a browser is told to use only https, over http it isn't", async () => {
    const behindProxy = await createInstance(await create(), { start: false });
    Object.assign(behindProxy.deps.settings, { trustedProxies: ["127.0.0.1"] });
    const ask = async (protocol: string) =>
      (
        await behindProxy.request("/api/v1/instance", {
          headers: { "x-forwarded-proto": protocol },
        })
      ).headers.get("strict-transport-security");
    expect([await ask("https"), await ask("http")]).toEqual(["max-age=15552000", null]);
    await behindProxy.close();
  });

  it("signing out empties what the browser stores", async () => {
    const { cookie } = await instance.createPerson("left@example.org");
    const { headers } = await instance.request("/api/v1/session", {
      method: "DELETE",
      headers: { cookie },
    });
    expect(headers.get("clear-site-data")).toBe('"cache", "storage"');
  });

  it("signing out ends the session, also for a copy of its cookie, and no other session", async () => {
    const { user, cookie: ended } = await instance.createPerson("out@example.org");
    const other = await instance.signIn(user.email, testPassword);
    const ask = (cookie: string, path: string, method = "GET") =>
      instance.request(path, { method, headers: { cookie } }).then(({ status }) => status);
    expect(await ask(ended, "/api/v1/me")).toBe(200);
    expect(await ask(ended, "/api/v1/session", "DELETE")).toBe(200);
    expect([await ask(ended, "/api/v1/me"), await ask(other, "/api/v1/me")]).toEqual([401, 200]);
    const whoIs = async (cookie: string) =>
      (await instance.request("/api/v1/session", { headers: { cookie } })).json();
    expect(await whoIs(ended)).toEqual({ me: null });
    expect(await whoIs(other)).toMatchObject({ me: { user: { id: user.id } } });
  });

  it("a name can't change the text direction of its line", async () => {
    const { body } = await owner.call<{ user: { name: string } }>("updateMe", {
      body: { name: "Ada\u202Egnp.exe\u2066" },
    });
    expect(body.user.name).toBe("Adagnp.exe");
  });

  it("a wrong password, an unknown address and a suspended person get the same answer", async () => {
    const suspended = await instance.createPerson("gone@example.org");
    await instance.commit(({ tx }) =>
      tx
        .updateTable("user")
        .set({ status: "suspended" })
        .where("id", "=", suspended.user.id)
        .execute(),
    );
    const answers = [];
    for (const [email, password] of [
      ["owner@example.org", "not the password"],
      ["nobody@example.org", testPassword],
      ["gone@example.org", testPassword],
    ])
      answers.push((await instance.anonymous("signIn", { body: { email, password } })).body);
    expect(new Set(answers.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.code).toBe("not_signed_in");
  });

  /** Behind a trusted proxy, so that each request has the address that it states. */
  async function createBehindProxy() {
    const own = await createInstance(await create(), {
      endsWithTest: true,
      clock: createTestClock(),
      trustedProxies: ["127.0.0.1"],
    });
    const person = await own.createPerson("slow@example.org");
    const signInFrom = async (address: string, password: string, cookie = "") => {
      const response = await own.request("/api/v1/session", {
        method: "POST",
        headers: {
          host: "127.0.0.1",
          "content-type": "application/json",
          "x-forwarded-for": address,
          ...(cookie && { cookie }),
        },
        body: JSON.stringify({ email: person.user.email, password }),
      });
      const { status, headers } = response;
      return {
        status,
        retryAfter: Number(headers.get("retry-after")),
        cookies: headers.getSetCookie(),
      };
    };
    return { own, person, signInFrom };
  }
  const markOf = (cookies: string[]): string =>
    cookies.find((cookie) => cookie.startsWith("bottega-known="))!.split(";")[0]!;

  it("guessing is slowed down at its source, and the right password works from everywhere else", async () => {
    const { signInFrom } = await createBehindProxy();
    for (let i = 0; i < limits.freeTries; i++)
      expect((await signInFrom("192.168.1.5", `guess ${i}`)).status).toBe(401);
    const slowed = await signInFrom("192.168.1.5", testPassword);
    expect([slowed.status, slowed.retryAfter]).toEqual([429, limits.tryDelayMs / 1000]);
    for (let from = 10; from < 30; from++)
      expect((await signInFrom(`192.168.1.${from}`, `guess ${from}`)).status).toBe(401);
    expect((await signInFrom("192.168.1.6", testPassword)).status).toBe(200);
  });

  it("a browser that has signed in to the account before isn't slowed by guesses from its network", async () => {
    const { own, signInFrom } = await createBehindProxy();
    const mark = markOf((await signInFrom("192.168.1.5", testPassword)).cookies);
    for (let i = 0; i <= limits.freeTries; i++) await signInFrom("192.168.1.5", `guess ${i}`);
    expect((await signInFrom("192.168.1.5", testPassword)).status).toBe(429);
    expect((await signInFrom("192.168.1.5", testPassword, mark)).status).toBe(200);
    const forged = `bottega-known=${mark.slice(mark.indexOf("=") + 1).split(".")[0]}.${"A".repeat(43)}`;
    expect((await signInFrom("192.168.1.5", testPassword, forged)).status).toBe(429);
    const eve = await own.createPerson("eve@example.org");
    const marked = await own.request("/api/v1/session", {
      method: "POST",
      headers: {
        host: "127.0.0.1",
        "content-type": "application/json",
        "x-forwarded-for": "192.168.1.5",
      },
      body: JSON.stringify({ email: eve.user.email, password: testPassword }),
    });
    expect(
      (await signInFrom("192.168.1.5", testPassword, markOf(marked.headers.getSetCookie()))).status,
    ).toBe(429);
    for (let i = 0; i < limits.freeTries; i++) await signInFrom("192.168.1.5", `guess ${i}`, mark);
    expect((await signInFrom("192.168.1.5", testPassword, mark)).status).toBe(429);
  });

  it("a stolen session can't guess the current password faster, from any address", async () => {
    const { own, person } = await createBehindProxy();
    const change = (cookie: string, from: number, current: string) =>
      own.request("/api/v1/me/password", {
        method: "POST",
        headers: {
          host: "127.0.0.1",
          "content-type": "application/json",
          cookie,
          "x-forwarded-for": `192.168.1.${from}`,
        },
        body: JSON.stringify({ current, password: "another long one" }),
      });
    for (let i = 0; i < limits.freeTries; i++)
      expect((await change(person.cookie, i, `guess ${i}`)).status).toBe(422);
    expect((await change(person.cookie, 200, testPassword)).status).toBe(429);
    const elsewhere = await own.signIn(person.user.email, testPassword);
    expect((await change(elsewhere, 201, testPassword)).status).toBe(200);
  });

  it("a common password is refused wherever one is set", async () => {
    const person = await instance.createPerson("weak@example.org");
    for (const password of ["1234567890", "aaaaaaaaaa", "password2026", "weak@example.org"]) {
      const changed = await person.call("changePassword", {
        body: { current: testPassword, password },
      });
      expect([password, changed.status, changed.body.field]).toEqual([password, 422, "password"]);
      const made = await owner.call<{ link: string }>("createInvite", {
        body: { email: "weakly@example.org" },
      });
      const token = made.body.link.split("/join/")[1]!;
      const joined = await instance.anonymous("acceptInvite", {
        params: { token },
        body: { name: "Weakly", password },
      });
      if (!password.includes("@"))
        expect([password, joined.status, joined.body.field]).toEqual([password, 422, "password"]);
    }
  });

  it("a revoked session ends at once, and people revoke only their own", async () => {
    const other = await instance.createPerson("other@example.org");
    const second = await instance.signIn("other@example.org", testPassword);
    const sessions = (await other.call<{ sessions: Session[] }>("listSessions")).body.sessions;
    expect(sessions).toHaveLength(2);
    const foreign = sessions.find((session) => !session.current)!;
    expect((await owner.call("revokeSession", { params: { sessionId: foreign.id } })).status).toBe(
      404,
    );
    expect((await other.call("revokeSession", { params: { sessionId: foreign.id } })).status).toBe(
      200,
    );
    expect((await instance.request("/api/v1/me", { headers: { cookie: second } })).status).toBe(
      401,
    );
    expect((await other.call("getMe")).status).toBe(200);
  });

  it("a changed password ends every other session, and the old one stops working", async () => {
    const person = await instance.createPerson("change@example.org");
    const elsewhere = await instance.signIn("change@example.org", testPassword);
    expect(
      (
        await person.call("changePassword", {
          body: { current: "not mine at all", password: "another long one" },
        })
      ).body.field,
    ).toBe("current");
    expect(
      (
        await person.call("changePassword", {
          body: { current: testPassword, password: "another long one" },
        })
      ).status,
    ).toBe(200);
    expect((await instance.request("/api/v1/me", { headers: { cookie: elsewhere } })).status).toBe(
      401,
    );
    await expect(instance.signIn("change@example.org", testPassword)).rejects.toThrow();
    expect(await instance.signIn("change@example.org", "another long one")).not.toBe("");
  });

  it("a one-time link works once, names its person, and is stored only as a hash", async () => {
    const made = await owner.call("createInvite", {
      body: { email: "new@example.org", role: "member" },
    });
    const token = String(made.body.link).split("/join/")[1]!;
    const rows = await instance.store.db.selectFrom("invite").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await instance.anonymous("getInvite", { params: { token } })).body).toMatchObject({
      kind: "join",
      email: "new@example.org",
    });
    const join = () =>
      instance.anonymous("acceptInvite", {
        params: { token },
        body: { name: "New", password: testPassword },
      });
    const both = await Promise.all([join(), join()]);
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 404]);
    expect((await instance.anonymous("getInvite", { params: { token: "undefined" } })).status).toBe(
      404,
    );
  });

  it("an admin can't make or change owners; the last owner stays", async () => {
    const admin = await instance.createPerson("admin@example.org", { role: "admin" });
    const owners = await instance.store.db
      .selectFrom("user")
      .select("id")
      .where("role", "=", "owner")
      .execute();
    expect(
      (await admin.call("createInvite", { body: { email: "x@example.org", role: "owner" } }))
        .status,
    ).toBe(403);
    expect(
      (
        await admin.call("updatePerson", {
          params: { userId: owner.user.id },
          body: { status: "suspended" },
        })
      ).status,
    ).toBe(403);
    expect(
      (
        await admin.call("updatePerson", {
          params: { userId: admin.user.id },
          body: { role: "owner" },
        })
      ).status,
    ).toBe(403);
    expect(
      (await admin.call("createPasswordLink", { params: { userId: owner.user.id } })).status,
    ).toBe(403);
    for (const { id } of owners.filter((row) => row.id !== owner.user.id))
      await owner.call("updatePerson", { params: { userId: id }, body: { role: "member" } });
    expect(
      (
        await owner.call("updatePerson", {
          params: { userId: owner.user.id },
          body: { role: "member" },
        })
      ).status,
    ).toBe(409);
  });

  it("a new role or a suspension ends the person's sessions; a suspended person's projects can be transferred", async () => {
    const person = await instance.createPerson("role@example.org");
    const again = await instance.signIn("owner@example.org", testPassword);
    const asOwner: Caller = { ...owner, cookie: again };
    expect(
      (
        await owner.call("handOver", {
          params: { userId: person.user.id },
          body: { toUserId: owner.user.id },
        })
      ).status,
    ).toBe(409);
    expect(
      (
        await owner.call("updatePerson", {
          params: { userId: person.user.id },
          body: { status: "suspended" },
        })
      ).status,
    ).toBe(200);
    expect((await person.call("getMe")).status).toBe(401);
    expect(
      (
        await owner.call("handOver", {
          params: { userId: person.user.id },
          body: { toUserId: owner.user.id },
        })
      ).body.projects,
    ).toBe(1);
    expect(
      (await asOwner.call("getProject", { params: { projectId: person.projectId } })).status,
    ).toBe(200);
  });
});
