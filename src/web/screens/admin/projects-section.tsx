import { useInfiniteQuery } from "@tanstack/react-query";
import { Folder, Search, Trash2 } from "lucide-react";
import { useState } from "react";
import { DeleteProject } from "../../components/deletion/delete-project.tsx";
import { DeletedProjects } from "../../components/deletion/deleted-projects.tsx";
import { adminProjectsQuery } from "../../data/queries/people.queries.ts";
import { useElementAction } from "../../frame/action-button.tsx";
import { useRowActions } from "../../frame/action-menu.tsx";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { List, ListRow } from "../../ui/lists/list.tsx";
import { ListMore } from "../../ui/lists/list-more.tsx";
import { ListSearch } from "../../ui/lists/list-search.tsx";
import { ListState } from "../../ui/lists/list-state.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";

/** All projects by name, each of which an admin can delete, and those that can be restored. */
export function ProjectsSection() {
  const [search, setSearch] = useState("");
  const q = useDebounced(search.trim());
  const [deleting, setDeleting] = useState<string | null>(null);
  const searchField = useElementAction<HTMLInputElement>(
    { id: "admin.projects.search", title: t("deletion.search"), icon: Search, shortcut: "/" },
    "focus",
  );
  const found = useInfiniteQuery(adminProjectsQuery({ ...(q && { q }) }));
  const pages = found.data?.pages ?? [];
  const projects = pages.flatMap((page) => page.projects);
  return (
    <PageColumn>
      <PageSection
        title={t("deletion.projects")}
        aside={pages[0] && formatCount(pages[0].count)}
        intro={t("deletion.projects.intro")}
      >
        <ListSearch
          ref={searchField}
          label={t("deletion.search")}
          count={found.isPlaceholderData ? undefined : pages[0]?.count}
          value={search}
          onValueChange={setSearch}
        />
        <ListState query={found} rows={4} none={projects.length === 0 && t("deletion.none")} />
        {projects.length > 0 && (
          <List label={t("deletion.projects")}>
            {projects.map(({ id, ...project }) => (
              <ProjectRow key={id} {...project} onDelete={() => setDeleting(id)} />
            ))}
          </List>
        )}
        <ListMore query={found} />
      </PageSection>
      <DeletedProjects />
      {deleting && <DeleteProject projectId={deleting} asAdmin onClose={() => setDeleting(null)} />}
    </PageColumn>
  );
}

type ProjectRowProps = { name: string; ownerName: string; onDelete: () => void };

function ProjectRow({ name, ownerName, onDelete }: ProjectRowProps) {
  const at = useRowActions<HTMLButtonElement>(name, [
    { id: "delete", title: t("deletion.project.submit"), icon: Trash2, run: onDelete },
  ]);
  return (
    <ListRow
      start={<Folder aria-hidden />}
      title={name}
      detail={t("deletion.owner", { name: ownerName })}
      end={
        <IconButton
          ref={at}
          icon={Trash2}
          label={t("deletion.delete.named", { name })}
          onClick={onDelete}
        />
      }
    />
  );
}
