import type { Run } from "#contract/entities.ts";
import { tokensOf, tookMs } from "../../../components/run/run-facts.ts";
import { costOf, formatCount, formatDuration, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "../thread/thread.module.css";

/** "612 tokens"; null if they weren't counted. */
export const formatTokens = ({
  output,
  isEstimate,
}: Pick<ReturnType<typeof tokensOf>, "output" | "isEstimate">): string | null =>
  output === null || (isEstimate && output === 0)
    ? null
    : t(isEstimate ? "chat.tokens.about" : "chat.tokens", {
        count: output,
        shown: formatCount(output),
      });

/** "612 tokens · $0.011 · 2.4 s" below an answer. */
export function Figures({
  tokens,
  cost,
  ms,
}: {
  tokens: string | null;
  cost: string | null;
  ms: number | null;
}) {
  const figures = [tokens, cost].filter(Boolean);
  return (
    <span className={styles.figures}>
      {figures.join(" · ")}
      {ms !== null && (
        <span className={styles.took}>
          {figures.length > 0 && " · "}
          {formatDuration(ms)}
        </span>
      )}
    </span>
  );
}

/**
 * The figures of one run. A cost that the provider didn't report is shown as unknown, never
 * guessed.
 */
export function AnswerFigures({ run }: { run: Run }) {
  const isFreeFailure =
    run.state === "failed" && run.costMicros === 0 && run.costBasis !== "assumed";
  const cost = isFreeFailure ? t("chat.charged.nothing") : formatPrice(costOf(run));
  return (
    <Figures
      tokens={formatTokens(tokensOf(run))}
      cost={run.finishedAt === null ? null : cost}
      ms={tookMs(run)}
    />
  );
}
