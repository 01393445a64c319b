import { CloudOff, Download } from "lucide-react";
import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { useFetchOutputs } from "../../data/queries/activity.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatExact, formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { NoticeCard } from "../../ui/display/notice-card.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./missing-outputs.module.css";

/**
 * The outputs that an ended run was billed for but didn't deliver, with another download attempt
 * while their address may still work.
 */
export function MissingOutputs({
  run,
  outputs,
}: {
  run: Run;
  outputs: RouteOutput<"getRun">["outputs"];
}) {
  const { project } = useSession();
  const now = useNow();
  const toast = useToast();
  const fetching = useFetchOutputs();
  const missing = outputs.filter(({ state }) => state === "lost" || state === "promised");
  if (missing.length === 0) return null;
  const count = missing.length;
  const until = Math.max(...missing.map(({ expiresAt }) => expiresAt ?? 0));
  const isKept = until > now;
  const paid =
    run.costMicros === null
      ? t("run.missing.unpriced", { count })
      : t("run.missing.paid", { count, amount: formatMoney(run.costMicros) });
  const end = isKept
    ? t("run.missing.until", { count, when: formatExact(until) })
    : t("run.missing.gone", { count });
  const start = () =>
    fetching.mutate(run.id, {
      onSuccess: ({ stored }) =>
        stored > 0 && toast({ text: t("run.missing.came", { count: stored }) }),
    });
  return (
    <div className={styles.missing}>
      <NoticeCard
        icon={CloudOff}
        tone="warn"
        title={t("run.missing", { count })}
        text={`${paid} ${end}`}
        details={
          <>
            <p role="status" className={styles.reason}>
              {fetching.data?.reason && t("run.missing.still", { reason: fetching.data.reason })}
            </p>
            {fetching.error && <ErrorState compact error={fetching.error} />}
          </>
        }
      >
        {isKept && project.role !== "viewer" && (
          <Button icon={Download} busy={fetching.isPending} onClick={start}>
            {t("run.missing.fetch")}
          </Button>
        )}
      </NoticeCard>
    </div>
  );
}
