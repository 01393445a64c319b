import { Link } from "@tanstack/react-router";
import { Unplug } from "lucide-react";
import type { Connection } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { isAdmin, useSession } from "../../shell/shell-data.ts";
import { buttonClass } from "../../ui/button.tsx";
import styles from "./home.module.css";

/** A connection that fails and that this person can mend. */
export function ConnectionCard({ connection }: { connection: Connection }) {
  const { user } = useSession();
  const to = connection.scope === "instance" && isAdmin(user) ? "/admin/$section" : "/settings/$section";
  return (
    <article className={styles.card}>
      <Unplug aria-hidden className={styles.bad} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t("home.needs.connection", { name: connection.name })}</h3>
        <p className={styles.cardText}>{connection.statusDetail || t("home.needs.connection.text")}</p>
        <Link to={to} params={{ section: "connections" }} search={{ connection: connection.id }} className={buttonClass()}>
          {t("home.needs.connection.open")}
        </Link>
      </div>
    </article>
  );
}
