import { aliasConnectionId, aliasKind } from "#contract/aliases.ts";
import type { Connection } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { modelFamilies } from "#contract/filters/model-families.ts";
import { newSince, type RunPlace } from "#contract/filters/model-filters.ts";
import type { connectionRoutes } from "#contract/routes/connections.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, decide, inReach, mayConnect, type Scope } from "#domain/people/policy.ts";
import { checkConnection } from "#engine/connections/catalogue.ts";
import {
  type ConnectionOwner,
  connect,
  listKinds,
  type NewConnection,
} from "#engine/connections/connect.ts";
import { connectDiscovered, discover } from "#engine/connections/discover.ts";
import { actOnModel, localModels, pullModel } from "#engine/connections/local-models.ts";
import { isFreeAt, runPlaceOf } from "#engine/connections/run-place.ts";
import { stateFacts } from "#engine/connections/state-facts.ts";
import {
  addWorkflow,
  listWorkflows,
  removeWorkflow,
  replaceWorkflow,
} from "#engine/connections/workflows.ts";
import { createModelSamples } from "#engine/ingest/model-samples.ts";
import { pictureHeaders } from "#engine/ingest/remote-picture.ts";
import { freeAliases, withPriceShown } from "#engine/plan/price-shown.ts";
import { noteUnreadResults } from "#store/content/deletions/unread-results.ts";
import {
  getConnection,
  getUsableConnection,
  removeConnection,
  type SealedConnection,
  toConnection,
} from "#store/models/connections.ts";
import { findReach, getAccessSettings, isModelOpen } from "#store/models/model-access.ts";
import { countModels, getModel, starModel } from "#store/models/models.ts";
import { listProjects } from "#store/people/projects.ts";
import { createLateAudit } from "../audit.ts";
import type { ClientConnection } from "../client-connection.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";
import { streamEvents } from "../live/event-stream.ts";
import { signInHandlers, signInRedirectOf } from "./connection-sign-in.ts";
import { readRatedModels } from "./rated-models.ts";

/**
 * Hides a connection's options, which may contain a key in a command line, its URLs and its
 * service's messages from people who only use it.
 */
function shownTo(mayManage: boolean, sealed: SealedConnection): Connection {
  const connection = toConnection(sealed);
  return mayManage ? connection : { ...connection, options: {}, baseUrls: {}, statusDetail: null };
}

export function connectionHandlers(deps: ServerDeps): Handlers<keyof typeof connectionRoutes> {
  const { engine, store, lists } = deps;
  /** The connections whose models are all free. */
  const freeOf = (connections: Awaited<ReturnType<typeof usableFor>>["usable"]) => ({
    freeConnectionIds: connections
      .filter((connection) => isFreeAt(deps.kinds.get(connection.kind), connection))
      .map(({ id }) => id),
  });

  /**
   * Returns the usable connections and open models of a person in a project, narrowed by a filter.
   */
  async function usableFor(
    userId: string,
    query: { projectId: string; connectionId?: string; runsOn?: RunPlace },
  ) {
    const { connections, reach } = await findReach(store.read, {
      userId,
      projectId: query.projectId,
    });
    const usable = connections.filter(
      (connection) =>
        connection.status !== "disabled" &&
        (!query.connectionId || connection.id === query.connectionId) &&
        (!query.runsOn || runPlaceOf(deps.kinds.get(connection.kind), connection) === query.runsOn),
    );
    return { usable, reach };
  }
  const samples = createModelSamples(deps);
  /** Returns a model with its connection, if the person may use it in that project. */
  async function openModel(
    userId: string,
    connectionId: string,
    { projectId, model: modelId }: { projectId: string; model: string },
  ) {
    const connection = await getUsableConnection(store.read, connectionId, userId, projectId);
    const model = connection && (await getModel(store.read, connection.id, modelId, userId));
    const isOpen =
      model && (await isModelOpen(store.read, { userId, projectId }, connection, model.modelId));
    if (!connection || !model || !isOpen) throw new Problem("not_found");
    return { connection, model };
  }
  const audit = createLateAudit(deps, "connection");
  /**
   * Whether the model is open in any project that the actor may know of, because a star belongs to
   * none.
   */
  async function isOpenAnywhere(
    actor: Actor,
    connectionId: string,
    modelId: string,
  ): Promise<boolean> {
    const { userId } = actor;
    const connection = await getConnection(store.read, connectionId);
    if (!connection) return false;
    if (await isModelOpen(store.read, { userId }, connection, modelId)) return true;
    const projects = inReach(actor, await listProjects(store.read, userId));
    const open = projects.map(({ id: projectId }) =>
      isModelOpen(store.read, { userId, projectId }, connection, modelId),
    );
    return (await Promise.all(open)).includes(true);
  }

  /**
   * Lists connections for a person, with the number of models open to them and whether they may
   * edit the connection.
   */
  async function listed(
    actor: Actor,
    projectRole: Scope["projectRole"],
    found: Awaited<ReturnType<typeof findReach>>,
  ) {
    const { reach } = found;
    // Aliases are models, but their connection has nothing to connect to.
    const connections = found.connections.filter(({ kind }) => kind !== aliasKind);
    const models = await countModels(
      store.read,
      connections.map(({ id }) => id),
      reach,
    );
    return connections.map((connection) => {
      const { scope, scopeId } = connection;
      const mayManage =
        decide(actor, "connection:manage", { connection: { scope, scopeId }, projectRole }) ===
        "allowed";
      return {
        ...shownTo(mayManage, connection),
        mayManage,
        models: models.get(connection.id) ?? 0,
        runsOn: runPlaceOf(deps.kinds.get(connection.kind), connection),
      };
    });
  }
  const mayAdd = async (actor: Actor): Promise<boolean> =>
    mayConnect(actor, (await getAccessSettings(store.read)).membersConnect);
  async function connectFor(
    actor: Actor,
    line: ClientConnection,
    wanted: ConnectionOwner & Pick<NewConnection, "kind" | "name" | "values">,
    take?: string,
  ) {
    if (!(await mayAdd(actor)))
      throw new Problem("forbidden", {
        message: sentences.connections.personalOff,
      });
    const made = take
      ? await connectDiscovered(deps, deps.settings.environment, take, actor.userId)
      : await connect(deps, { ...wanted, userId: actor.userId });
    await audit(actor.userId, "connect", made.connection.id, line.address);
    return { connection: toConnection(made.connection), message: made.message };
  }
  return {
    async listKinds({ line }) {
      const redirectUrl = signInRedirectOf(deps.settings, line);
      return {
        kinds: listKinds(deps).map((kind) => ({
          ...kind,
          signInRedirect: kind.signInWhen && redirectUrl,
        })),
      };
    },
    async lookForServers() {
      return { found: await discover(deps, deps.settings.environment) };
    },
    async listConnections({ actor }) {
      const found = await findReach(store.read, actor);
      const aliases = await countModels(store.read, [aliasConnectionId], found.reach);
      return {
        mayAdd: await mayAdd(actor),
        connections: await listed(actor, undefined, found),
        aliases: aliases.get(aliasConnectionId) ?? 0,
      };
    },
    async createConnection({ actor, body, line }) {
      if ((body.scope === "instance" || body.take) && decide(actor, "instance") !== "allowed")
        throw new Problem("forbidden", {
          message: sentences.connections.adminsOnly,
        });
      const { kind, name, values } = body;
      const owner: ConnectionOwner =
        body.scope === "user" ? { scope: "user", scopeId: actor.userId } : { scope: "instance" };
      return connectFor(actor, line, { kind, name, values, ...owner }, body.take);
    },
    async listProjectConnections({ actor, params, scope }) {
      const found = await findReach(store.read, {
        userId: actor.userId,
        projectId: params.projectId,
      });
      const connections = found.connections.filter((one) => one.scope === "project");
      const mayManage = scope.projectRole === "manager" && (await mayAdd(actor));
      return {
        mayAdd: mayManage,
        connections: await listed(actor, scope.projectRole, { ...found, connections }),
      };
    },
    async createProjectConnection({ actor, params, body, line }) {
      return connectFor(actor, line, { ...body, scope: "project", scopeId: params.projectId });
    },
    async getConnection({ actor, params, scope }) {
      const connection = await getConnection(store.read, params.connectionId);
      if (!connection) throw new Problem("not_found");
      return {
        connection: shownTo(decide(actor, "connection:manage", scope) === "allowed", connection),
      };
    },
    async updateConnection({ actor, params, body, line }) {
      const connection = await engine.changeConnection(params.connectionId, body);
      await audit(actor.userId, "change-connection", params.connectionId, line.address);
      return { connection: toConnection(connection) };
    },
    async removeConnection({ actor, params, line }) {
      const connection = await getConnection(store.read, params.connectionId);
      if (connection && deps.kinds.get(connection.kind)?.builtin)
        throw new Problem("conflict", {
          message: sentences.connections.builtinNotRemovable,
        });
      await engine.endSessionsOf(params.connectionId);
      await deps.commit(async (unit) => {
        await noteUnreadResults(unit, params.connectionId);
        if (!(await removeConnection(unit.tx, params.connectionId)))
          throw new Problem("conflict", { message: sentences.connections.runsActive });
      });
      await audit(actor.userId, "disconnect", params.connectionId, line.address);
      return {};
    },
    async checkConnection({ params }) {
      const checked = await checkConnection(deps, params.connectionId);
      return {
        connection: toConnection(checked.connection),
        message: checked.message,
        models: checked.models,
      };
    },
    ...signInHandlers(deps, audit),
    async listLocalModels({ params }) {
      const { models, acts } = await localModels(deps, params.connectionId);
      return {
        loaded: models
          .filter(({ state }) => state === "loaded")
          .map(({ model, bytes, expiresAt }) => ({
            model,
            ...(bytes !== undefined && { bytes }),
            ...(expiresAt !== undefined && { expiresAt }),
          })),
        models: models.map(({ model, name, state }) => ({ model, name, state })),
        acts,
      };
    },
    async loadLocalModel({ actor, params: { connectionId }, body: { model }, line }) {
      await actOnModel(deps, "load", connectionId, model);
      await audit(actor.userId, "load-model", connectionId, line.address, { model });
      return {};
    },
    async unloadLocalModel({ actor, params: { connectionId }, body: { model }, line }) {
      await actOnModel(deps, "unload", connectionId, model);
      await audit(actor.userId, "unload-model", connectionId, line.address, { model });
      return {};
    },
    async pullLocalModel({ actor, params: { connectionId }, body: { model }, line, c }) {
      return streamEvents(deps, c, async function* (signal) {
        for await (const progress of pullModel(deps, connectionId, model, signal))
          yield { type: "progress", payload: progress };
        await audit(actor.userId, "pull-model", connectionId, line.address, { model });
        yield { type: "done", payload: {} };
      });
    },
    async removeLocalModel({ actor, params: { connectionId }, query: { model }, line }) {
      await actOnModel(deps, "remove", connectionId, model);
      await audit(actor.userId, "remove-model", connectionId, line.address, { model });
      return {};
    },
    async listWorkflows({ params }) {
      return { workflows: await listWorkflows(deps, params.connectionId) };
    },
    async addWorkflow({ actor, params, body, line }) {
      const wish = {
        connectionId: params.connectionId,
        name: body.name,
        text: body.workflow,
        userId: actor.userId,
      };
      const { id, name, tasks } = await addWorkflow(deps, wish);
      await audit(actor.userId, "add-workflow", params.connectionId, line.address);
      return { workflow: { id, name, tasks } };
    },
    async replaceWorkflow({ actor, params, body, line }) {
      const { connectionId, workflowId } = params;
      const wish = {
        connectionId,
        id: workflowId,
        name: body.name,
        text: body.workflow,
        userId: actor.userId,
      };
      const { id, name, tasks } = await replaceWorkflow(deps, wish);
      await audit(actor.userId, "replace-workflow", connectionId, line.address);
      return { workflow: { id, name, tasks } };
    },
    async removeWorkflow({ actor, params, line }) {
      await removeWorkflow(deps, params.connectionId, params.workflowId);
      await audit(actor.userId, "remove-workflow", params.connectionId, line.address);
      return {};
    },
    async listModels({ actor, query }) {
      const { usable, reach } = await usableFor(actor.userId, query);
      const { models, next } = await lists.listModels({
        ...query,
        userId: actor.userId,
        reach,
        connectionIds: usable.map((connection) => connection.id),
        ...freeOf(usable),
        freeAliases: await freeAliases(deps, query),
        cameSince: query.new && newSince(deps.clock.now()),
        starred: query.starred !== undefined,
        sampled: query.sampled !== undefined,
      });
      return { models: await withPriceShown(deps, models), next };
    },
    async listUsedModels({ actor, query }) {
      const { usable, reach } = await usableFor(actor.userId, query);
      const connectionIds = usable.map(({ id }) => id);
      const { userId } = actor;
      const { projectId, task, order } = query;
      const board = { projectIds: [projectId], userId, ...(task && { task }) };
      const { models, next } = await lists.listUsedModels({
        ...{ ...query, userId, reach, connectionIds },
        ...freeOf(usable),
        freeAliases: await freeAliases(deps, order === "price" ? { order } : {}),
        scores: order === "rating" ? (await readRatedModels(lists, board)).models : [],
      });
      const shown = await withPriceShown(
        deps,
        models.map(({ model }) => model),
      );
      return { models: models.map((used, at) => ({ ...used, model: shown[at]! })), next };
    },
    async countModelTasks({ actor, query }) {
      const { usable, reach } = await usableFor(actor.userId, query);
      const connectionIds = usable.map(({ id }) => id);
      const { tasks, families } = await lists.countModelTasks({
        ...{ userId: actor.userId, reach, connectionIds },
        ...{ task: query.task, family: query.family },
      });
      return {
        tasks,
        families: families.map(({ family, models }) => ({
          ...{ family, models },
          name: modelFamilies[family].name,
        })),
      };
    },
    async getModel({ actor, params, query }) {
      const { model } = await openModel(actor.userId, params.connectionId, query);
      const [shown] = await withPriceShown(deps, [model]);
      return { model: shown! };
    },
    async getModelSample({ actor, params, query, c }) {
      const { connection, model } = await openModel(actor.userId, params.connectionId, query);
      const { sample } = model.capabilities as { sample?: { url: string } };
      const picture = sample && (await samples.get(connection, sample.url));
      if (!picture) throw new Problem("not_found");
      return c.body(Buffer.from(picture.bytes), 200, {
        "content-type": picture.mime,
        "cache-control": "private, max-age=86400",
        ...pictureHeaders,
      });
    },
    async setModelFacts({ actor, params: { connectionId }, body, line }) {
      await stateFacts(deps, { ...body, connectionId, setBy: actor.userId });
      await audit(actor.userId, "set-model-facts", connectionId, line.address);
      return {};
    },
    async starModel({ actor, params: { connectionId }, body: { modelId } }) {
      const { userId } = actor;
      const isOpen = await isOpenAnywhere(actor, connectionId, modelId);
      const at = deps.clock.now();
      if (
        !isOpen ||
        !(await deps.commit(({ tx }) => starModel(tx, { userId, connectionId, modelId, at })))
      )
        throw new Problem("not_found");
      return {};
    },
    async unstarModel({ actor: { userId }, params: { connectionId }, query }) {
      // A star on an inaccessible or deleted model is still removed. Nothing is notified when there
      // was none.
      await deps.commit(({ tx }) =>
        starModel(tx, { userId, connectionId, modelId: query.model, at: null }),
      );
      return {};
    },
  };
}
