import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelUsers } from "#contract/entities.ts";
import { modelUsersQuery } from "../../../data/queries/access.queries.ts";
import { payersQuery } from "../../../data/queries/budgets.queries.ts";
import { t } from "../../../messages/t.ts";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { ListSearch } from "../../../ui/lists/list-search.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import type { AccessTarget } from "./model-users-text.ts";
import styles from "./models-section.module.css";

export type Chosen = Pick<Extract<ModelUsers, { who: "these" }>, "userIds" | "projectIds">;
type Named = { id: string; name: string; detail: string };

const kinds = [
  { kind: "people", scope: "user", ids: "userIds" },
  { kind: "projects", scope: "project", ids: "projectIds" },
] as const;
type Kind = (typeof kinds)[number];

type PickerProps = {
  target: AccessTarget;
  chosen: Chosen;
  onChosen: (chosen: Chosen) => void;
};

/**
 * People and projects to choose from, in pages and by search. Those in the rule and those selected
 * here come first.
 */
export function ModelUsersPicker({ target, chosen, onChosen }: PickerProps) {
  const [search, setSearch] = useState("");
  const q = useDebounced(search.trim());
  const named = useQuery(modelUsersQuery(ruleOf(target)));
  const found = {
    people: useInfiniteQuery(payersQuery({ scope: "user", ...(q && { q }) })),
    projects: useInfiniteQuery(payersQuery({ scope: "project", ...(q && { q }) })),
  };
  // Selected rows stay visible when the search that found them is cleared.
  const [touched, setTouched] = useState<Record<Kind["kind"], Named[]>>({
    people: [],
    projects: [],
  });
  const toggle = ({ kind, ids }: Kind, one: Named, on: boolean) => {
    onChosen({
      ...chosen,
      [ids]: on ? [...chosen[ids], one.id] : chosen[ids].filter((id) => id !== one.id),
    });
    setTouched({ ...touched, [kind]: unique([...touched[kind], one]) });
  };
  const groups = kinds.map((group) => {
    const pages = (found[group.kind].data?.pages ?? []).flatMap((page) => page.payers);
    const first = q ? [] : [...(named.data?.[group.kind] ?? []), ...touched[group.kind]];
    return { group, query: found[group.kind], list: unique([...first, ...pages]) };
  });
  const isLoaded = groups.every(({ query }) => query.data && !query.isPlaceholderData);
  const count = groups.reduce((sum, { query }) => sum + (query.data?.pages[0]?.count ?? 0), 0);
  return (
    <>
      <ListSearch
        className={styles.find}
        label={t("access.find")}
        value={search}
        onValueChange={setSearch}
        count={isLoaded ? count : undefined}
      />
      <p className={styles.hint}>
        {t("access.models.selected", { count: chosen.userIds.length + chosen.projectIds.length })}
      </p>
      <ListState query={named} rows={1} />
      {isLoaded && groups.every(({ list }) => list.length === 0) && (
        <p className={styles.hint}>{t("access.find.none")}</p>
      )}
      {groups.map(({ group, query, list }) => (
        <div key={group.kind}>
          <ListState query={query} rows={2} />
          {list.length > 0 && (
            <fieldset className={styles.group}>
              <legend>{t(`access.${group.kind}`)}</legend>
              {list.map((one) => (
                <Checkbox
                  key={one.id}
                  label={one.name}
                  hint={one.detail}
                  checked={chosen[group.ids].includes(one.id)}
                  onCheckedChange={(on) => toggle(group, one, on)}
                />
              ))}
              <ListMore query={query} of={t(`access.${group.kind}`)} />
            </fieldset>
          )}
        </div>
      ))}
    </>
  );
}

/**
 * The model or connection whose rule names people or projects; a rule for several targets names
 * none yet.
 */
function ruleOf({ of, users }: AccessTarget) {
  if (users?.who !== "these") return null;
  if ("connectionId" in of) return { connectionId: of.connectionId };
  return "models" in of && of.models[0] ? of.models[0] : null;
}

const unique = (list: readonly Named[]): Named[] => [
  ...new Map(list.map((one) => [one.id, one])).values(),
];
