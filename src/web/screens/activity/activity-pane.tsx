import { useInfiniteQuery } from "@tanstack/react-query";
import { ListFilter, Search, Users } from "lucide-react";
import { useEffect, useState } from "react";
import { membersQuery } from "../../data/queries/project.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { useActions, useElementAction } from "../../frame/action-button.tsx";
import { PaneHeading, PaneList, PaneRow, PaneSearch } from "../../frame/pane.tsx";
import { t } from "../../messages/t.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import { type ActivityFilter, shownStates, shownText } from "./activity-filter.ts";

/** Activity's pane: the search, the run states, and the people. */
export function ActivityPane({ shown, filter, set }: ActivityFilter) {
  const { user, project } = useSession();
  const members = useInfiniteQuery(membersQuery(project.id, {}));
  const others = (members.data?.pages ?? [])
    .flatMap((page) => page.members)
    .filter(({ userId }) => userId !== user.id);
  const people =
    others.length === 0
      ? []
      : [
          { id: null, name: t("activity.people.everyone") },
          { id: user.id, name: t("activity.people.you") },
          ...others.map(({ userId, name }) => ({ id: userId, name })),
        ];
  useActions([
    ...shownStates
      .filter((name) => name !== shown)
      .map((name) => ({
        id: `activity.show.${name}`,
        title: t("activity.show", { name: shownText(name) }),
        icon: ListFilter,
        run: () => set({ show: name === "all" ? null : name }),
      })),
    ...people
      .filter(({ id }) => id !== (filter.createdBy ?? null))
      .map(({ id, name }) => ({
        id: `activity.by.${id}`,
        title: t("activity.show", { name }),
        icon: Users,
        isFoundOnly: true,
        run: () => set({ by: id }),
      })),
  ]);
  const person = ({ id, name }: (typeof people)[number]) => (
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
      {people.length > 0 && (
        <PaneList label={t("activity.people")}>
          <PaneHeading>{t("activity.people")}</PaneHeading>
          {people.map(person)}
        </PaneList>
      )}
    </>
  );
}

/** Writes the search to the address after a pause, so that typing makes one request. */
function RunSearch({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  const settled = useDebounced(typed.trim());
  const field = useElementAction<HTMLInputElement>(
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
    <PaneSearch ref={field} label={t("activity.search")} value={typed} onValueChange={setTyped} />
  );
}
