import type { Leaderboard } from "../../components/compare/compare.queries.ts";
import { formatMoney, formatShare } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import styles from "./leaderboard.module.css";

const width = 288;
const height = 170;
const edge = { left: 34, right: 8, top: 8, bottom: 22 };

type Rated = Leaderboard["models"][number];
const keyOf = ({ connectionId, modelId }: Rated): string => `${connectionId}/${modelId}`;

/** Labels closer than this overlap. */
const lineHeight = 11;

/**
 * Each model's price and how often it is preferred. The rows above have the same numbers. Models
 * without a known price are named below.
 */
export function PriceChart({ models }: { models: readonly Rated[] }) {
  const priced = models.flatMap(({ costMicros, ...model }) =>
    costMicros === null ? [] : [{ ...model, costMicros }],
  );
  const unpriced = models.filter(({ costMicros }) => costMicros === null);
  const most = Math.max(...priced.map(({ costMicros }) => costMicros));
  // If everything is free, or only one model has a price, there is no comparison to draw.
  if (priced.length < 2 || most === 0) return null;
  const scores = priced.map(({ score }) => score);
  const low = Math.max(0, Math.min(...scores) - 0.05);
  const high = Math.min(1, Math.max(...scores) + 0.05);
  const x = (micros: number) => edge.left + (micros / most) * (width - edge.left - edge.right);
  const y = (score: number) =>
    edge.top + ((high - score) / (high - low)) * (height - edge.top - edge.bottom);
  const floor = height - edge.bottom;
  const points = priced
    .toSorted((a, b) => b.score - a.score)
    .map((model) => ({ ...model, key: keyOf(model), x: x(model.costMicros), y: y(model.score) }));
  const labels = placeLabels(
    points.map((point) => point.y),
    floor,
  );
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
        <text x={(edge.left + width - edge.right) / 2} y={height - 6} textAnchor="middle">
          {t("compare.board.price.axis")}
        </text>
        <text x={width - edge.right} y={height - 6} textAnchor="end">
          {formatMoney(most)}
        </text>
        {points.map((point, index) => {
          // A label reaches toward the middle, so that it stays in the picture.
          const isLeft = point.x > width / 2;
          return (
            <g key={point.key}>
              <circle
                cx={point.x}
                cy={point.y}
                r={4}
                className={index === 0 ? styles.first : styles.dot}
              />
              <text
                x={point.x + (isLeft ? -8 : 8)}
                y={(labels[index] ?? point.y) + 4}
                textAnchor={isLeft ? "end" : "start"}
              >
                {point.name.length > 24 ? `${point.name.slice(0, 23)}…` : point.name}
              </text>
            </g>
          );
        })}
      </svg>
      {unpriced.length > 0 && (
        <p className={styles.method}>
          {t("compare.board.price.unknown", {
            names: unpriced.map(({ name }) => name).join(", "),
          })}
        </p>
      )}
    </figure>
  );
}

/**
 * Spreads labels, from the highest to the lowest, until none covers another or the axis. More than
 * fit move closer together.
 */
function placeLabels(heights: readonly number[], floor: number): number[] {
  const room = Math.min(lineHeight, floor / heights.length);
  const placed: number[] = [];
  for (const height of heights) placed.push(Math.max(height, (placed.at(-1) ?? 0) + room));
  let below = floor;
  for (let index = placed.length - 1; index >= 0; index -= 1) {
    below = Math.min(placed[index] ?? 0, below - room / 2);
    placed[index] = below;
    below -= room / 2;
  }
  return placed;
}
