import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlarmClock } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import { formatMoment } from "../../components/run/resolve/unconfirmed-facts.ts";
import { useRunTitle } from "../../components/run/run-title.ts";
import { useModelName } from "../../data/queries/activity.queries.ts";
import { runQuery } from "../../data/queries/shared.queries.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { NoticeCard } from "../../ui/display/notice-card.tsx";
import { useNow } from "../../ui/display/time.tsx";

/** A run with a paid result that is not saved yet and that the provider deletes soon. */
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
    <NoticeCard icon={AlarmClock} tone="warn" title={t("run.expiring")} text={text}>
      <Link to="/activity/$runId" params={{ runId: run.id }} className={buttonClass()}>
        {t("home.needs.look")}
      </Link>
    </NoticeCard>
  );
}
