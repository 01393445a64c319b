import { Link } from "@tanstack/react-router";
import { Unplug } from "lucide-react";
import type { Connection } from "#contract/entities.ts";
import { wayToConnection } from "../../components/connections/connection-link.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import styles from "./home.module.css";

/** A connection that fails and that this person can mend. */
export function ConnectionCard({ connection }: { connection: Connection }) {
  return (
    <article className={styles.card}>
      <Unplug aria-hidden className={styles.bad} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>
          {t("home.needs.connection", { name: connection.name })}
        </h3>
        <p className={styles.cardText}>
          {connection.statusDetail || t("home.needs.connection.text")}
        </p>
        <Link {...wayToConnection(connection)} className={buttonClass()}>
          {t("ui.connection.open", { name: connection.name })}
        </Link>
      </div>
    </article>
  );
}
