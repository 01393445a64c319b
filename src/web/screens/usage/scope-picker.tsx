import type { UsageScope } from "../../data/queries/usage.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { t } from "../../messages/t.ts";
import { Select } from "../../ui/controls/select.tsx";
import styles from "./usage.module.css";

const mine = "mine";
const instance = "instance";

/**
 * The scope in the address: by default the person's projects. Only admins can see other projects.
 */
export function scopeOf(
  text: string | undefined,
  projects: readonly { id: string }[],
  isAnAdmin: boolean,
): UsageScope {
  if (text === undefined || text === mine) return { asAdmin: false };
  if (text === instance) return { asAdmin: isAnAdmin };
  return { asAdmin: isAnAdmin && !projects.some(({ id }) => id === text), projectId: text };
}

/** Chooses all of the person's projects, one project, or for admins the whole instance. */
export function ScopePicker({ value }: { value: string | undefined }) {
  const { user, projects } = useSession();
  const [, setScope] = useSearchValue("scope");
  const chosen = value ?? mine;
  const options = [
    { value: mine, label: t("usage.scope.mine") },
    ...(isAdmin(user) ? [{ value: instance, label: t("usage.scope.instance") }] : []),
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
  ];
  if (!options.some((option) => option.value === chosen))
    options.push({ value: chosen, label: t("usage.scope.other") });
  return (
    <Select
      aria-label={t("usage.scope")}
      className={styles.scope}
      value={chosen}
      onValueChange={(next) => setScope(next === mine ? null : next, { push: true })}
      options={options}
    />
  );
}
