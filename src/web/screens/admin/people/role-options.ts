import type { InstanceRole } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import type { SelectOption } from "../../../ui/controls/select-props.ts";

// Not imported from the contract: its file brings 40 KB of zod, which tries eval.
const instanceRoles = ["owner", "admin", "member"] as const satisfies readonly InstanceRole[];

/** The roles that this person can assign: only owners can make someone an owner. */
export const roleOptions = (mine: InstanceRole): SelectOption<InstanceRole>[] =>
  instanceRoles
    .filter((role) => role !== "owner" || mine === "owner")
    .map((role) => ({ value: role, label: t(`role.${role}`), detail: t(`people.role.${role}`) }));
