import type { Leaderboard } from "../../components/compare/compare.queries.ts";
import { formatMoney, formatShare } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import styles from "./leaderboard.module.css";

const width = 288;
const height = 170;
const edge = { left: 34, right: 8, top: 8, bottom: 22 };

/** Each model's price and how often it is preferred. The rows above have the same numbers. */
export function PriceChart({ models }: { models: Leaderboard["models"] }) {
  const priced = models.flatMap(({ costMicros, ...model }) =>
    costMicros === null ? [] : [{ ...model, costMicros }],
  );
  const most = Math.max(...priced.map(({ costMicros }) => costMicros));
  // If everything is free, or only one model has a price, there is no comparison to draw.
  if (priced.length < 2 || most === 0) return null;
  const scores = priced.map(({ score }) => score);
  const low = Math.max(0, Math.min(...scores) - 0.05);
  const high = Math.min(1, Math.max(...scores) + 0.05);
  const x = (micros: number) => edge.left + (micros / most) * (width - edge.left - edge.right - 70);
  const y = (score: number) =>
    edge.top + ((high - score) / (high - low)) * (height - edge.top - edge.bottom);
  const floor = height - edge.bottom;
  return (
    <figure className={styles.chart}>
      <figcaption>{t("compare.board.price")}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t("compare.board.price.label")}
      >
        <path
          d={`M${edge.left} ${edge.top}V${floor}H${width - edge.right}`}
          className={styles.axis}
        />
        <text x={edge.left - 5} y={edge.top + 8} textAnchor="end">
          {formatShare(high)}
        </text>
        <text x={edge.left - 5} y={floor} textAnchor="end">
          {formatShare(low)}
        </text>
        <text x={edge.left} y={height - 6}>
          {formatMoney(0)}
        </text>
        <text x={width - edge.right} y={height - 6} textAnchor="end">
          {formatMoney(most)}
        </text>
        {priced.map(({ connectionId, modelId, name, costMicros, score }, index) => (
          <g key={`${connectionId}/${modelId}`}>
            <circle
              cx={x(costMicros)}
              cy={y(score)}
              r={4}
              className={index === 0 ? styles.first : styles.dot}
            />
            <text x={x(costMicros) + 8} y={y(score) + 4}>
              {name.length > 20 ? `${name.slice(0, 19)}…` : name}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}
