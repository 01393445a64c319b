import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { peopleRoutes } from "#contract/routes/people.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, mayChangePerson } from "#domain/people/policy.ts";
import { isDeletedPerson } from "#store/content/deletions/person-deletions.ts";
import { inviteMember } from "#store/people/member-invites.ts";
import {
  countOwners,
  endSessions,
  findUserByEmail,
  getUser,
  insertInvite,
  listOpenInvites,
  listPeople,
  removeInvite,
  removeInvitesOf,
  updateUser,
} from "#store/people/people.ts";
import { countProjects, getManagedProject, handOverProjects } from "#store/people/projects.ts";
import { createAuditOf } from "../audit.ts";
import { notifyRightsChanged, type ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";
import { describePerson, removePerson } from "./deletions/people.ts";
import { hashToken, newToken } from "./session.ts";

export function peopleHandlers(deps: ServerDeps): Handlers<keyof typeof peopleRoutes> {
  const origin = (host: string, encrypted: boolean): string =>
    deps.settings.publicUrl?.replace(/\/+$/, "") ?? `${encrypted ? "https" : "http"}://${host}`;
  const audit = createAuditOf(deps, "person");
  const person = async (id: string) => {
    const found = await getUser(deps.store.db, id);
    if (!found || (await isDeletedPerson(deps.store.db, id))) throw new Problem("not_found");
    return found;
  };
  const deletable = async (actor: Actor, id: string) => {
    const target = await person(id);
    if (target.id === actor.userId)
      throw new Problem("conflict", { message: sentences.deletions.notYourself });
    if (!mayChangePerson(actor, target, {}))
      throw new Problem("forbidden", { message: sentences.account.ownersChangeOwners });
    return target;
  };

  return {
    async listPeople({ query }) {
      return {
        ...(await listPeople(deps.store.read, query)),
        // Only the first page includes invitations.
        invites: query.cursor ? [] : await listOpenInvites(deps.store.read, deps.clock.now()),
      };
    },
    async createInvite({ actor, body, line }) {
      if (body.role === "owner" && actor.role !== "owner")
        throw new Problem("forbidden", { message: sentences.account.ownersMakeOwners });
      if (await findUserByEmail(deps.store.db, body.email))
        throw new Problem("conflict", {
          field: "email",
          message: sentences.account.addressTaken,
        });
      const projectIds = [...new Set(body.projectIds)];
      for (const projectId of projectIds)
        if (!(await getManagedProject(deps.store.db, projectId, actor.userId)))
          throw new Problem("not_found", {
            field: "projectIds",
            message: sentences.projects.notManaged,
          });
      const token = newToken();
      const expiresAt = deps.clock.now() + limits.inviteMs;
      const invite = await deps.commit(async ({ tx }) => {
        const made = await insertInvite(tx, {
          id: deps.ids(),
          kind: "join",
          userId: null,
          tokenHash: hashToken(token),
          email: body.email,
          role: body.role,
          createdBy: actor.userId,
          expiresAt,
        });
        for (const projectId of projectIds)
          await inviteMember(tx, {
            id: deps.ids(),
            projectId,
            email: body.email,
            role: "editor",
            createdBy: actor.userId,
            expiresAt,
          });
        await audit(tx, actor.userId, "invite", made.id, line.address, {
          email: body.email,
          role: body.role,
        });
        return made;
      });
      return { invite, link: `${origin(line.host, line.encrypted)}/join/${token}` };
    },
    async removeInvite({ actor, params, line }) {
      await deps.commit(async ({ tx }) => {
        if (!(await removeInvite(tx, params.inviteId))) throw new Problem("not_found");
        await audit(tx, actor.userId, "withdraw-invite", params.inviteId, line.address);
      });
      return {};
    },
    async updatePerson({ actor, params, body, line }) {
      const target = await person(params.userId);
      if (!mayChangePerson(actor, target, body))
        throw new Problem("forbidden", { message: sentences.account.ownersChangeOwners });
      if (body.status === "suspended" && target.id === actor.userId)
        throw new Problem("conflict", { message: sentences.account.notYourself });
      const changed = await deps.commit(async ({ tx }) => {
        const losesOwner =
          target.role === "owner" &&
          (body.status === "suspended" || (body.role && body.role !== "owner"));
        if (losesOwner && (await countOwners(tx)) <= 1)
          throw new Problem("conflict", {
            message: sentences.account.lastOwner,
          });
        // A new role or a suspension ends every session, and no link outlives the rights it was
        // created with.
        if ((body.role && body.role !== target.role) || body.status === "suspended") {
          await endSessions(tx, target.id, {});
          await removeInvitesOf(tx, target.id);
        }
        await audit(tx, actor.userId, "update-person", target.id, line.address, body);
        return updateUser(tx, target.id, body);
      });
      await notifyRightsChanged(deps, target.id);
      return { person: changed ?? target };
    },
    async createPasswordLink({ actor, params, line }) {
      const target = await person(params.userId);
      if (!mayChangePerson(actor, target, {}))
        throw new Problem("forbidden", { message: sentences.account.ownersChangeOwners });
      const token = newToken();
      const invite = await deps.commit(async ({ tx, at }) => {
        await audit(tx, actor.userId, "password-link", target.id, line.address);
        return insertInvite(tx, {
          id: deps.ids(),
          kind: "password",
          userId: target.id,
          tokenHash: hashToken(token),
          email: target.email,
          role: target.role,
          createdBy: actor.userId,
          expiresAt: at + limits.inviteMs,
        });
      });
      return { invite, link: `${origin(line.host, line.encrypted)}/join/${token}` };
    },
    async handOver({ actor, params, body, line }) {
      const from = await person(params.userId);
      const to = await person(body.toUserId);
      if (from.status !== "suspended")
        throw new Problem("conflict", {
          message: sentences.account.suspendFirst,
        });
      if (to.status !== "active" || to.id === from.id)
        throw new Problem("invalid_input", {
          field: "toUserId",
          message: sentences.account.chooseActive,
        });
      const projects = await deps.commit(async ({ tx, at }) => {
        const count = await handOverProjects(tx, from.id, to.id, at);
        const most = limits.projectsPerPerson;
        if ((await countProjects(tx, to.id)) > most)
          throw new Problem("conflict", {
            field: "toUserId",
            message: sentences.projects.tooManyFor({ name: to.name, most }),
          });
        await audit(tx, actor.userId, "hand-over", from.id, line.address, {
          to: to.id,
          projects: count,
        });
        return count;
      });
      await notifyRightsChanged(deps, to.id);
      return { projects };
    },
    async getPersonDeletion({ actor, params }) {
      return describePerson(deps, (await deletable(actor, params.userId)).id);
    },
    async deletePerson({ actor, params, body, line }) {
      const target = await deletable(actor, params.userId);
      const { email, ...how } = body;
      if (email.trim().toLowerCase() !== target.email)
        throw new Problem("invalid_input", {
          field: "email",
          message: sentences.deletions.otherAddress({ email: target.email }),
        });
      await removePerson(deps, {
        ...how,
        userId: target.id,
        by: actor.userId,
        ip: line.address,
      });
      return {};
    },
  };
}
