import { sql } from "kysely";
import { activeStates, openStates } from "#domain/runs/run-machine.ts";
import { literals } from "../database/literals.ts";
import type { Reader } from "../database/store.ts";

export type Workload = {
  /** Runs that wait for a free place. */
  queued: number;
  /** When the first of them was requested; null without any. */
  oldestQueuedAt: number | null;
  /** Runs that wait for a person's approval. */
  needApproval: number;
  active: number;
  unconfirmed: number;
};

/** The runs that have not ended, counted by the index of them alone. */
export async function readWorkload(db: Reader): Promise<Workload> {
  const rows = await db
    .selectFrom("run")
    .select("state")
    .select((e) => [
      e.fn.countAll<number>().as("all"),
      e.fn.count<number>("waiting_for").as("waiting"),
      sql<number | null>`min(case when waiting_for is null then created_at end)`.as("oldest"),
    ])
    .where("state", "in", literals(openStates))
    .groupBy("state")
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state);
  const queued = of("queued");
  const needApproval = Number(queued?.waiting ?? 0);
  return {
    queued: Number(queued?.all ?? 0) - needApproval,
    oldestQueuedAt:
      queued?.oldest === null || queued?.oldest === undefined ? null : Number(queued.oldest),
    needApproval,
    active: activeStates.reduce((sum, state) => sum + Number(of(state)?.all ?? 0), 0),
    unconfirmed: Number(of("unconfirmed")?.all ?? 0),
  };
}

export type ConnectionTrouble = {
  /** Shared ones by name; a personal or a project's connection is its people's affair, and only counted. */
  shared: { id: string; name: string; detail: string | null }[];
  others: number;
};

export async function listFailingConnections(db: Reader): Promise<ConnectionTrouble> {
  const failing = await db
    .selectFrom("connection")
    .select(["id", "name", "scope", "status_detail"])
    .where("status", "=", "failing")
    .orderBy("name")
    .orderBy("id")
    .execute();
  return {
    shared: failing.flatMap(({ id, name, scope, status_detail }) =>
      scope === "instance" ? [{ id, name, detail: status_detail }] : [],
    ),
    others: failing.filter(({ scope }) => scope !== "instance").length,
  };
}

/** Webhooks that nothing reaches, or that are paused. */
export async function countWebhookTrouble(
  db: Reader,
): Promise<{ failing: number; paused: number }> {
  const row = await db
    .selectFrom("webhook_endpoint")
    .select((e) => [
      e.fn.count<number>("failing_since").as("failing"),
      e.fn.count<number>("disabled_at").as("paused"),
    ])
    .executeTakeFirst();
  return { failing: Number(row?.failing ?? 0), paused: Number(row?.paused ?? 0) };
}
