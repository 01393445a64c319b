import { Link } from "@tanstack/react-router";
import { t } from "../messages/t.ts";
import type { NavItem } from "./nav.ts";
import styles from "./rail.module.css";

type NavLinkProps = {
  item: NavItem;
  /** `rail` shows only the icon, `bar` adds a short name, `list` is a row. */
  look: "rail" | "bar" | "list";
  /** The number of items that need the person. */
  attention?: number;
  onClick?: () => void;
};

const looks = { rail: styles.link, bar: styles.tab, list: styles.moreItem };

/** A link to a screen. The router marks it with aria-current on that screen and below it. */
export function NavLink({ item, look, attention = 0, onClick }: NavLinkProps) {
  const { icon: Icon, title, path, shortcut } = item;
  const name = t(title);
  const fullName = attention > 0 ? t("shell.attention", { name, count: attention }) : name;
  const isRail = look === "rail";
  return (
    <Link
      to={path}
      activeOptions={{ exact: path === "/" }}
      preload="intent"
      className={looks[look]}
      aria-label={isRail || attention > 0 ? fullName : undefined}
      data-tooltip={isRail ? name : undefined}
      data-tooltip-side="right"
      data-tooltip-keys={isRail ? shortcut : undefined}
      onClick={onClick}
    >
      <Icon aria-hidden />
      {attention > 0 && <span className={styles.dot} />}
      {look === "bar" && <span>{name}</span>}
      {look === "list" && <span className={styles.moreText}>{name}</span>}
    </Link>
  );
}
