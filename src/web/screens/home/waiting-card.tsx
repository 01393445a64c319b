import { Link } from "@tanstack/react-router";
import { CirclePause } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { GoOnWithAll } from "../../components/run/waiting-shelf.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import styles from "./home.module.css";

/** Runs that wait since this Bottega was restored or copied, and go on when this person says so. */
export function WaitingCard({ runs }: { runs: readonly Run[] }) {
  return (
    <article className={styles.card}>
      <CirclePause aria-hidden className={styles.warn} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t("home.needs.waiting", { count: runs.length })}</h3>
        <p className={styles.cardText}>{t("home.needs.waiting.restore")}</p>
        <div className={styles.cardActions}>
          <Link to="/activity" search={{ show: "open" }} className={buttonClass()}>
            {t("home.needs.waiting.look")}
          </Link>
          <GoOnWithAll count={runs.length} />
        </div>
      </div>
    </article>
  );
}
