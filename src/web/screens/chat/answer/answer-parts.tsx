import { Link } from "@tanstack/react-router";
import { MessageSquareText, Wrench } from "lucide-react";
import type { ModelRef } from "#contract/entities.ts";
import { tokensOf } from "../../../components/run/run-facts.ts";
import { formatCount, formatDuration } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { doneWords } from "../tools/step-words.ts";
import styles from "../tools/tool-round.module.css";
import { priceOf } from "./answer-figures.tsx";
import type { AnswerPart } from "./whole-answer.ts";

export type AnswerPartsProps = {
  parts: readonly AnswerPart[];
  nameOf: (ref: ModelRef) => string;
  onInspect: (messageId: string) => void;
};

/** What a whole answer is made of: each thing that its model said and each run of a tool, with what it took. */
export function AnswerParts({ parts, nameOf, onInspect }: AnswerPartsProps) {
  return (
    <ul className={styles.parts} aria-label={t("chat.parts")}>
      {parts.map(({ run, message }) => (
        <li key={run.id} className={styles.part}>
          {message.role === "tool" ? <Wrench aria-hidden /> : <MessageSquareText aria-hidden />}
          <span className={styles.partName}>
            {message.role === "tool" ? (
              <ToolPart run={run} message={message} nameOf={nameOf} />
            ) : (
              <button
                type="button"
                className={styles.partLink}
                onClick={() => onInspect(message.id)}
              >
                {t("chat.parts.said", { name: nameOf(run) })}
              </button>
            )}
          </span>
          <span className={styles.partFigures}>{figuresOf({ run, message })}</span>
        </li>
      ))}
    </ul>
  );
}

function ToolPart({ run, message, nameOf }: AnswerPart & Pick<AnswerPartsProps, "nameOf">) {
  const result = message.parts.find((part) => part.type === "tool-result" && part.runId === run.id);
  const words = result?.type === "tool-result" ? doneWords(result, run, nameOf(run)) : nameOf(run);
  return (
    <Link to="/activity/$runId" params={{ runId: run.id }} className={styles.partLink}>
      {words}
    </Link>
  );
}

/** Tokens are of words alone: what a picture's provider counts as such is in its price. */
function figuresOf({ run, message }: AnswerPart): string {
  const { output, isEstimate } =
    message.role === "tool" ? { output: null, isEstimate: false } : tokensOf(run);
  const tookMs =
    run.finishedAt === null || run.startedAt === null ? null : run.finishedAt - run.startedAt;
  const tokens =
    output === null
      ? null
      : t(isEstimate ? "chat.tokens.about" : "chat.tokens", {
          count: output,
          shown: formatCount(output),
        });
  return [
    tokens,
    run.finishedAt === null ? null : priceOf(run),
    tookMs === null ? null : formatDuration(tookMs),
  ]
    .filter(Boolean)
    .join(" · ");
}
