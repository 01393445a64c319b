import { Link } from "@tanstack/react-router";
import { MessageSquareText, Wrench } from "lucide-react";
import type { ModelRef } from "#contract/entities.ts";
import { tokensOf, tookMs } from "../../../components/run/run-facts.ts";
import { costOf, formatDuration, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { doneLabel } from "../tools/tool-labels.ts";
import styles from "../tools/tool-round.module.css";
import { formatTokens } from "./answer-figures.tsx";
import type { AnswerPart } from "./whole-answer.ts";

export type AnswerPartsProps = {
  parts: readonly AnswerPart[];
  nameOf: (ref: ModelRef) => string;
  onInspect: (messageId: string) => void;
};

/** The parts of an answer: each model round and each tool run, with its figures. */
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
  const words = result?.type === "tool-result" ? doneLabel(result, run, nameOf(run)) : nameOf(run);
  return (
    <Link to="/activity/$runId" params={{ runId: run.id }} className={styles.partLink}>
      {words}
    </Link>
  );
}

/**
 * A tool's tokens are left out, because providers that count pictures as tokens include them in the
 * price.
 */
function figuresOf({ run, message }: AnswerPart): string {
  const ms = tookMs(run);
  return [
    message.role === "tool" ? null : formatTokens(tokensOf(run)),
    run.finishedAt === null ? null : formatPrice(costOf(run)),
    ms === null ? null : formatDuration(ms),
  ]
    .filter(Boolean)
    .join(" · ");
}
