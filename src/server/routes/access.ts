import type { ModelRef, ModelUsers } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { accessRoutes } from "#contract/routes/access.ts";
import type { RouteParsed } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isFreeAt } from "#engine/connections/run-place.ts";
import { withPriceShown } from "#engine/plan/price-shown.ts";
import { readBackupStanding } from "#engine/recover/scheduled-backups.ts";
import { getStorageLimits, updateStorageLimits } from "#store/content/storage-limits.ts";
import { listSharedConnections } from "#store/models/connections.ts";
import {
  getAccessSettings,
  listConnectionUsers,
  listModelUsers,
  setModelUsers,
  updateAccessSettings,
} from "#store/models/model-access.ts";
import { countModels, getModel } from "#store/models/models.ts";
import { areKnown, listPeople } from "#store/people/people.ts";
import { areProjects, listAllProjects } from "#store/people/projects.ts";
import { getBackupPlan } from "#store/runs/backup-plan.ts";
import { createAuditOf } from "../audit.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

type AccessSubject = RouteParsed<"setModelAccess", "body">["of"];
type Filter = Extract<AccessSubject, { found: unknown }>["found"];

export function accessHandlers(deps: ServerDeps): Handlers<keyof typeof accessRoutes> {
  const { store, lists, engine } = deps;
  const audit = createAuditOf(deps, "instance");

  async function findModels(
    { connectionId, ...filter }: Filter,
    userId: string,
    page: { cursor?: string; limit: number },
  ) {
    const connections = await listSharedConnections(store.read);
    const shared = connections.map(({ id }) => id);
    const freeConnectionIds = connections
      .filter((connection) => isFreeAt(deps.kinds.get(connection.kind), connection))
      .map(({ id }) => id);
    const connectionIds =
      connectionId === undefined ? shared : shared.filter((id) => id === connectionId);
    return lists.listModels({ ...filter, connectionIds, freeConnectionIds, userId, ...page });
  }

  /** Collects all results of a search, page by page. */
  async function findAll(filter: Filter, userId: string): Promise<ModelRef[]> {
    const refs: ModelRef[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await findModels(filter, userId, { cursor, limit: limits.pageSizeMost });
      refs.push(...page.models.map(({ connectionId, modelId }) => ({ connectionId, modelId })));
      if (page.next === null) return refs;
      cursor = page.next;
    }
  }

  /** @throws Problem not_found for a connection that isn't shared, or a model it doesn't have */
  async function requireShared(
    refs: readonly (Pick<ModelRef, "connectionId"> & { modelId?: string })[],
  ): Promise<void> {
    const shared = new Set((await listSharedConnections(store.read)).map(({ id }) => id));
    for (const { connectionId, modelId } of refs) {
      const isKnown =
        shared.has(connectionId) &&
        (modelId === undefined || (await getModel(store.read, connectionId, modelId)));
      if (!isKnown)
        throw new Problem("not_found", {
          field: "of",
          message: sentences.access.sharedModelsOnly,
        });
    }
  }

  async function requireUsers(users: ModelUsers | null): Promise<void> {
    if (users?.who !== "these") return;
    if (!(await areKnown(store.read, users.userIds)))
      throw new Problem("invalid_input", {
        field: "users.userIds",
        message: sentences.access.personMissing,
      });
    if (!(await areProjects(store.read, users.projectIds)))
      throw new Problem("invalid_input", {
        field: "users.projectIds",
        message: sentences.access.projectMissing,
      });
  }

  return {
    async getStorage() {
      const { files, trouble } = await engine.storage();
      return {
        files,
        trouble,
        limits: await getStorageLimits(store.read),
        backup: await readBackupStanding(deps, await getBackupPlan(store.read)),
      };
    },
    async updateStorageLimits({ actor, body, line }) {
      return deps.commit(async ({ tx }) => {
        await updateStorageLimits(tx, body);
        await audit(tx, actor.userId, "set-storage-limits", "instance", line.address, body);
        return getStorageLimits(tx);
      });
    },
    async getAccess() {
      const [connections, users, settings] = await Promise.all([
        listSharedConnections(store.read),
        listConnectionUsers(store.read),
        getAccessSettings(store.read),
      ]);
      const counts = await countModels(
        store.read,
        connections.map(({ id }) => id),
      );
      return {
        ...settings,
        connections: connections.map(({ id, name, kind }) => ({
          id,
          name,
          kind,
          users: users.get(id) ?? null,
          models: counts.get(id) ?? 0,
        })),
      };
    },
    async getModelUsers({ query: { connectionId, modelId = "" } }) {
      const rules = await listModelUsers(store.read, [{ connectionId, modelId }]);
      const users = rules.get(`${connectionId}/${modelId}`);
      if (users?.who !== "these") return { people: [], projects: [] };
      const limit = limits.modelUsers;
      const [{ people }, { projects }] = await Promise.all([
        listPeople(store.read, { ids: users.userIds, limit }),
        listAllProjects(store.read, { ids: users.projectIds, limit }),
      ]);
      return {
        people: people.map(({ id, name, email }) => ({ id, name, detail: email })),
        projects: projects.map(({ id, name, ownerName }) => ({ id, name, detail: ownerName })),
      };
    },
    async updateAccess({ actor, body, line }) {
      const settings = await deps.commit(async ({ tx }) => {
        await updateAccessSettings(tx, body);
        await audit(tx, actor.userId, "change-model-access", "instance", line.address, body);
        return getAccessSettings(tx);
      });
      await engine.notifyModelsChanged(
        (await listSharedConnections(store.read)).map(({ id }) => id),
      );
      return settings;
    },
    async listModelAccess({ actor, query }) {
      const { cursor, limit, ...filter } = query;
      const page = await findModels(filter, actor.userId, { cursor, limit });
      const users = await listModelUsers(store.read, page.models);
      return {
        models: (await withPriceShown(deps, page.models)).map((model) => ({
          ...model,
          users: users.get(`${model.connectionId}/${model.modelId}`) ?? null,
        })),
        next: page.next,
      };
    },
    async setModelAccess({ actor, body: { of, users }, line }) {
      await requireUsers(users);
      const refs =
        "found" in of ? await findAll(of.found, actor.userId) : "models" in of ? of.models : [of];
      if (!("found" in of)) await requireShared(refs);
      await deps.commit(async ({ tx }) => {
        await setModelUsers(tx, refs, users);
        await audit(tx, actor.userId, "set-model-access", "instance", line.address, {
          of,
          users,
          models: refs.length,
        });
      });
      await engine.notifyModelsChanged([...new Set(refs.map(({ connectionId }) => connectionId))]);
      if (!("connectionId" in of)) return { models: refs.length };
      return {
        models: (await countModels(store.read, [of.connectionId])).get(of.connectionId) ?? 0,
      };
    },
  };
}
