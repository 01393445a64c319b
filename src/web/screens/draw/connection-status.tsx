import type { ModelDetail } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { BudgetLink } from "../../components/budgets/budget-link.tsx";
import { pricesText } from "../../components/model/price-text.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import type { ConnectionState } from "./connection/canvas-connection.ts";
import styles from "./draw.module.css";

const ms = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

/**
 * The session's status, latency and cost. Announced when the status changes, not with each frame.
 */
export function ConnectionStatusBar({
  connection,
  model,
  onReconnect,
}: {
  connection: ConnectionState;
  model: ModelDetail | null;
  onReconnect: () => void;
}) {
  const { status, frame, money, endedMicros, reason } = connection;
  return (
    <div className={styles.status}>
      <span className={styles.state} data-status={status} role="status">
        {status === "resting" && reason
          ? `${reason} ${t("draw.status.resting")}`
          : t(`draw.status.${status}`)}
      </span>
      {status === "lost" && (
        <Button size="small" onClick={onReconnect}>
          {t("draw.status.reconnect")}
        </Button>
      )}
      {frame && (
        <span data-tooltip={t("draw.latency.hint")}>
          {t("draw.latency", {
            total: ms(frame.roundTripMs),
            model: ms(frame.modelMs),
            own: ms(frame.ownMs),
          })}
        </span>
      )}
      <span className={styles.space} />
      {money && (money.costMicros !== 0 || money.heldMicros > 0) ? (
        <span>
          {money.costMicros === null
            ? t("draw.cost.unknown")
            : t("draw.cost", { amount: formatMoney(money.costMicros) })}
          {money.heldMicros > 0 &&
            ` · ${t("draw.cost.held", { amount: formatMoney(Math.max(0, money.heldMicros - (money.costMicros ?? 0))) })}`}
        </span>
      ) : (
        model && <span>{pricesText(model.prices)}</span>
      )}
      {(endedMicros === null ? !isFree(model?.prices ?? []) : endedMicros > 0) && (
        <span>
          {t("draw.cost.before", {
            amount: endedMicros === null ? t("money.unknown") : formatMoney(endedMicros),
          })}
        </span>
      )}
    </div>
  );
}

/** The session's error, and what was saved. */
export function ConnectionProblem({
  connection,
  onStart,
}: {
  connection: ConnectionState;
  onStart: () => void;
}) {
  const { problem, refusal, isEnding, status } = connection;
  if (problem && isEnding)
    return (
      <ErrorState
        compact
        error={problem}
        safe={t("draw.ending")}
        action={<BudgetLink error={problem} />}
      />
    );
  if (problem && status === "stopped")
    return (
      <ErrorState
        compact
        error={problem}
        safe={t("draw.safe")}
        onRetry={onStart}
        action={<BudgetLink error={problem} />}
      />
    );
  return refusal ? <ErrorState compact error={refusal} /> : null;
}
