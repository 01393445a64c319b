import type { BudgetScope } from "#contract/budgets.ts";
import type { Budget } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { moneyRoutes } from "#contract/routes/money.ts";
import type { RouteParsed } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isTimeZone } from "#domain/money/periods.ts";
import { type Actor, decide, inReach, seesAllKeys } from "#domain/people/policy.ts";
import { reviewWaiting } from "#engine/admit/approve.ts";
import { refuseRun } from "#engine/follow/cancel.ts";
import { countFound, fromCursor, page } from "#store/database/cursor.ts";
import type { Tx } from "#store/database/store.ts";
import { refreshAliases } from "#store/models/aliases.ts";
import { putModelPrice } from "#store/models/models.ts";
import { listBudgets, putBudget, removeBudget } from "#store/money/budgets.ts";
import { getUser, listPeople } from "#store/people/people.ts";
import { listAllProjects, listProjects, projectExists } from "#store/people/projects.ts";
import { findScope } from "#store/people/scopes.ts";
import {
  countWaitingRuns,
  type Decider,
  listWaitingRuns,
  type WaitingRun,
} from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { createAudit } from "../audit.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

type Setting = {
  period: Budget["period"];
  timeZone: string;
  limitMicros: number | null;
  onLimit: Budget["onLimit"];
};

type PayerScope = RouteParsed<"listPayers", "query">["scope"];

export function moneyHandlers(deps: ServerDeps): Handlers<keyof typeof moneyRoutes> {
  const { store, lists } = deps;
  const audit = createAudit(deps);

  async function mine(actor: Actor, projectId: string | undefined): Promise<string[]> {
    const ids = inReach(actor, await listProjects(store.read, actor.userId)).map(
      (project) => project.id,
    );
    // PostgreSQL rejects an empty list; no project has the id "".
    if (projectId === undefined) return ids.length > 0 ? ids : [""];
    if (!ids.includes(projectId)) throw new Problem("not_found");
    return [projectId];
  }

  const readerOf = async (actor: Actor) => ({
    userId: actor.userId,
    projectIds: await mine(actor, undefined),
    seesAllKeys: seesAllKeys(actor),
  });

  /** Selects the runs for which `mayDecide` is true. */
  async function deciderOf(actor: Actor): Promise<Decider> {
    const mine = inReach(actor, await listProjects(store.read, actor.userId));
    return {
      isAdmin: decide(actor, "instance") === "allowed",
      projectIds: mine.flatMap(({ id, role }) =>
        decide(actor, "manage", { projectId: id, projectRole: role }) === "allowed" ? [id] : [],
      ),
    };
  }

  /**
   * Whether the actor may decide about a run: an admin for budgets set by admins, a manager for
   * their own. Neither sees the run's content.
   */
  async function mayDecide(
    actor: Actor,
    { run }: { run: Pick<OwnedRun, "projectId" | "waitingFor"> },
  ): Promise<boolean> {
    if (run.waitingFor === "admin") return decide(actor, "instance") === "allowed";
    return (
      decide(
        actor,
        "manage",
        await findScope(store.read, "project", run.projectId, actor.userId),
      ) === "allowed"
    );
  }

  function requireTimeZone(timeZone: string): void {
    if (!isTimeZone(timeZone))
      throw new Problem("invalid_input", {
        field: "timeZone",
        message: sentences.account.unknownTimeZone,
      });
  }

  /** @returns whether the budget has changed */
  async function set(
    tx: Tx,
    actorId: string,
    of: Pick<Budget, "scope" | "scopeId" | "authority">,
    setting: Setting,
  ): Promise<boolean> {
    const { limitMicros, ...rest } = setting;
    if (limitMicros === null) return removeBudget(store, tx, { ...of, period: rest.period });
    await putBudget(store, tx, {
      ...of,
      ...rest,
      limitMicros,
      id: deps.ids(),
      createdBy: actorId,
      at: deps.clock.now(),
    });
    return true;
  }

  /** Returns a page of people or projects that may have budgets, by name. */
  async function findPayers(
    scope: PayerScope,
    of: { q?: string; cursor?: string; limit: number },
  ): Promise<{
    payers: { id: string; name: string; detail: string }[];
    next: string | null;
    count: number;
  }> {
    if (scope === "user") {
      const { people, ...rest } = await listPeople(store.read, of);
      return {
        ...rest,
        payers: people.map(({ id, name, email }) => ({ id, name, detail: email })),
      };
    }
    const { projects, ...rest } = await listAllProjects(store.read, of);
    return {
      ...rest,
      payers: projects.map(({ id, name, ownerName }) => ({ id, name, detail: ownerName })),
    };
  }

  /** Works page by page, so that no unit is long when 10,000 payers get a budget. */
  async function* pagesOf({
    scope,
    scopeIds,
    found,
  }: RouteParsed<"setBudgets", "body">): AsyncGenerator<(string | null)[]> {
    if (scopeIds) yield [...new Set(scopeIds)];
    if (!found || scope === "instance") return;
    for (let cursor: string | undefined; ; ) {
      const page = await findPayers(scope, { ...found, cursor, limit: limits.pageSizeMost });
      yield page.payers.map(({ id }) => id);
      if (page.next === null) return;
      cursor = page.next;
    }
  }

  return {
    async listBudgets({ actor }) {
      const projectIds = await mine(actor, undefined);
      const withInstance = decide(actor, "instance") === "allowed";
      return {
        budgets: await listBudgets(
          store.read,
          { projectIds, userIds: [actor.userId], withInstance },
          deps.clock.now(),
        ),
      };
    },
    async listInstanceBudgets() {
      const shown = { withInstance: true, withDefaults: true };
      return { budgets: await listBudgets(store.read, shown, deps.clock.now()) };
    },
    async listPayers({ query: { scope, ...of } }) {
      const { payers, ...rest } = await findPayers(scope, of);
      const ids = payers.map(({ id }) => id);
      const budgets = Map.groupBy(
        await listBudgets(
          store.read,
          scope === "user" ? { userIds: ids } : { projectIds: ids },
          deps.clock.now(),
        ),
        ({ scopeId }) => scopeId,
      );
      return {
        ...rest,
        payers: payers.map((payer) => ({ ...payer, budgets: budgets.get(payer.id) ?? [] })),
      };
    },
    async setBudgets({ actor, body, line }) {
      const { scope, scopeIds: _, found: __, ...setting } = body;
      requireTimeZone(setting.timeZone);
      let budgets = 0;
      for await (const scopeIds of pagesOf(body))
        budgets += await deps.commit(async ({ tx }) => {
          let changed = 0;
          for (const scopeId of scopeIds) {
            if (scopeId !== null) await requireScope(tx, scope, scopeId);
            const of = { scope, scopeId, authority: "admin" } as const;
            if (!(await set(tx, actor.userId, of, setting))) continue;
            changed++;
            const target = { kind: scope, id: scopeId ?? "every" };
            await audit(tx, actor.userId, "set-budget", target, line.address, setting);
          }
          return changed;
        });
      await reviewWaiting(deps);
      return { budgets };
    },
    async setProjectBudget({ actor, params, body, line }) {
      requireTimeZone(body.timeZone);
      const { projectId } = params;
      await deps.commit(async ({ tx }) => {
        await set(
          tx,
          actor.userId,
          { scope: "project", scopeId: projectId, authority: "manager" },
          body,
        );
        await audit(
          tx,
          actor.userId,
          "set-budget",
          { kind: "project", id: projectId },
          line.address,
          body,
        );
      });
      await reviewWaiting(deps);
      const budgets = await listBudgets(store.read, { projectIds: [projectId] }, deps.clock.now());
      return { budgets };
    },
    async setModelPrice({ actor, params, body, line }) {
      const { modelId, ceilingMicros, prices } = body;
      const at = deps.clock.now();
      const priced = prices?.map((price) => ({ ...price, source: "person", at }));
      const found = await deps.commit(async ({ tx }) => {
        await audit(
          tx,
          actor.userId,
          "set-model-price",
          { kind: "connection", id: params.connectionId },
          line.address,
          body,
        );
        const known = await putModelPrice(tx, {
          connectionId: params.connectionId,
          modelId,
          ...(ceilingMicros !== undefined && { ceilingMicros }),
          ...(prices !== undefined && { prices: priced ?? null }),
          setBy: actor.userId,
          at,
        });
        await refreshAliases(tx, at);
        return known;
      });
      if (!found) throw new Problem("not_found");
      return {};
    },
    async listWaiting({ actor, query: { cursor, limit } }) {
      const [after = ""] = cursor ? fromCursor(cursor, ["string"]) : [];
      const by = await deciderOf(actor);
      const runs = await listWaitingRuns(store.read, {
        after: String(after),
        limit: limit + 1,
        by,
      });
      const shown = page(runs, limit, ({ run }) => [run.id]);
      return {
        waiting: shown.rows.map(toWaiting),
        next: shown.next,
        count: await countFound(shown, cursor, async () => ({
          n: await countWaitingRuns(store.read, by),
        })),
      };
    },
    async decideWaiting({ actor, params, body, line }) {
      const run = await getRun(store.read, params.runId);
      if (
        !run ||
        (run.waitingFor !== "manager" && run.waitingFor !== "admin") ||
        !(await mayDecide(actor, { run }))
      )
        throw new Problem("not_found", {
          message: sentences.runs.noApprovalFromYou,
        });
      if (body.allow) await deps.engine.approveRun(run.id, run.waitingFor);
      else await refuseRun(deps, run.id, run.waitingFor);
      await deps.commit(({ tx }) =>
        audit(
          tx,
          actor.userId,
          body.allow ? "allow-run" : "refuse-run",
          { kind: "run", id: run.id },
          line.address,
          {
            micros: run.heldMicros,
          },
        ),
      );
      return {};
    },
    async getUsage({ actor, query }) {
      return lists.readUsage(await mine(actor, query.projectId), await readerOf(actor), query);
    },
    async getKeepers({ actor, query }) {
      return lists.readKeepers(await mine(actor, query.projectId), await readerOf(actor), query);
    },
    async getInstanceUsage({ actor, query }) {
      return lists.readUsage(
        query.projectId ? [query.projectId] : "instance",
        await readerOf(actor),
        query,
      );
    },
    async downloadUsage({ actor, query, c }) {
      const { answerUsageCsv } = await import("../files/usage-csv.ts");
      return answerUsageCsv(
        c,
        lists,
        await mine(actor, query.projectId),
        await readerOf(actor),
        query,
      );
    },
    async downloadInstanceUsage({ actor, query, c }) {
      const { answerUsageCsv } = await import("../files/usage-csv.ts");
      return answerUsageCsv(
        c,
        lists,
        query.projectId ? [query.projectId] : "instance",
        await readerOf(actor),
        query,
      );
    },
  };
}

const toWaiting = ({ run, ...names }: WaitingRun) => ({
  runId: run.id,
  task: run.task,
  heldMicros: run.heldMicros,
  createdAt: run.createdAt,
  waitingFor: run.waitingFor === "admin" ? ("admin" as const) : ("manager" as const),
  ...names,
});

/** @throws Problem not_found for a person or project that doesn't exist */
async function requireScope(
  tx: Tx,
  scope: Exclude<BudgetScope, "api_key">,
  scopeId: string,
): Promise<void> {
  const found = scope === "user" ? await getUser(tx, scopeId) : await projectExists(tx, scopeId);
  if (!found) throw new Problem("not_found");
}
