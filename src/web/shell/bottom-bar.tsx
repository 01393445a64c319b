import { Link } from "@tanstack/react-router";
import { Check, Ellipsis, LogOut, Plus, Users } from "lucide-react";
import { useState } from "react";
import { t } from "../messages/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { useCommandRegistry } from "./commands.tsx";
import { listNav, type NavItem } from "./nav.ts";
import { NavLink } from "./nav-link.tsx";
import styles from "./rail.module.css";
import { newProjectCommand } from "./shell-commands.tsx";
import { useSession, useShellData } from "./shell-data.ts";

/** A phone's navigation: up to four screens, and the rest under "More". */
export function BottomBar() {
  const { user } = useSession();
  const { attention } = useShellData();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const items = listNav(user);
  const inBar = items.filter(({ isOnPhone }) => isOnPhone).slice(0, 4);
  const rest = items.filter((item) => !inBar.includes(item));
  const more = attention > 0 ? t("shell.attention", { name: t("shell.more"), count: attention }) : undefined;
  return (
    <>
      <nav className={styles.bar} aria-label={t("shell.nav")}>
        {inBar.map((item) => (
          <NavLink key={item.screen} item={item} look="bar" />
        ))}
        <button
          type="button"
          className={styles.tab}
          aria-haspopup="dialog"
          aria-expanded={isMoreOpen}
          aria-label={more}
          onClick={() => setMoreOpen(true)}
        >
          <Ellipsis aria-hidden />
          {attention > 0 && <span className={styles.dot} />}
          <span>{t("shell.more")}</span>
        </button>
      </nav>
      <Sheet open={isMoreOpen} onOpenChange={setMoreOpen} title={user.name}>
        <More items={rest} attention={attention} close={() => setMoreOpen(false)} />
      </Sheet>
    </>
  );
}

function More({ items, attention, close }: { items: NavItem[]; attention: number; close: () => void }) {
  const { projects, project, setProject, signOut } = useSession();
  const commands = useCommandRegistry();
  return (
    <div className={styles.more}>
      {items.map((item) => (
        <NavLink key={item.screen} item={item} look="list" attention={item.screen === "activity" ? attention : 0} onClick={close} />
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
      <Link to="/projects/$id" params={{ id: project.id }} className={styles.moreItem} onClick={close}>
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
