import { Link } from "@tanstack/react-router";
import { Check, LogOut, Plus, Users } from "lucide-react";
import { useSession } from "../data/shell-data.ts";
import { useCommandRegistry } from "../frame/commands.tsx";
import { t } from "../messages/t.ts";
import { Avatar } from "../ui/display/avatar.tsx";
import type { NavItem } from "./nav.ts";
import { NavLink } from "./nav-link.tsx";
import { newProjectCommand } from "./palette/shell-commands.tsx";
import styles from "./rail.module.css";

/** On a phone: the screens that don't fit in the bar, the projects, and the account. */
export function MoreList({
  items,
  attention,
  close,
}: {
  items: NavItem[];
  attention: number;
  close: () => void;
}) {
  const { projects, project, setProject, signOut } = useSession();
  const commands = useCommandRegistry();
  return (
    <div className={styles.more}>
      {items.map((item) => (
        <NavLink
          key={item.screen}
          item={item}
          look="list"
          attention={item.screen === "activity" ? attention : 0}
          onClick={close}
        />
      ))}
      <h3 className={styles.moreHeading}>{t("shell.project.heading")}</h3>
      {projects.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className={styles.moreItem}
          aria-current={id === project.id || undefined}
          onClick={() => {
            setProject(id);
            close();
          }}
        >
          <Avatar name={name} size={20} shape="square" />
          <span className={styles.moreText}>{name}</span>
          {id === project.id && <Check aria-hidden />}
        </button>
      ))}
      <Link
        to="/projects/$id"
        params={{ id: project.id }}
        className={styles.moreItem}
        onClick={close}
      >
        <Users aria-hidden />
        <span className={styles.moreText}>{t("shell.project.open", { name: project.name })}</span>
      </Link>
      <button
        type="button"
        className={styles.moreItem}
        onClick={() => {
          close();
          commands.run(newProjectCommand);
        }}
      >
        <Plus aria-hidden />
        <span className={styles.moreText}>{t("shell.project.new")}</span>
      </button>
      <h3 className={styles.moreHeading}>{t("shell.account.heading")}</h3>
      <button type="button" className={styles.moreItem} onClick={signOut}>
        <LogOut aria-hidden />
        <span className={styles.moreText}>{t("shell.account.signOut")}</span>
      </button>
    </div>
  );
}
