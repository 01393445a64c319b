import { useSession, useShellData } from "../data/shell-data.ts";
import { t } from "../messages/t.ts";
import { AccountMenu } from "./account-menu.tsx";
import { listNav } from "./nav.ts";
import { NavLink } from "./nav-link.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";
import styles from "./rail.module.css";

/** The left edge of every screen: the project, the screens, the account. */
export function Rail() {
  const { user } = useSession();
  const { attention } = useShellData();
  const items = listNav(user);
  const link = (place: "main" | "end") =>
    items
      .filter((item) => item.place === place)
      .map((item) => (
        <NavLink
          key={item.screen}
          item={item}
          look="rail"
          attention={item.screen === "activity" ? attention : 0}
        />
      ));
  return (
    <nav className={styles.rail} aria-label={t("shell.nav")}>
      <ProjectSwitcher />
      {link("main")}
      <div className={styles.gap} />
      {link("end")}
      <AccountMenu />
    </nav>
  );
}
