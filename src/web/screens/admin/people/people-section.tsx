import { useInfiniteQuery } from "@tanstack/react-query";
import { Search, UserPlus } from "lucide-react";
import { useState } from "react";
import { ShownOnceDialog } from "../../../components/shown-once/shown-once-dialog.tsx";
import {
  type CreatedLink,
  type ListedPerson,
  peopleQuery,
} from "../../../data/queries/people.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { ActionButton, useElementAction } from "../../../frame/action-button.tsx";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { useSectionParts } from "../../../frame/sectioned-screen.tsx";
import { formatCount, formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { List } from "../../../ui/lists/list.tsx";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { ListSearch } from "../../../ui/lists/list-search.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { PopupPart } from "../../../ui/part.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import { AddPersonDialog } from "./add-person-dialog.tsx";
import { HandOverDialog } from "./hand-over-dialog.tsx";
import { InviteList } from "./invite-list.tsx";
import { PersonRow } from "./person-row.tsx";

const DeletePerson = lazyPart(
  () =>
    import("../../../components/deletion/delete-person.tsx").then(
      ({ DeletePerson }) => DeletePerson,
    ),
  "deletion",
);

/** The people of the instance, and unused links. */
export function PeopleSection() {
  const [sought] = useSearchValue("q");
  const [search, setSearch] = useState(sought ?? "");
  const q = useDebounced(search.trim());
  const searchField = useElementAction<HTMLInputElement>(
    { id: "people.search", title: t("people.search"), icon: Search, shortcut: "/" },
    "focus",
  );
  const people = useInfiniteQuery(peopleQuery({ ...(q && { q }) }));
  const [adding, setAdding] = useSearchValue("add");
  const [link, setLink] = useState<CreatedLink | null>(null);
  const [handingOver, setHandingOver] = useState<ListedPerson | null>(null);
  const [deleting, setDeleting] = useState<string | null>(null);
  const pages = people.data?.pages ?? [];
  const list = pages.flatMap((page) => page.people);
  const add = (
    <ActionButton
      action="people.add"
      variant="primary"
      icon={UserPlus}
      onClick={() => setAdding("person")}
    >
      {t("people.add")}
    </ActionButton>
  );
  useSectionParts({ actions: add });
  return (
    <>
      <PageColumn>
        <PageSection title={t("people.title")} aside={pages[0] && formatCount(pages[0].count)}>
          <ListSearch
            ref={searchField}
            label={t("people.search")}
            count={people.isPlaceholderData ? undefined : pages[0]?.count}
            value={search}
            onValueChange={setSearch}
          />
          <ListState query={people} rows={4} none={list.length === 0 && t("people.none")} />
          {list.length > 0 && (
            <List label={t("people.title")}>
              {list.map((person) => (
                <PersonRow
                  key={person.id}
                  person={person}
                  onLink={setLink}
                  onHandOver={() => setHandingOver(person)}
                  onDelete={() => setDeleting(person.id)}
                />
              ))}
            </List>
          )}
          <ListMore query={people} />
        </PageSection>
        <InviteList invites={pages[0]?.invites ?? []} />
      </PageColumn>
      <AddPersonDialog
        isOpen={adding === "person"}
        onClose={() => setAdding(null)}
        onCreated={(made) => {
          setAdding(null);
          setLink(made);
        }}
      />
      <LinkDialog made={link} onClose={() => setLink(null)} />
      {deleting && (
        <PopupPart open onClose={() => setDeleting(null)}>
          <DeletePerson userId={deleting} onClose={() => setDeleting(null)} />
        </PopupPart>
      )}
      <HandOverDialog from={handingOver} onClose={() => setHandingOver(null)} />
    </>
  );
}

/** A one-time link for joining or for a new password. */
function LinkDialog({ made, onClose }: { made: CreatedLink | null; onClose: () => void }) {
  return (
    <ShownOnceDialog
      value={made?.link ?? null}
      title={
        made
          ? t(made.invite.kind === "join" ? "people.link.join" : "people.link.password", {
              email: made.invite.email,
            })
          : ""
      }
      description={made && t("people.link.once", { when: formatExact(made.invite.expiresAt) })}
      label={t("people.link.label")}
      copy={t("people.link.copy")}
      copied={t("people.link.copied")}
      onClose={onClose}
    />
  );
}
