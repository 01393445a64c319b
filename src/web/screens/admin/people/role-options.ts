import type { InstanceRole } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import type { SelectOption } from "../../../ui/controls/select-props.ts";

// Written out: the contract's own list would bring zod into the page, which tries eval and weighs 40 KB.
const instanceRoles = ["owner", "admin", "member"] as const satisfies readonly InstanceRole[];

/** Roles that this person may give: only an owner makes another owner. */
export const roleOptions = (mine: InstanceRole): SelectOption<InstanceRole>[] =>
  instanceRoles
    .filter((role) => role !== "owner" || mine === "owner")
    .map((role) => ({ value: role, label: t(`role.${role}`), detail: t(`people.role.${role}`) }));
