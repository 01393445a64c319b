import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlarmClock } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { runQuery } from "../../data/shared.queries.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/button.tsx";
import { useNow } from "../../ui/time.tsx";
import { useModelName } from "../activity/activity.queries.ts";
import { useRunTitle } from "../activity/run-row.tsx";
import { formatMoment } from "../activity/unconfirmed-facts.ts";
import styles from "./home.module.css";

/** A run whose paid result its provider deletes soon, and which has not come yet. */
export function ExpiringCard({ run }: { run: Run }) {
  const title = useRunTitle(run).slice(0, 120);
  const model = useModelName(run);
  const now = useNow();
  const { data } = useQuery(runQuery(run.id));
  const ends =
    data?.outputs.flatMap(({ state, expiresAt }) =>
      state !== "stored" && expiresAt !== null ? [expiresAt] : [],
    ) ?? [];
  const text =
    ends.length > 0
      ? t("run.expiring.text", { title, model, when: formatMoment(Math.min(...ends), now) })
      : t("run.expiring.text.soon", { title, model });
  return (
    <article className={styles.card}>
      <AlarmClock aria-hidden className={styles.warn} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t("run.expiring")}</h3>
        <p className={styles.cardText}>{text}</p>
        <div className={styles.cardActions}>
          <Link to="/activity/$runId" params={{ runId: run.id }} className={buttonClass()}>
            {t("home.needs.look")}
          </Link>
        </div>
      </div>
    </article>
  );
}
