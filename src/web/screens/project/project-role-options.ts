import { type ProjectRole, projectRoles } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import type { SelectOption } from "../../ui/select.tsx";

export const projectRoleOptions = (): SelectOption<ProjectRole>[] =>
  projectRoles.map((role) => ({ value: role, label: t(`role.${role}`), detail: t(`project.role.${role}`) }));
