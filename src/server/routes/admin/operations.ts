import type { operationRoutes } from "#contract/routes/admin/operations.ts";
import type { HealthCheck } from "#contract/schemas/admin/operations.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { upkeepEveryMs } from "#engine/recover/chores.ts";
import { readBackupStanding } from "#engine/recover/scheduled-backups.ts";
import { isDiskLow } from "#engine/room.ts";
import { countWebhookTrouble, listFailingConnections, readWorkload } from "#store/checks/health.ts";
import { databaseBytes } from "#store/checks/storage-use.ts";
import { getBackupPlan } from "#store/runs/backup-plan.ts";
import { getChore } from "#store/runs/chore-rows.ts";
import { listWorkers } from "#store/runs/workers.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";

type Health = RouteOutput<"getHealth">;
type Facts = Omit<Health, "state" | "checks" | "version">;
type State = Health["state"];

export function operationHandlers(
  deps: Pick<ServerDeps, "store" | "clock" | "lists" | "engine" | "freeBytes" | "version">,
): Handlers<keyof typeof operationRoutes> {
  const { store, lists, clock } = deps;
  const freeBytes = async (): Promise<number | null> => (await deps.freeBytes?.()) ?? null;

  return {
    async getStorageUse() {
      const [use, free] = await Promise.all([lists.readStorageUse(clock.now()), freeBytes()]);
      return {
        ...use,
        databaseBytes: await databaseBytes(store),
        freeBytes: free,
        isDiskLow: isDiskLow(free),
      };
    },
    async getHealth() {
      const [storage, upkeep, failing] = await Promise.all([
        deps.engine.storage(),
        getChore(store.read, "upkeep"),
        listFailingConnections(store.read),
      ]);
      const facts: Facts = {
        database: { engine: store.engine, bytes: await databaseBytes(store) },
        storage: { files: storage.files, trouble: storage.trouble, freeBytes: await freeBytes() },
        servers: (await listWorkers(store.read)).map(({ id, host, startedAt }) => ({
          id,
          host,
          startedAt,
        })),
        runs: await readWorkload(store.read, clock.now()),
        upkeep: { dueAt: upkeep?.dueAt ?? null, lastError: upkeep?.lastError ?? null },
        connections: { failing: failing.shared, others: failing.others },
        webhooks: await countWebhookTrouble(store.read),
        backup: await readBackupStanding(deps, await getBackupPlan(store.read)),
      };
      const checks = judge(facts, clock.now());
      const states = Object.values(checks);
      const state = states.includes("bad") ? "bad" : states.includes("warn") ? "warn" : "ok";
      return { version: deps.version, state, checks, ...facts };
    },
  };
}

const warnIf = (isWrong: boolean): State => (isWrong ? "warn" : "ok");
const badIf = (isWrong: boolean): State => (isWrong ? "bad" : "ok");

/** Judges the server's health. The database counts as healthy because it answered. */
function judge(facts: Facts, now: number): Record<HealthCheck, State> {
  const { storage, servers, runs, upkeep, connections, webhooks } = facts;
  // A server's first upkeep comes one period after its start.
  const firstAt = Math.min(...servers.map(({ startedAt }) => startedAt)) + upkeepEveryMs;
  const isLate = upkeep.dueAt !== null && now > Math.max(upkeep.dueAt, firstAt) + upkeepEveryMs;
  return {
    database: "ok",
    storage: storage.trouble === null ? warnIf(storage.files !== "owner") : "bad",
    disk: warnIf(isDiskLow(storage.freeBytes)),
    servers: badIf(servers.length === 0),
    queue: warnIf(runs.stalledSince !== null),
    upkeep: warnIf(isLate || upkeep.lastError !== null),
    connections: warnIf(connections.failing.length > 0),
    webhooks: warnIf(webhooks.failing + webhooks.paused > 0),
    backup: warnIf(facts.backup.state !== "ok" && facts.backup.state !== "off"),
  };
}
