import type { Usage } from "../../data/queries/usage.queries.ts";
import { formatMoney, formatSpent } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import styles from "./bar-chart.module.css";
import { formatStep, roundAbove } from "./days.ts";

/** A bar per day or month, scaled to a round number, with its values in a tooltip. */
export function BarChart({ bars }: { bars: Usage["bars"] }) {
  const top = roundAbove(Math.max(0, ...bars.map(({ micros }) => micros)));
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return null;
  const middle = bars.length > 4 ? bars[Math.floor((bars.length - 1) / 2)] : undefined;
  const label = t("usage.chart", {
    from: formatStep(first.at, "long"),
    to: formatStep(last.at, "long"),
    most: formatMoney(top),
  });
  return (
    <figure className={styles.chart} role="img" aria-label={label}>
      <div className={styles.axis} aria-hidden>
        {[top, top / 2, 0].map((micros) => (
          <span key={micros}>{formatMoney(micros)}</span>
        ))}
      </div>
      <div className={styles.plot}>
        {bars.map((bar) => (
          <div key={bar.at} className={styles.column} data-tooltip={barText(bar)}>
            {bar.micros > 0 && (
              <div className={styles.bar} style={{ height: `${(bar.micros / top) * 100}%` }} />
            )}
          </div>
        ))}
      </div>
      <div className={styles.steps} aria-hidden>
        {[first, middle, bars.length > 1 ? last : undefined].map(
          (bar) => bar && <span key={bar.at}>{formatStep(bar.at, "short")}</span>,
        )}
      </div>
    </figure>
  );
}

const barText = ({ at, micros, runs, unpricedRuns }: Usage["bars"][number]): string =>
  t("usage.bar", { when: formatStep(at, "long"), spent: formatSpent(micros, unpricedRuns), runs });
