import type { ModelUsers } from "#contract/entities.ts";
import type { AccessOf } from "../../../data/queries/access.queries.ts";
import { t } from "../../../messages/t.ts";

/** The models that a rule applies to, and their current rule. */
export type AccessTarget = { of: AccessOf; what: string; users: ModelUsers | null };

/** The users allowed by a rule, in a few words: "everyone", "2 people, one project". */
export function usersText(users: ModelUsers | null): string {
  if (users === null) return t("access.words.inherit");
  if (users.who !== "these") return t(`access.words.${users.who}`);
  const { userIds, projectIds } = users;
  const parts = [
    userIds.length > 0 && t("access.words.people", { count: userIds.length }),
    projectIds.length > 0 && t("access.words.projects", { count: projectIds.length }),
  ];
  return parts.filter(Boolean).join(", ") || t("access.words.admins");
}
