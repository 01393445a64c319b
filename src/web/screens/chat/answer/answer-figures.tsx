import type { Run } from "#contract/entities.ts";
import { tokensOf } from "../../../components/run/run-facts.ts";
import { costOf, formatCount, formatDuration, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "../thread/thread.module.css";

/** "612 tokens · $0.011 · 2.4 s" under an answer that has ended. */
export function AnswerFigures({ run }: { run: Run }) {
  const { output, isEstimate } = tokensOf(run);
  const tookMs =
    run.finishedAt !== null && run.startedAt !== null ? run.finishedAt - run.startedAt : null;
  const figures = [
    output === null
      ? null
      : t(isEstimate ? "chat.tokens.about" : "chat.tokens", {
          count: output,
          shown: formatCount(output),
        }),
    run.finishedAt === null
      ? null
      : run.state === "failed" && run.costMicros === 0 && run.costBasis !== "assumed"
        ? t("chat.charged.nothing")
        : priceOf(run),
  ].filter(Boolean);
  return (
    <span className={styles.figures}>
      {figures.join(" · ")}
      {tookMs !== null && (
        <span className={styles.took}>
          {figures.length > 0 && " · "}
          {formatDuration(tookMs)}
        </span>
      )}
    </span>
  );
}

/** Unknown where the provider did not say; never a guess. */
export const priceOf = (run: Pick<Run, "costMicros" | "costBasis" | "imported">): string =>
  formatPrice(costOf(run));
