import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { errors, Problem } from "#contract/errors.ts";
import type { sessionRoutes } from "#contract/routes/session.ts";
import { sentences } from "#contract/sentences/index.ts";
import { weaknessOf } from "#domain/people/password.ts";
import { inReach, isAmong, mayChangePerson } from "#domain/people/policy.ts";
import { connectDiscovered, discover } from "#engine/connections/discover.ts";
import type { Reader } from "#store/database/store.ts";
import { giveDefaultBudgets } from "#store/money/budgets.ts";
import {
  listMemberInvitesBy,
  listOwnInvites,
  takeMemberInvite,
} from "#store/people/member-invites.ts";
import {
  claimInstance,
  consumeInvite,
  endSessions,
  findInvite,
  findUserByEmail,
  getInstance,
  getUser,
  insertUser,
  listSessions,
  removePasswordLinks,
  setPassword,
  updateUser,
} from "#store/people/people.ts";
import {
  insertMember,
  insertProject,
  listProjects,
  requireRoomForProject,
} from "#store/people/projects.ts";
import { createAudit } from "../audit.ts";
import { actorOf, identify, type SignedIn } from "../auth/identify.ts";
import { knownBrowser, markBrowser } from "../auth/known-browser.ts";
import { networkOf } from "../auth/rate-limit.ts";
import { createTries } from "../auth/tries.ts";
import type { ClientConnection } from "../client-connection.ts";
import { notifyRightsChanged, type ServerDeps } from "../deps.ts";
import type { Env } from "../env.ts";
import type { Handlers } from "../gate.ts";
import { describePerson, removePerson } from "./deletions/people.ts";

/** Creates a one-time code or link of 160 bits, of which only the hash is stored. */
export const newToken = (): string => randomBytes(20).toString("base64url");
export const hashToken = (token: string): string =>
  createHash("sha256").update(token).digest("hex");

const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

export function sessionHandlers(deps: ServerDeps): Handlers<keyof typeof sessionRoutes> {
  const audit = createAudit(deps);
  const tries = createTries(deps.clock);
  const browserOf = (c: Context<Env>, line: ClientConnection, email: string): string | undefined =>
    knownBrowser(deps.signer, c.req.header("cookie") ?? null, line.encrypted, email);
  const setCookies = (c: Context<Env>, cookies: readonly string[]): void => {
    for (const cookie of cookies) c.header("set-cookie", cookie, { append: true });
  };
  const signIn = async (
    c: Context<Env>,
    line: ClientConnection,
    email: string,
    password: string,
  ) => {
    // The session records the address it started from, as the server determined it and not as the
    // client claims.
    const headers = new Headers(c.req.raw.headers);
    headers.set("x-forwarded-for", line.address);
    const { user, cookies } = await deps.auth.signIn(email, password, {
      headers,
      encrypted: line.encrypted,
    });
    setCookies(c, [
      ...cookies,
      markBrowser(deps.signer, browserOf(c, line, email), line.encrypted, email),
    ]);
    return { user };
  };
  const requireStrong = (password: string, email: string): void => {
    const message = weaknessOf(password, email);
    if (message) throw new Problem("invalid_input", { field: "password", message });
  };
  const requireCode = async (code: string): Promise<void> => {
    const instance = await getInstance(deps.store.db);
    if (instance?.ownerId)
      throw new Problem("conflict", {
        message: sentences.account.alreadySetUp,
      });
    if (!instance?.setupCodeHash || !sameHash(instance.setupCodeHash, hashToken(code)))
      throw new Problem("invalid_input", {
        field: "code",
        message: sentences.account.wrongSetUpCode,
      });
  };
  /** A link grants only what its author may still do, not what they could when they created it. */
  const openInvite = async (db: Reader, token: string) => {
    const gone = new Problem("not_found", {
      message: sentences.account.linkUsed,
    });
    const invite = await findInvite(db, hashToken(token), deps.clock.now());
    const maker = invite && (await getUser(db, invite.createdBy));
    if (!invite || maker?.status !== "active") throw gone;
    const person = invite.userId ? await getUser(db, invite.userId) : undefined;
    const may = mayChangePerson(
      { userId: maker.id, role: maker.role, status: maker.status },
      person ?? { id: "", role: invite.role },
      invite.kind === "join" ? { role: invite.role } : {},
    );
    if (!may) throw gone;
    // Projects that the author no longer manages are left out; the link itself stays valid.
    const into =
      invite.kind === "join"
        ? { createdBy: maker.id, email: invite.email, now: deps.clock.now() }
        : null;
    return { invite, person, projects: into ? await listMemberInvitesBy(db, into) : [], gone };
  };
  const describe = async (me: SignedIn) => ({
    user: me.user,
    projects: inReach(actorOf(me), await listProjects(deps.store.read, me.user.id)),
    invites: me.key ? [] : await listOwnInvites(deps.store.read, me.user.email, deps.clock.now()),
  });
  const update = async ({ user }: SignedIn, change: Parameters<typeof updateUser>[2]) => ({
    user: (await deps.commit(({ tx }) => updateUser(tx, user.id, change))) ?? user,
  });
  const requireSafeLine = (line: ClientConnection): void => {
    if (!line.encrypted && !line.isPrivate && !deps.settings.insecureHttp)
      throw new Problem("forbidden", {
        message: sentences.account.httpsNeeded,
      });
  };

  return {
    async getInstance({ line }) {
      return {
        setUp: Boolean((await getInstance(deps.store.read))?.ownerId),
        encrypted: line.encrypted,
        version: deps.version,
      };
    },
    async lookAround({ body }) {
      await requireCode(body.code);
      return { found: await discover(deps, deps.settings.environment) };
    },
    async setUp({ body, line, c }) {
      requireSafeLine(line);
      await requireCode(body.code);
      requireStrong(body.password, body.email);
      const passwordHash = await deps.auth.hashPassword(body.password);
      const at = deps.clock.now();
      const ownerId = deps.ids();
      await deps.commit(async ({ tx }) => {
        if (!(await claimInstance(tx, ownerId)))
          throw new Problem("conflict", { message: sentences.account.setUpMeanwhile });
        await insertUser(tx, {
          id: ownerId,
          accountId: deps.ids(),
          name: body.name,
          email: body.email,
          role: "owner",
          passwordHash,
          at,
        });
        await insertProject(tx, {
          id: deps.ids(),
          name: body.projectName,
          description: "",
          ownerId,
          at,
        });
      });
      const notConnected: { name: string; message: string }[] = [];
      for (const take of body.take)
        await connectDiscovered(deps, deps.settings.environment, take, ownerId).catch((error) => {
          deps.log.warn({ take, error: String(error) }, "could not connect what was found");
          const message = error instanceof Problem ? error.message : errors.internal.text;
          notConnected.push({ name: take.slice(take.indexOf(":") + 1), message });
        });
      return { ...(await signIn(c, line, body.email, body.password)), notConnected };
    },
    async signIn({ body, line, c }) {
      requireSafeLine(line);
      // Never by account alone, because anyone who knows an address could lock its owner out.
      const from = browserOf(c, line, body.email) ?? networkOf(line.address);
      return tries.guard(`sign-in ${body.email} ${from}`, () =>
        signIn(c, line, body.email, body.password),
      );
    },
    async signOut({ line, me, c }) {
      setCookies(
        c,
        await deps.auth.signOut({ headers: c.req.raw.headers, encrypted: line.encrypted }),
      );
      // Pictures and drafts in this browser must not be left for its next user.
      c.header("clear-site-data", '"cache", "storage"');
      await notifyRightsChanged(deps, me.user.id);
      return {};
    },
    getMe: ({ me }) => describe(me),
    /**
     * Responds without an error when nobody is signed in: browsers would show one in the console of
     * every sign-in page.
     */
    async getSession({ line, c }) {
      const { headers } = c.req.raw;
      const me = await identify(deps, { headers, encrypted: line.encrypted });
      return { me: me ? await describe(me) : null };
    },
    updateMe: ({ me, body }) => update(me, body),
    async updatePreferences({ me, body }) {
      const { chatModel, pictureModel } = body.defaults ?? {};
      const named = [body.titleModel, chatModel, pictureModel];
      // Otherwise a limited key could have its person's work done by any model.
      if (!named.every((ref) => !ref || isAmong(me.key?.models, ref)))
        throw new Problem("forbidden", { message: sentences.keys.modelNotAllowed });
      return update(me, body);
    },
    async answerInvite({ me, params, body, line }) {
      const at = deps.clock.now();
      await deps.commit(async ({ tx }) => {
        const invite = await takeMemberInvite(tx, {
          id: params.inviteId,
          email: me.user.email,
          at,
        });
        if (!invite)
          throw new Problem("not_found", {
            message: sentences.account.invitationOver,
          });
        if (!body.accept) return;
        await requireRoomForProject(tx, me.user.id);
        await insertMember(tx, { ...invite, userId: me.user.id, at });
        const target = { kind: "project", id: invite.projectId };
        await audit(tx, me.user.id, "join-project", target, line.address);
      });
      await notifyRightsChanged(deps, me.user.id);
      return {};
    },
    async changePassword({ me, body, line, c }) {
      await tries.guard(`change ${me.user.id} ${me.sessionToken ?? ""}`, () =>
        deps.auth.checkPassword(me.user.id, body.current),
      );
      requireStrong(body.password, me.user.email);
      const hash = await deps.auth.hashPassword(body.password);
      await deps.commit(async ({ tx }) => {
        const target = { kind: "person", id: me.user.id };
        await audit(tx, me.user.id, "change-password", target, line.address);
        await setPassword(tx, me.user.id, hash);
        await removePasswordLinks(tx, me.user.id);
        await endSessions(tx, me.user.id, {});
      });
      // The new session comes first: a socket that learns of its session's end reconnects at once.
      await signIn(c, line, me.user.email, body.password);
      await notifyRightsChanged(deps, me.user.id);
      return {};
    },
    getMyDeletion: ({ me }) => describePerson(deps, me.user.id),
    async deleteMe({ me, body, line, c }) {
      const { password, ...how } = body;
      await tries.guard(`delete ${me.user.id} ${me.sessionToken ?? ""}`, () =>
        deps.auth.checkPassword(me.user.id, password, "password"),
      );
      await removePerson(deps, { ...how, userId: me.user.id, by: me.user.id, ip: null });
      setCookies(
        c,
        await deps.auth.signOut({ headers: c.req.raw.headers, encrypted: line.encrypted }),
      );
      c.header("clear-site-data", '"cache", "storage"');
      return {};
    },
    async listSessions({ me }) {
      return { sessions: await listSessions(deps.store.read, me.user.id, me.sessionToken ?? "") };
    },
    async revokeSession({ me, params }) {
      const ended = await deps.commit(({ tx }) =>
        endSessions(tx, me.user.id, { id: params.sessionId }),
      );
      if (ended === 0) throw new Problem("not_found");
      await notifyRightsChanged(deps, me.user.id);
      return {};
    },
    async getInvite({ params }) {
      const { invite, person, projects } = await openInvite(deps.store.read, params.token);
      const projectNames = projects.map(({ projectName }) => projectName);
      return { kind: invite.kind, email: invite.email, name: person?.name ?? null, projectNames };
    },
    async acceptInvite({ params, body, line, c }) {
      requireSafeLine(line);
      const at = deps.clock.now();
      requireStrong(body.password, (await openInvite(deps.store.read, params.token)).invite.email);
      const passwordHash = await deps.auth.hashPassword(body.password);
      const userId = await deps.commit(async ({ tx }) => {
        const { invite, projects, gone } = await openInvite(tx, params.token);
        if (!(await consumeInvite(tx, invite.id, at))) throw gone;
        if (invite.kind === "password" && invite.userId) {
          const target = { kind: "person", id: invite.userId };
          await audit(tx, invite.userId, "change-password", target, line.address);
          await setPassword(tx, invite.userId, passwordHash);
          await removePasswordLinks(tx, invite.userId);
          await endSessions(tx, invite.userId, {});
          return invite.userId;
        }
        if (!body.name)
          throw new Problem("invalid_input", {
            field: "name",
            message: sentences.account.nameMissing,
          });
        if (await findUserByEmail(tx, invite.email))
          throw new Problem("conflict", {
            message: sentences.account.addressTakenSignIn,
          });
        const id = deps.ids();
        await insertUser(tx, {
          id,
          accountId: deps.ids(),
          name: body.name,
          email: invite.email,
          role: invite.role,
          passwordHash,
          at,
        });
        await audit(tx, id, "join", { kind: "person", id }, line.address);
        const own = await insertProject(tx, {
          id: deps.ids(),
          name: sentences.projects.ownName({ name: body.name }),
          description: "",
          ownerId: id,
          at,
        });
        for (const { id: inviteId } of projects) {
          const taken = await takeMemberInvite(tx, { id: inviteId, email: invite.email, at });
          if (taken) await insertMember(tx, { ...taken, userId: id, at });
        }
        await giveDefaultBudgets(tx, { scope: "user", scopeId: id, at }, deps.ids);
        await giveDefaultBudgets(tx, { scope: "project", scopeId: own.id, at }, deps.ids);
        return id;
      });
      await notifyRightsChanged(deps, userId);
      const user = await getUser(deps.store.db, userId);
      return signIn(c, line, user!.email, body.password);
    },
  };
}
