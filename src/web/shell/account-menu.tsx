import { useNavigate } from "@tanstack/react-router";
import { LogOut, Monitor, Moon, Settings2, Sun } from "lucide-react";
import { useAppearance } from "../data/saved/appearance.ts";
import { useSession } from "../data/shell-data.ts";
import { t } from "../messages/t.ts";
import { Avatar } from "../ui/display/avatar.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import type { MenuEntry } from "../ui/overlays/menu-popup.tsx";
import styles from "./rail.module.css";

/** The menu at the rail's bottom: theme, settings, signing out. */
export function AccountMenu() {
  const { user, signOut } = useSession();
  const [{ theme }, setAppearance] = useAppearance();
  const navigate = useNavigate();
  const entries: MenuEntry[] = [
    { heading: user.email },
    { label: t("screen.settings"), icon: Settings2, onSelect: () => navigate({ to: "/settings" }) },
    { separator: true },
    {
      label: t("shell.theme.system"),
      icon: Monitor,
      checked: theme === "system",
      onSelect: () => setAppearance({ theme: "system" }),
    },
    {
      label: t("shell.theme.light"),
      icon: Sun,
      checked: theme === "light",
      onSelect: () => setAppearance({ theme: "light" }),
    },
    {
      label: t("shell.theme.dark"),
      icon: Moon,
      checked: theme === "dark",
      onSelect: () => setAppearance({ theme: "dark" }),
    },
    { separator: true },
    { label: t("shell.account.signOut"), icon: LogOut, onSelect: signOut },
  ];
  return (
    <Menu
      label={t("shell.account", { name: user.name })}
      side="right"
      align="end"
      entries={entries}
      trigger={
        <button
          type="button"
          className={styles.account}
          aria-label={t("shell.account", { name: user.name })}
          data-tooltip={user.name}
          data-tooltip-side="right"
        >
          <Avatar name={user.name} src={user.image} />
        </button>
      }
    />
  );
}
