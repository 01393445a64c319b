import type { Budget } from "#contract/entities.ts";
import type { Reader } from "../database/store.ts";

/**
 * Names a budget's owner within a sentence to the person who pays from it: "your", "the project
 * “Poster”’s".
 */
export async function nameOfScope(
  db: Reader,
  { scope, scopeId }: Pick<Budget, "scope" | "scopeId">,
): Promise<string> {
  if (scope === "user") return "your";
  if (scope === "instance" || scopeId === null) return "this Bottega’s";
  if (scope === "api_key") {
    const key = await db
      .selectFrom("api_key")
      .select("name")
      .where("id", "=", scopeId)
      .executeTakeFirst();
    return key ? `the API key “${key.name}”’s` : "this API key’s";
  }
  const project = await db
    .selectFrom("project")
    .select("name")
    .where("id", "=", scopeId)
    .executeTakeFirst();
  return project ? `the project “${project.name}”’s` : "the project’s";
}
