import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { projectRoutes } from "#contract/routes/projects.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { sentences } from "#contract/sentences/index.ts";
import { inReach } from "#domain/people/policy.ts";
import { listImports } from "#store/content/project-imports.ts";
import { giveDefaultBudgets } from "#store/money/budgets.ts";
import { listKeyOwners } from "#store/people/api-keys.ts";
import {
  inviteMember,
  listMemberInvites,
  removeMemberInvite,
} from "#store/people/member-invites.ts";
import {
  changeMember,
  findMemberName,
  getProject,
  handOverProject,
  insertProject,
  isMember,
  listMembers,
  listProjects,
  requireRoomForProject,
  updateProject,
} from "#store/people/projects.ts";
import { createAuditOf } from "../audit.ts";
import { notifyRightsChanged, type ServerDeps } from "../deps.ts";
import { answerProjectArchive } from "../files/project-archive.ts";
import type { Handlers } from "../gate.ts";
import { endWhenForbidden } from "../still-allowed.ts";
import { createDefaultProjects } from "./deletions/projects.ts";

export function projectHandlers(deps: ServerDeps): Handlers<keyof typeof projectRoutes> {
  const audit = createAuditOf(deps, "project");
  const show = async (projectId: string, userId: string) => {
    const project = await getProject(deps.store.db, projectId, userId);
    if (!project) throw new Problem("not_found");
    return { project };
  };
  const isOwner = new Problem("conflict", {
    message: sentences.projects.ownerIsManager,
    advice: sentences.projects.transferFirst,
  });

  return {
    async listProjects({ me, actor }) {
      return { projects: inReach(actor, await listProjects(deps.store.read, me.user.id)) };
    },
    async createProject({ me, body }) {
      const at = deps.clock.now();
      const project = await deps.commit(async ({ tx }) => {
        await requireRoomForProject(tx, me.user.id);
        const made = await insertProject(tx, { id: deps.ids(), ...body, ownerId: me.user.id, at });
        await giveDefaultBudgets(tx, { scope: "project", scopeId: made.id, at }, deps.ids);
        return made;
      });
      await notifyRightsChanged(deps, me.user.id);
      return show(project.id, me.user.id);
    },
    getProject: ({ me, params }) => show(params.projectId, me.user.id),
    async listMembers({ params, query, scope }) {
      const { projectId } = params;
      return {
        ...(await listMembers(deps.store.read, projectId, query)),
        // Only the first page includes invitations.
        invites:
          scope.projectRole === "manager" && !query.cursor
            ? await listMemberInvites(deps.store.read, projectId, deps.clock.now())
            : [],
      };
    },
    async exportProject({ me, actor, params, line, c }) {
      const { project } = await show(params.projectId, me.user.id);
      await deps.commit(({ tx }) =>
        audit(tx, me.user.id, "export-project", project.id, line.address),
      );
      const right = {
        permission: "manage",
        needed: scopesOfRoutes.exportProject,
        kind: "project",
        id: project.id,
      } as const;
      endWhenForbidden(deps, { actor, line, c }, right);
      return answerProjectArchive(c, deps, project, me.user.id);
    },
    async importProject({ me, c }) {
      const length = Number(c.req.header("content-length") ?? 0);
      if (length > limits.archiveBytes)
        throw new Problem("too_large", {
          message: sentences.projects.archiveTooLarge({
            gigabytes: limits.archiveBytes / 1024 ** 3,
          }),
        });
      const source = (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>;
      return { import: await deps.engine.beginImport({ userId: me.user.id, source }) };
    },
    listImports: ({ me, query }) => listImports(deps.store.read, { ...query, userId: me.user.id }),
    async removeImport({ me, params }) {
      await deps.engine.removeImport(params.importId, me.user.id);
      return {};
    },
    async updateProject({ me, params, body, line }) {
      const { archived, ownerId, ...rest } = body;
      if (ownerId !== undefined && me.key)
        throw new Problem("forbidden", { message: sentences.projects.ownerNotByKey });
      await deps.commit(async ({ tx, at }) => {
        if (ownerId !== undefined) {
          if (!(await handOverProject(tx, params.projectId, me.user.id, ownerId)))
            throw new Problem("forbidden", {
              field: "ownerId",
              message: sentences.projects.ownerTransfers,
            });
          await audit(tx, me.user.id, "hand-over-project", params.projectId, line.address, {
            to: ownerId,
          });
        }
        const before = await getProject(tx, params.projectId, me.user.id);
        const isChanged = archived !== undefined && archived !== (before?.archivedAt !== null);
        await updateProject(tx, params.projectId, {
          ...rest,
          ...(isChanged && { archived_at: archived ? at : null }),
        });
        if (isChanged) {
          const action = archived ? "archive-project" : "unarchive-project";
          await audit(tx, me.user.id, action, params.projectId, line.address);
        }
      });
      if (ownerId !== undefined) await notifyRightsChanged(deps, ownerId);
      // The keys of an archived project stop working, and their open responses end.
      if (archived)
        for (const userId of await listKeyOwners(deps.store.db, params.projectId))
          await notifyRightsChanged(deps, userId);
      return show(params.projectId, me.user.id);
    },
    async addMember({ me, params, body, line }) {
      const { projectId } = params;
      const name = await findMemberName(deps.store.db, projectId, body.email);
      if (name !== undefined)
        throw new Problem("conflict", {
          field: "email",
          message: sentences.projects.alreadyMember({ name }),
        });
      const invite = { ...body, id: deps.ids(), expiresAt: deps.clock.now() + limits.inviteMs };
      await deps.commit(async ({ tx }) => {
        await inviteMember(tx, { ...invite, projectId, createdBy: me.user.id });
        await audit(tx, me.user.id, "invite-member", projectId, line.address, body);
      });
      return { invite };
    },
    async removeMemberInvite({ me, params: { projectId, inviteId }, line }) {
      await deps.commit(async ({ tx }) => {
        if (!(await removeMemberInvite(tx, projectId, inviteId))) throw new Problem("not_found");
        await audit(tx, me.user.id, "withdraw-member-invite", projectId, line.address);
      });
      return {};
    },
    async updateMember({ me, params, body, line }) {
      if (!(await isMember(deps.store.db, params.projectId, params.userId)))
        throw new Problem("not_found");
      const { projectId, userId } = params;
      await deps.commit(async ({ tx }) => {
        if (!(await changeMember(tx, projectId, userId, body.role))) throw isOwner;
        const detail = { userId, role: body.role };
        await audit(tx, me.user.id, "change-member", projectId, line.address, detail);
      });
      await notifyRightsChanged(deps, params.userId);
      return {};
    },
    async removeMember({ me, params, line }) {
      if (params.userId === me.user.id)
        throw new Problem("conflict", { message: sentences.projects.removeYourself });
      if (!(await isMember(deps.store.db, params.projectId, params.userId)))
        throw new Problem("not_found");
      const { projectId, userId } = params;
      await deps.commit(async (unit) => {
        if (!(await changeMember(unit.tx, projectId, userId, null))) throw isOwner;
        await createDefaultProjects(unit, deps, [userId]);
        await audit(unit.tx, me.user.id, "remove-member", projectId, line.address, { userId });
      });
      await notifyRightsChanged(deps, params.userId);
      return {};
    },
    async leaveProject({ me, params: { projectId }, line }) {
      const userId = me.user.id;
      await deps.commit(async (unit) => {
        if (!(await changeMember(unit.tx, projectId, userId, null)))
          throw new Problem("conflict", { message: sentences.projects.ownerStays });
        await createDefaultProjects(unit, deps, [userId]);
        await audit(unit.tx, userId, "leave-project", projectId, line.address);
      });
      await notifyRightsChanged(deps, userId);
      return {};
    },
  };
}
