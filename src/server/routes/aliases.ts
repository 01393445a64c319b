import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelAlias, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { aliasRoutes } from "#contract/routes/aliases.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { type Actor, decide } from "#domain/people/policy.ts";
import { openFor, whyNotReady } from "#domain/runs/circuit.ts";
import { doesNot } from "#engine/connections/usable-model.ts";
import { getAlias, listAliases, putAlias, removeAlias } from "#store/models/aliases.ts";
import { listCircuits } from "#store/models/circuits.ts";
import { getConnection, type SealedConnection } from "#store/models/connections.ts";
import { listModelUsers } from "#store/models/model-access.ts";
import { getModel } from "#store/models/models.ts";
import { createAuditOf } from "../audit.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

export function aliasHandlers(
  deps: Pick<ServerDeps, "store" | "commit" | "clock" | "ids">,
): Handlers<keyof typeof aliasRoutes> {
  const { store } = deps;
  const audit = createAuditOf(deps, "alias");

  /** @throws Problem invalid_input with the index of a model that isn't allowed */
  async function requireModels(task: Task, models: readonly ModelRef[]): Promise<void> {
    if (task === "live") throw refused("task", sentences.aliases.noCanvas);
    for (const [index, { connectionId, modelId }] of models.entries()) {
      const field = `models.${index}`;
      const connection = await getConnection(store.read, connectionId);
      const model = connection && (await getModel(store.read, connectionId, modelId));
      if (!model || model.status === "gone") throw refused(field, sentences.aliases.modelMissing);
      if (connectionId === aliasConnectionId) throw refused(field, sentences.aliases.noAlias);
      if (connection.scope !== "instance") throw refused(field, sentences.aliases.sharedModelsOnly);
      if (!model.tasks.includes(task))
        throw refused(field, `${model.name} ${doesNot(model, task)}`);
      if (
        models.findIndex((one) => one.connectionId === connectionId && one.modelId === modelId) <
        index
      )
        throw refused(field, sentences.aliases.modelTwice({ model: model.name }));
    }
  }

  async function put(
    alias: Pick<ModelAlias, "name" | "task" | "models">,
    action: "create-alias" | "change-alias",
    by: { userId: string; ip: string },
  ) {
    await requireModels(alias.task, alias.models);
    const at = deps.clock.now();
    await deps.commit(async ({ tx }) => {
      const isKnown = (await getAlias(tx, alias.name)) !== undefined;
      if (isKnown && action === "create-alias")
        throw new Problem("conflict", {
          field: "name",
          message: sentences.aliases.nameTaken({ alias: alias.name }),
        });
      const most = limits.modelAliases;
      if (action === "create-alias" && (await listAliases(tx)).length >= most)
        throw new Problem("conflict", { message: sentences.aliases.tooMany({ most }) });
      if (!isKnown && action === "change-alias") throw new Problem("not_found");
      await putAlias(tx, { ...alias, madeBy: by.userId, at });
      await audit(tx, by.userId, action, alias.name, by.ip, {
        task: alias.task,
        models: alias.models,
      });
    });
    return { alias: { ...alias, updatedAt: at } };
  }

  return {
    async listAliases({ actor }) {
      const aliases = await listAliases(store.read);
      const users = await listModelUsers(
        store.read,
        aliases.map(({ name }) => ({ connectionId: aliasConnectionId, modelId: name })),
      );
      const shown = aliases.map(async (alias) => ({
        ...alias,
        models: await Promise.all(alias.models.map((ref) => describe(actor, alias.task, ref))),
        users: users.get(`${aliasConnectionId}/${alias.name}`) ?? null,
      }));
      return { aliases: await Promise.all(shown) };
    },
    createAlias: ({ actor, body, line }) =>
      put(body, "create-alias", { userId: actor.userId, ip: line.address }),
    updateAlias: ({ actor, params, body, line }) =>
      put({ name: params.alias, ...body }, "change-alias", {
        userId: actor.userId,
        ip: line.address,
      }),
    async removeAlias({ actor, params, line }) {
      await deps.commit(async ({ tx }) => {
        if (!(await removeAlias(tx, params.alias))) throw new Problem("not_found");
        await audit(tx, actor.userId, "remove-alias", params.alias, line.address);
      });
      return {};
    },
  };

  /** Explains to managers why a model is unavailable, in the service's own words. */
  async function whyNot(
    actor: Actor,
    connection: SealedConnection | undefined,
    { connectionId, modelId }: ModelRef,
  ): Promise<string | null> {
    const circuits = await listCircuits(store.read, connectionId);
    const now = deps.clock.now();
    const plain = whyNotReady(connection?.status, circuits, modelId, now);
    if (
      plain === null ||
      !connection ||
      decide(actor, "connection:manage", { connection }) !== "allowed"
    )
      return plain;
    const detail = connection.status === "failing" ? connection.statusDetail : null;
    return (
      (connection.status === "disabled"
        ? null
        : (openFor(circuits, modelId, now)[0]?.detail ?? detail)) ?? plain
    );
  }

  async function describe(actor: Actor, task: Task, { connectionId, modelId }: ModelRef) {
    const connection = await getConnection(store.read, connectionId);
    const model = await getModel(store.read, connectionId, modelId);
    const isThere = model !== undefined && model.status !== "gone";
    const does =
      isThere && !model.tasks.includes(task)
        ? `The model ${doesNot(model, task)}`
        : await whyNot(actor, connection, { connectionId, modelId });
    return {
      connectionId,
      modelId,
      name: model?.name ?? modelId,
      connectionName: connection?.name ?? "",
      whyNot: isThere ? does : sentences.aliases.notOffered,
    };
  }
}

const refused = (field: string, message: string): Problem =>
  new Problem("invalid_input", { field, message });
