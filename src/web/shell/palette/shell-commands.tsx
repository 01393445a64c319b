import { useNavigate } from "@tanstack/react-router";
import {
  Folder,
  FolderPlus,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Rows3,
  Rows4,
  Search,
  Sun,
} from "lucide-react";
import { useState } from "react";
import { setAppearance, useAppearance } from "../../data/saved/appearance.ts";
import { useSession } from "../../data/shell-data.ts";
import { type Command, useCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Dialog, useWasOpen } from "../../ui/overlays/dialog.tsx";
import { Part, PopupPart } from "../../ui/part.tsx";
import { listNav } from "../nav.ts";
import { useShortcuts } from "./shortcuts.ts";
import { useQueryOfPalette } from "./use-query.ts";

const PaletteList = lazyPart(
  () => import("./palette-list.tsx").then(({ PaletteList }) => PaletteList),
  "palette",
);
const NewProjectDialog = lazyPart(
  () => import("../new-project-dialog.tsx").then(({ NewProjectDialog }) => NewProjectDialog),
  "newProject",
);
const ShortcutList = lazyPart(
  () => import("./shortcut-list.tsx").then(({ ShortcutList }) => ShortcutList),
  "palette",
);

/**
 * The command that opens the dialog for a new project; the project switcher and a phone's menu run
 * it too.
 */
export const newProjectCommand = "project.new";

/**
 * The palette, the list of shortcuts, the dialog for a new project, and the commands that exist on
 * every screen.
 */
export function ShellCommands() {
  const [opened, setOpened] = useState<"palette" | "shortcuts" | "project" | null>(null);
  /**
   * Counts openings, because each one reads the dialog below it again, even while the palette is
   * still closing.
   */
  const [opening, setOpening] = useState(0);
  const close = (open: boolean) => {
    if (!open) setOpened(null);
  };
  const palette = useQueryOfPalette(opened === "palette");
  useShortcuts();
  const { signOut } = useSession();
  const commands: Command[] = [
    ...useGoCommands(),
    ...useProjectCommands(),
    ...useAppearanceCommands(),
    {
      id: newProjectCommand,
      title: t("shell.project.new"),
      group: t("shell.palette.project"),
      icon: FolderPlus,
      run: () => setOpened("project"),
    },
    {
      id: "account.signOut",
      title: t("shell.account.signOut"),
      group: t("shell.palette.account"),
      icon: LogOut,
      run: signOut,
    },
    {
      id: "shell.palette",
      title: t("shell.palette"),
      group: t("shell.palette.help"),
      icon: Search,
      shortcut: "mod+k",
      isKeyOnly: true,
      isEverywhere: true,
      run: () => {
        if (opened !== "palette") setOpening(opening + 1);
        setOpened("palette");
      },
    },
    {
      id: "shell.shortcuts",
      title: t("shell.shortcuts.show"),
      group: t("shell.palette.help"),
      icon: Keyboard,
      shortcut: "?",
      run: () => setOpened("shortcuts"),
    },
  ];
  useCommands(commands, "shell");
  return (
    <>
      <Dialog
        open={opened === "palette"}
        onOpenChange={close}
        title={t("shell.palette")}
        isTitleHidden
        isBare
        size="wide"
      >
        <span data-leaves-place hidden />
        <Part>
          <PaletteList key={opening} {...palette} onChosen={() => setOpened(null)} />
        </Part>
      </Dialog>
      {useWasOpen(opened === "project") && (
        <PopupPart open={opened === "project"} onClose={() => setOpened(null)}>
          <NewProjectDialog open={opened === "project"} onOpenChange={close} />
        </PopupPart>
      )}
      <Dialog
        open={opened === "shortcuts"}
        onOpenChange={close}
        title={t("shell.shortcuts")}
        size="wide"
      >
        <Part>
          <ShortcutList />
        </Part>
      </Dialog>
    </>
  );
}

function useGoCommands(): Command[] {
  const { user } = useSession();
  const navigate = useNavigate();
  return listNav(user).map(({ screen, title, icon, path, shortcut }) => ({
    id: `go.${screen}`,
    title: t(title),
    group: t("shell.palette.go"),
    icon,
    shortcut,
    run: () => void navigate({ to: path }),
  }));
}

function useProjectCommands(): Command[] {
  const { projects, project, setProject } = useSession();
  return projects
    .filter(({ id }) => id !== project.id)
    .map(({ id, name }) => ({
      id: `open-project:${id}`,
      title: name,
      group: t("shell.palette.project"),
      icon: Folder,
      run: () => setProject(id),
    }));
}

function useAppearanceCommands(): Command[] {
  const [{ theme, density }] = useAppearance();
  const group = t("shell.palette.appearance");
  const themes = [
    { id: "theme.system", title: t("shell.theme.system"), icon: Monitor, theme: "system" },
    { id: "theme.light", title: t("shell.theme.light"), icon: Sun, theme: "light" },
    { id: "theme.dark", title: t("shell.theme.dark"), icon: Moon, theme: "dark" },
  ] as const;
  const other = density === "compact" ? "comfortable" : "compact";
  return [
    ...themes
      .filter((choice) => choice.theme !== theme)
      .map(({ theme: next, ...command }) => ({
        ...command,
        group,
        run: () => setAppearance({ theme: next }),
      })),
    {
      id: "density",
      title: t(other === "compact" ? "shell.density.compact" : "shell.density.comfortable"),
      group,
      icon: other === "compact" ? Rows4 : Rows3,
      run: () => setAppearance({ density: other }),
    },
  ];
}
