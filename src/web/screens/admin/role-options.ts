import { type InstanceRole, instanceRoles } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import type { SelectOption } from "../../ui/select.tsx";

/** Roles that this person may give: only an owner makes another owner. */
export const roleOptions = (mine: InstanceRole): SelectOption<InstanceRole>[] =>
  instanceRoles
    .filter((role) => role !== "owner" || mine === "owner")
    .map((role) => ({ value: role, label: t(`role.${role}`), detail: t(`people.role.${role}`) }));
