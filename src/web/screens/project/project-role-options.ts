import type { ProjectRole } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import type { SelectOption } from "../../ui/controls/select-props.ts";

// Not imported from the contract: its file adds 40 KB of zod, which tries eval.
const projectRoles = ["manager", "editor", "viewer"] as const satisfies readonly ProjectRole[];

export const projectRoleOptions = (): SelectOption<ProjectRole>[] =>
  projectRoles.map((role) => ({
    value: role,
    label: t(`role.${role}`),
    detail: t(`project.role.${role}`),
  }));
