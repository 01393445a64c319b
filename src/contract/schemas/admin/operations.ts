import { z } from "zod";
import { id, time } from "../../entities.ts";
import { backupStanding } from "./backups.ts";

const sum = { files: z.int(), bytes: z.int() };
const stored = z.object(sum);
const storedBy = z.object({ id: z.string(), name: z.string(), ...sum });
/** Null if unknown, as for an object store. */
const freeBytes = z.int().nullable();

/** The health checks, in the order of the screen. */
const healthChecks = [
  "database",
  "storage",
  "disk",
  "servers",
  "queue",
  "upkeep",
  "connections",
  "webhooks",
  "backup",
] as const;
export type HealthCheck = (typeof healthChecks)[number];

export const operationSchemas = {
  getStorageUse: {
    response: z.object({
      /** The size on disk or in the bucket: equal files count once, previews are excluded. */
      stored,
      /**
       * The largest, then the sum of all others with the ID "". A file with two assets counts for
       * each.
       */
      projects: z.array(storedBy),
      people: z.array(storedBy),
      kinds: z.array(z.object({ kind: z.string(), ...sum })),
      /** By age: added within this many days and not within fewer; null is everything older. */
      ages: z.array(z.object({ days: z.int().nullable(), ...sum })),
      /** The space that emptying every trash would free. */
      trash: stored,
      /** Unreferenced files, which are deleted automatically. */
      unneeded: stored,
      databaseBytes: z.int(),
      freeBytes,
      isDiskLow: z.boolean(),
    }),
  },
  getHealth: {
    response: z.object({
      version: z.string(),
      /** The worst of the checks. */
      state: z.enum(["ok", "warn", "bad"]),
      checks: z.record(z.enum(healthChecks), z.enum(["ok", "warn", "bad"])),
      database: z.object({ engine: z.enum(["sqlite", "postgres"]), bytes: z.int() }),
      storage: z.object({
        files: z.enum(["owner", "copy", "unsure"]),
        trouble: z.string().nullable(),
        freeBytes,
      }),
      /** The servers that execute runs. */
      servers: z.array(z.object({ id, host: z.string(), startedAt: time })),
      runs: z.object({
        queued: z.int(),
        oldestQueuedAt: time.nullable(),
        needApproval: z.int(),
        active: z.int(),
        unconfirmed: z.int(),
        /** Since when a run waits on a connection that starts nothing, though it could. */
        stalledSince: time.nullable(),
      }),
      /** The chores. `dueAt` is null before their first round. */
      upkeep: z.object({ dueAt: time.nullable(), lastError: z.string().nullable() }),
      /** Shared ones by name. Personal and project connections are only counted. */
      connections: z.object({
        failing: z.array(z.object({ id, name: z.string(), detail: z.string().nullable() })),
        others: z.int(),
      }),
      webhooks: z.object({ failing: z.int(), paused: z.int() }),
      backup: backupStanding,
    }),
  },
};
