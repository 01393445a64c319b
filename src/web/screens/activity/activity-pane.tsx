import { useInfiniteQuery } from "@tanstack/react-query";
import { ListFilter, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { membersQuery } from "../../data/queries/project.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { useActs, useElementAct } from "../../frame/act-button.tsx";
import { PaneHeading, PaneList, PaneRow, PaneSearch } from "../../frame/pane.tsx";
import { t } from "../../messages/t.ts";
import { useSettled } from "../../ui/use-settled.ts";
import { type ActivityFilter, shownStates, shownText } from "./activity-filter.ts";

/** Activity's pane: its search, the states of runs, and whose they are. */
export function ActivityPane({ shown, filter, set }: ActivityFilter) {
  const { user, project } = useSession();
  const members = useInfiniteQuery(membersQuery(project.id, {}));
  const others = (members.data?.pages ?? [])
    .flatMap((page) => page.members)
    .filter(({ userId }) => userId !== user.id);
  useActs(
    shownStates
      .filter((name) => name !== shown)
      .map((name) => ({
        id: `activity.show.${name}`,
        title: t("activity.show", { name: shownText(name) }),
        icon: ListFilter,
        run: () => set({ show: name === "all" ? null : name }),
      })),
  );
  const person = (id: string | null, name: string) => (
    <PaneRow
      key={id}
      link={
        <button
          type="button"
          aria-current={(filter.createdBy ?? null) === id ? "page" : undefined}
          onClick={() => set({ by: id })}
        />
      }
    >
      {name}
    </PaneRow>
  );
  return (
    <>
      <RunSearch q={filter.q ?? ""} onSearch={(q) => set({ q: q || null })} />
      <PaneList label={t("activity.states")}>
        {shownStates.map((name) => (
          <PaneRow
            key={name}
            link={
              <button
                type="button"
                aria-current={name === shown ? "page" : undefined}
                onClick={() => set({ show: name === "all" ? null : name })}
              />
            }
          >
            {shownText(name)}
          </PaneRow>
        ))}
      </PaneList>
      {others.length > 0 && (
        <PaneList label={t("activity.people")}>
          <PaneHeading>{t("activity.people")}</PaneHeading>
          {person(null, t("activity.people.everyone"))}
          {person(user.id, t("activity.people.you"))}
          {others.map(({ userId, name }) => person(userId, name))}
        </PaneList>
      )}
    </>
  );
}

/** Writes the search to the address after a pause, so that typing makes one request. */
function RunSearch({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  const settled = useSettled(typed.trim());
  const field = useElementAct<HTMLInputElement>(
    { id: "activity.search", title: t("activity.search"), icon: Search, shortcut: "/" },
    "focus",
  );
  if (q !== known) {
    // The address was changed by a link or the back button.
    setKnown(q);
    if (q !== typed.trim()) setTyped(q);
  }
  useEffect(() => {
    if (settled === typed.trim() && settled !== q) onSearch(settled);
  }, [settled, typed, q, onSearch]);
  return (
    <PaneSearch
      ref={field}
      label={t("activity.search")}
      value={typed}
      onValueChange={setTyped}
      maxLength={200}
    />
  );
}
