import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { useSession, useShellData } from "../data/shell-data.ts";
import { t } from "../messages/t.ts";
import { SkeletonText } from "../ui/display/skeleton.tsx";
import { lazyPart } from "../ui/lazy-part.ts";
import { Sheet } from "../ui/overlays/sheet.tsx";
import { Part } from "../ui/part.tsx";
import { listNav } from "./nav.ts";
import { NavLink } from "./nav-link.tsx";
import styles from "./rail.module.css";

const MoreList = lazyPart(() => import("./more-list.tsx").then(({ MoreList }) => MoreList));

/** A phone's navigation: up to four screens, with the rest under "More". */
export function BottomBar() {
  const { user } = useSession();
  const { attention } = useShellData();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const items = listNav(user);
  const inBar = items.filter(({ isOnPhone }) => isOnPhone).slice(0, 4);
  const rest = items.filter((item) => !inBar.includes(item));
  const more =
    attention > 0 ? t("shell.attention", { name: t("shell.more"), count: attention }) : undefined;
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
        <Part fallback={<SkeletonText lines={6} />}>
          <MoreList items={rest} attention={attention} close={() => setMoreOpen(false)} />
        </Part>
      </Sheet>
    </>
  );
}
