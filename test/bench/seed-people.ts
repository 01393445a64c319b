import type { Insertable } from "kysely";
import type { Database } from "#store/database/schema.ts";
import type { Store } from "#store/database/store.ts";

const at = Date.parse("2026-01-01T00:00:00Z");
const time = new Date(at).toISOString();
const atOnce = 250;

const names = ["Ada", "Ben", "Cleo", "Dov", "Eli", "Fay", "Gil", "Hana"];
export const seededName = (i: number): string => `${names[i % names.length]} number${i}`;

/**
 * Inserts people into a database, each with a project, a key and a budget, and a budget for the
 * project. All of them are members of `projectId`.
 */
export async function seedPeople(
  store: Store,
  count: number,
  projectId = "project-0",
): Promise<void> {
  const insertAll = async <T extends keyof Database>(
    table: T,
    make: (i: number) => Insertable<Database[T]>,
  ): Promise<void> => {
    for (let from = 0; from < count; from += atOnce) {
      const length = Math.min(atOnce, count - from);
      const rows = Array.from({ length }, (_, i) => make(from + i));
      await store.write((tx) => tx.insertInto(table).values(rows).execute());
    }
  };
  await insertAll("user", (i) => ({
    id: `user-${i}`,
    name: seededName(i),
    email: `person${i}@example.org`,
    emailVerified: false,
    image: null,
    createdAt: time,
    updatedAt: time,
    role: "member" as const,
    status: "active" as const,
    locale: "en",
    timeZone: "UTC",
    theme: "system" as const,
  }));
  await insertAll("project", (i) => ({
    id: `project-${i}`,
    name: `Project of ${seededName(i)}`,
    description: "",
    instructions: "",
    owner_id: `user-${i}`,
    defaults: "{}",
    seq: 0,
    archived_at: null,
    created_at: at,
  }));
  await insertAll("project_member", (i) => ({
    project_id: projectId,
    user_id: `user-${i}`,
    role: "editor" as const,
    created_at: at,
    name: seededName(i),
  }));
  for (const scope of ["user", "project"] as const)
    await insertAll("budget", (i) => ({
      id: `budget-${scope}-${i}`,
      scope,
      scope_id: `${scope}-${i}`,
      period: "month" as const,
      time_zone: "UTC",
      limit_micros: 10_000_000,
      on_limit: "block" as const,
      authority: "admin" as const,
      created_by: null,
      created_at: at,
    }));
  await insertAll("api_key", (i) => ({
    id: `key-${i}`,
    user_id: `user-${i}`,
    project_id: projectId,
    name: `Key ${seededName(i)}`,
    prefix: `bot_${i}`,
    hash: `hash ${i}`,
    scopes: '["chat"]',
    rate_per_minute: 60,
    keeps_running: 0,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    created_at: at,
  }));
}
