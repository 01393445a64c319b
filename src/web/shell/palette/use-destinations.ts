import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { BookText, Folder, MessageCircle, Settings2, Shield } from "lucide-react";
import { promptTasks } from "../../components/making/prompt-tasks.ts";
import { taskIcon } from "../../components/model/task-icon.ts";
import { offeredTasksQuery } from "../../data/queries/models.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { type Entry, parseIntent } from "./entries.ts";

const settings = [
  "profile",
  "appearance",
  "defaults",
  "notices",
  "security",
  "keys",
  "connections",
] as const;
const admin = [
  "people",
  "projects",
  "connections",
  "models",
  "aliases",
  "keys",
  "budgets",
  "storage",
  "backups",
  "audit",
  "health",
] as const;

/** The sections of the settings, the project's page and the API reference, found by typing. */
export function useDestinations(): Entry[] {
  const { user, project } = useSession();
  const navigate = useNavigate();
  return [
    ...settings.map((section) => ({
      id: `settings:${section}`,
      title: t(`palette.settings.${section}`),
      hint: t("screen.settings"),
      icon: Settings2,
      keywords: [t("screen.settings")],
      run: () => void navigate({ to: "/settings/$section", params: { section } }),
    })),
    ...(isAdmin(user) ? admin : []).map((section) => ({
      id: `admin:${section}`,
      title: t(`palette.admin.${section}`),
      hint: t("screen.admin"),
      icon: Shield,
      keywords: [t("screen.admin"), t("screen.settings")],
      run: () => void navigate({ to: "/admin/$section", params: { section } }),
    })),
    {
      id: "project-settings",
      title: t("palette.project", { name: project.name }),
      icon: Folder,
      run: () => void navigate({ to: "/projects/$id", params: { id: project.id } }),
    },
    {
      id: "docs",
      title: t("palette.docs"),
      icon: BookText,
      run: () => void navigate({ to: "/docs" }),
    },
  ];
}

/**
 * Acts that start with the typed text: Home's composer receives it and shows the price before
 * anything is made.
 */
export function useIntents(query: string): { entries: Entry[]; isMeant: boolean } {
  const { project } = useSession();
  const navigate = useNavigate();
  const offered = useQuery(offeredTasksQuery(project.id)).data ?? [];
  const { verb, text } = parseIntent(query);
  if (text === "" || project.role === "viewer") return { entries: [], isMeant: false };
  const begin = (kind: string) => void navigate({ to: "/", search: { kind, text } });
  const ask: Entry = {
    id: "wish:ask",
    title: t("palette.ask", { text }),
    icon: MessageCircle,
    run: () => begin("chat"),
  };
  const make = promptTasks
    .filter((task) => offered.includes(task) && (task === "image" || verb === "make"))
    .map(
      (task): Entry => ({
        id: `wish:${task}`,
        title: t(`palette.make.${task}`, { text }),
        icon: taskIcon(task),
        ...(task === "image" && { shortcut: "mod+enter" }),
        run: () => begin(task),
      }),
    );
  return { entries: verb === "ask" ? [ask, ...make] : [...make, ask], isMeant: verb !== null };
}
