import { useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown, Plus, Users } from "lucide-react";
import { type ShellProject, useSession } from "../data/shell-data.ts";
import { useCommandRegistry } from "../frame/commands.tsx";
import { t } from "../messages/t.ts";
import { Menu } from "../ui/overlays/menu.tsx";
import type { MenuEntry } from "../ui/overlays/menu-popup.tsx";
import { newProjectCommand } from "./palette/shell-commands.tsx";
import styles from "./rail.module.css";

/**
 * The top of the rail: the current project, which stores and pays for new work, and a menu of the
 * others.
 */
export function ProjectSwitcher() {
  const { projects, project, setProject } = useSession();
  const navigate = useNavigate();
  const commands = useCommandRegistry();
  const toEntry = ({ id, name }: ShellProject) => ({
    label: name,
    checked: id === project.id,
    onSelect: () => setProject(id),
  });
  const archived = projects.filter(({ archivedAt }) => archivedAt !== null);
  const entries: MenuEntry[] = [
    { heading: t("shell.project.heading") },
    ...projects.filter(({ archivedAt }) => archivedAt === null).map(toEntry),
    ...(archived.length > 0
      ? [{ heading: t("shell.project.archived") }, ...archived.map(toEntry)]
      : []),
  ];
  const open = () => navigate({ to: "/projects/$id", params: { id: project.id } });
  entries.push(
    { separator: true },
    { label: t("shell.project.open", { name: project.name }), icon: Users, onSelect: open },
    { label: t("shell.project.new"), icon: Plus, onSelect: () => commands.run(newProjectCommand) },
  );
  const name = t("shell.project.switch", { name: project.name });
  const letter = [...project.name.trim()][0]?.toUpperCase();
  return (
    <Menu
      label={t("shell.project.heading")}
      side="right"
      align="start"
      entries={entries}
      trigger={
        <button
          type="button"
          className={styles.project}
          aria-label={name}
          data-tooltip={project.name}
          data-tooltip-side="right"
        >
          {letter}
          <ChevronsUpDown aria-hidden />
        </button>
      }
    />
  );
}
