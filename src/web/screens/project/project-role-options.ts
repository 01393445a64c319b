import type { ProjectRole } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import type { SelectOption } from "../../ui/controls/select-props.ts";

// Written out: the contract's own list would bring zod into the page, which tries eval and weighs 40 KB.
const projectRoles = ["manager", "editor", "viewer"] as const satisfies readonly ProjectRole[];

export const projectRoleOptions = (): SelectOption<ProjectRole>[] =>
  projectRoles.map((role) => ({
    value: role,
    label: t(`role.${role}`),
    detail: t(`project.role.${role}`),
  }));
