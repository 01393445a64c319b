import type { Reader } from "./store.ts";

/** The names of what the books speak of, by id, which may be given more than once; what was removed has none. */
export async function namesOf(
  db: Reader,
  ids: { projects: readonly string[]; people: readonly string[]; connections: readonly string[]; keys?: readonly string[] },
): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  const read = async (table: "project" | "user" | "connection" | "api_key", given: readonly string[]): Promise<void> => {
    const wanted = [...new Set(given)];
    if (wanted.length === 0) return;
    const rows = await db.selectFrom(table).select(["id", "name"]).where("id", "in", wanted).execute();
    for (const { id, name } of rows) named.set(id, name);
  };
  await Promise.all([
    read("project", ids.projects),
    read("user", ids.people),
    read("connection", ids.connections),
    read("api_key", ids.keys ?? []),
  ]);
  return named;
}
