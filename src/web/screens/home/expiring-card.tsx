import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlarmClock } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { formatMoment } from "../../components/run/resolve/unconfirmed-facts.ts";
import { useRunTitle } from "../../components/run/run-row.tsx";
import { useModelName } from "../../data/queries/activity.queries.ts";
import { runQuery } from "../../data/queries/shared.queries.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { useNow } from "../../ui/display/time.tsx";
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
