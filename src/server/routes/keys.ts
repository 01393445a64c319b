import type { BudgetPeriod, OnLimit } from "#contract/budgets.ts";
import type { ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { keyRoutes } from "#contract/routes/keys.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isTimeZone } from "#domain/money/periods.ts";
import { isAmong } from "#domain/people/policy.ts";
import { reviewWaiting } from "#engine/admit/approve.ts";
import type { Tx } from "#store/database/store.ts";
import { listUsableConnections } from "#store/models/connections.ts";
import { isModelOpen } from "#store/models/model-access.ts";
import { getModel, listModelNames } from "#store/models/models.ts";
import { listBudgets, putBudget, removeBudget } from "#store/money/budgets.ts";
import { countUnpricedOfKeys } from "#store/money/runs-without-price.ts";
import {
  insertApiKey,
  type ListedKey,
  listApiKeys,
  revokeApiKey,
  spentByKeys,
  updateApiKey,
} from "#store/people/api-keys.ts";
import { createAuditOf } from "../audit.ts";
import { newKey } from "../auth/bearer.ts";
import { notifyRightsChanged, type ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

type KeyBudget = {
  period: BudgetPeriod;
  timeZone: string;
  limitMicros: number | null;
  onLimit: Exclude<OnLimit, "ask">;
};

export function keyHandlers(
  deps: Pick<ServerDeps, "store" | "commit" | "clock" | "ids" | "hub" | "lists">,
): Handlers<keyof typeof keyRoutes> {
  const { store, lists } = deps;
  const audit = createAuditOf(deps, "api_key");

  const asleepOf = ({ expiresAt, isArchived, isMember }: ListedKey) => {
    if (expiresAt !== null && expiresAt <= deps.clock.now()) return "expired" as const;
    if (isArchived) return "project-archived" as const;
    return isMember ? null : ("not-member" as const);
  };
  const namesOf = (key: ListedKey) => {
    const { isArchived: _, isMember: __, ownerName: ___, ownerEmail: ____, ...shown } = key;
    return { ...shown, asleep: asleepOf(key) };
  };

  async function show(userId: string) {
    const keys = await listApiKeys(store.db, { userId });
    const ids = keys.map(({ id }) => id);
    const budgets = await listBudgets(store.db, { keyIds: ids }, deps.clock.now());
    const spent = await spentByKeys(store.db, ids);
    const unpriced = await countUnpricedOfKeys(store.db, ids);
    const limited = keys.flatMap(({ models }) => models ?? []);
    const names = limited.length > 0 ? await listModelNames(store.db, limited) : [];
    const nameOf = (ref: ModelRef): string =>
      names[limited.findIndex((one) => isAmong([one], ref))] ?? ref.modelId;
    return keys.map((key) => ({
      ...namesOf(key),
      models: key.models?.map((ref) => ({ ...ref, name: nameOf(ref) })) ?? null,
      spentMicros: spent.get(key.id) ?? 0,
      unpricedRuns: unpriced.get(key.id) ?? 0,
      budgets: budgets.filter(({ scopeId }) => scopeId === key.id),
    }));
  }
  async function showOne(userId: string, keyId: string) {
    const key = (await show(userId)).find(({ id }) => id === keyId);
    if (!key) throw new Problem("not_found");
    return key;
  }

  function requireLater(expiresAt: number | null | undefined): void {
    if (typeof expiresAt === "number" && expiresAt <= deps.clock.now())
      throw new Problem("invalid_input", {
        field: "expiresAt",
        message: sentences.keys.expiryPast,
      });
  }

  /** @throws Problem invalid_input for a model that the key's owner can't use in its project */
  async function requireModels(
    userId: string,
    projectId: string,
    models: readonly ModelRef[] | null | undefined,
  ): Promise<void> {
    if (!models) return;
    const usable = await listUsableConnections(store.db, userId, projectId);
    for (const [i, { connectionId, modelId }] of models.entries()) {
      const connection = usable.find(({ id }) => id === connectionId);
      if (
        !connection ||
        !(await getModel(store.db, connectionId, modelId)) ||
        !(await isModelOpen(store.db, { userId, projectId }, connection, modelId))
      )
        throw new Problem("invalid_input", {
          field: `models.${i}`,
          message: sentences.keys.modelUnknown,
        });
    }
  }

  async function setBudget(
    tx: Tx,
    userId: string,
    keyId: string,
    { limitMicros, ...setting }: KeyBudget,
  ): Promise<void> {
    if (!isTimeZone(setting.timeZone))
      throw new Problem("invalid_input", {
        field: "timeZone",
        message: sentences.account.unknownTimeZone,
      });
    const of = { scope: "api_key", scopeId: keyId, authority: "manager" } as const;
    if (limitMicros === null) await removeBudget(store, tx, { ...of, period: setting.period });
    else
      await putBudget(store, tx, {
        ...of,
        ...setting,
        limitMicros,
        id: deps.ids(),
        createdBy: userId,
        at: deps.clock.now(),
      });
  }

  async function revoke(
    actorId: string,
    which: { id: string; userId?: string },
    ip: string,
  ): Promise<void> {
    const ownerId = await deps.commit(async ({ tx, at }) => {
      const owner = await revokeApiKey(tx, which, at);
      if (!owner) throw new Problem("not_found");
      await audit(tx, actorId, "revoke-key", which.id, ip);
      return owner;
    });
    await notifyRightsChanged(deps, ownerId);
  }

  return {
    async listKeys({ actor }) {
      return { keys: await show(actor.userId) };
    },
    async createKey({ actor, scope, body, line }) {
      const { budget, ...wanted } = body;
      requireLater(wanted.expiresAt);
      await requireModels(actor.userId, body.projectId, wanted.models);
      if ((await listApiKeys(store.db, { userId: actor.userId })).length >= limits.keysPerPerson)
        throw new Problem("conflict", {
          message: sentences.keys.tooMany({ count: limits.keysPerPerson }),
        });
      const { token, ...kept } = newKey();
      const id = deps.ids();
      await deps.commit(async ({ tx, at }) => {
        await insertApiKey(tx, {
          ...wanted,
          ...kept,
          id,
          userId: actor.userId,
          createdAt: at,
        });
        if (budget) await setBudget(tx, actor.userId, id, budget);
        await audit(tx, actor.userId, "create-key", id, line.address, {
          name: wanted.name,
          projectId: scope.projectId,
          scopes: wanted.scopes,
          models: wanted.models,
          keepsRunning: wanted.keepsRunning,
        });
      });
      return { key: await showOne(actor.userId, id), token };
    },
    async updateKey({ actor, params, body, line }) {
      requireLater(body.expiresAt);
      if (body.models)
        await requireModels(
          actor.userId,
          (await showOne(actor.userId, params.keyId)).projectId,
          body.models,
        );
      await deps.commit(async ({ tx }) => {
        if (!(await updateApiKey(tx, actor.userId, params.keyId, body)))
          throw new Problem("not_found");
        await audit(tx, actor.userId, "update-key", params.keyId, line.address, body);
      });
      await notifyRightsChanged(deps, actor.userId);
      return { key: await showOne(actor.userId, params.keyId) };
    },
    async rotateKey({ actor, params, line }) {
      const { token, ...kept } = newKey();
      await deps.commit(async ({ tx }) => {
        if (!(await updateApiKey(tx, actor.userId, params.keyId, kept)))
          throw new Problem("not_found");
        await audit(tx, actor.userId, "rotate-key", params.keyId, line.address);
      });
      await notifyRightsChanged(deps, actor.userId);
      return { key: await showOne(actor.userId, params.keyId), token };
    },
    async revokeKey({ actor, params, line }) {
      await revoke(actor.userId, { id: params.keyId, userId: actor.userId }, line.address);
      return {};
    },
    async setKeyBudget({ actor, params, body, line }) {
      await showOne(actor.userId, params.keyId);
      await deps.commit(async ({ tx }) => {
        await setBudget(tx, actor.userId, params.keyId, body);
        await audit(tx, actor.userId, "set-budget", params.keyId, line.address, body);
      });
      await reviewWaiting(deps);
      return { key: await showOne(actor.userId, params.keyId) };
    },
    async listAllKeys({ query }) {
      const { keys, ...rest } = await lists.listAllApiKeys(query);
      return {
        ...rest,
        keys: keys.map((key) => ({
          ...namesOf(key),
          ownerName: key.ownerName,
          ownerEmail: key.ownerEmail,
        })),
      };
    },
    /**
     * An admin may revoke even an owner's key: the first admin to notice a leaked key can stop it.
     */
    async revokeAnyKey({ actor, params, line }) {
      await revoke(actor.userId, { id: params.keyId }, line.address);
      return {};
    },
  };
}
