import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { deletionRoutes } from "#contract/routes/deletions.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  deleteProject,
  describeProjectDeletion,
  listDeletedProjects,
  listPeopleWithoutProject,
  restoreProject,
} from "#store/content/deletions/project-deletions.ts";
import { giveDefaultBudgets } from "#store/money/budgets.ts";
import { getProject, insertProject, listAllProjects } from "#store/people/projects.ts";
import type { Unit } from "#store/runs/unit.ts";
import { createAuditOf } from "../../audit.ts";
import { notifyRightsChanged, type ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";
import { settleOpen } from "./settle-open.ts";

/**
 * Creates an empty project for each person who has lost their last one, because everyone has a
 * project.
 */
export async function createDefaultProjects(
  unit: Unit,
  deps: Pick<ServerDeps, "ids">,
  memberIds: readonly string[],
): Promise<void> {
  const { tx, at } = unit;
  for (const { id: ownerId, name } of await listPeopleWithoutProject(unit, memberIds)) {
    const made = await insertProject(tx, {
      id: deps.ids(),
      name: sentences.projects.ownName({ name }),
      description: "",
      ownerId,
      at,
    });
    await giveDefaultBudgets(tx, { scope: "project", scopeId: made.id, at }, deps.ids);
  }
}

export function projectDeletionHandlers(deps: ServerDeps): Handlers<keyof typeof deletionRoutes> {
  const notifyAll = (userIds: readonly string[]) =>
    Promise.all(userIds.map((userId) => notifyRightsChanged(deps, userId)));
  const requireOwn = async (projectId: string, userId: string): Promise<void> => {
    const project = await getProject(deps.store.read, projectId, userId);
    if (project?.ownerId !== userId)
      throw new Problem("forbidden", { message: sentences.deletions.ownersProject });
  };
  const audit = createAuditOf(deps, "project");

  async function erase(
    by: { id: string; ip: string },
    projectId: string,
    { name, settles }: { name: string; settles: boolean },
  ) {
    // A wrong name settles nothing.
    const known = await describeProjectDeletion(deps.store.read, projectId);
    if (settles && name.trim() === known.name.trim()) await settleOpen(deps, { projectId });
    const { memberIds, erasedFrom } = await deps.commit(async (unit) => {
      const dueAt = unit.at + limits.trashMs;
      const deleted = await deleteProject(unit, { projectId, named: name, by: by.id, dueAt });
      await createDefaultProjects(unit, deps, deleted.memberIds);
      await audit(unit.tx, by.id, "delete-project", projectId, by.ip);
      return { ...deleted, erasedFrom: dueAt };
    });
    await notifyAll(memberIds);
    return { erasedFrom };
  }
  /** For people who can't see into the project: a deleted or partly imported one is not found. */
  const requireListed = async (projectId: string): Promise<void> => {
    const { count } = await listAllProjects(deps.store.read, { ids: [projectId], limit: 1 });
    if (count === 0) throw new Problem("not_found");
  };

  return {
    async getProjectDeletion({ me, params }) {
      await requireOwn(params.projectId, me.user.id);
      return describeProjectDeletion(deps.store.read, params.projectId);
    },
    async deleteProject({ me, params, body, line }) {
      await requireOwn(params.projectId, me.user.id);
      return erase({ id: me.user.id, ip: line.address }, params.projectId, body);
    },
    listAdminProjects: ({ query }) => listAllProjects(deps.store.read, query),
    async getAdminProjectDeletion({ params }) {
      await requireListed(params.projectId);
      return describeProjectDeletion(deps.store.read, params.projectId);
    },
    async deleteAdminProject({ me, params, body, line }) {
      await requireListed(params.projectId);
      return erase({ id: me.user.id, ip: line.address }, params.projectId, body);
    },
    async listDeletedProjects({ query }) {
      const { projects, next } = await listDeletedProjects(deps.store.read, {
        ...query,
        now: deps.clock.now(),
      });
      return {
        projects: projects.map(({ dueAt, ...project }) => ({ ...project, erasedFrom: dueAt })),
        next,
      };
    },
    async restoreProject({ me, params, line }) {
      const { memberIds } = await deps.commit(async (unit) => {
        await audit(unit.tx, me.user.id, "restore-project", params.projectId, line.address);
        return restoreProject(unit, params.projectId);
      });
      await notifyAll(memberIds);
      return {};
    },
  };
}
