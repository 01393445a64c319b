import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleHelp, RotateCw, StepForward } from "lucide-react";
import { isFixedAtConnection } from "#contract/errors.ts";
import { runStateText } from "#contract/run-states.ts";
import { ConnectionLink } from "../../../components/connections/connection-link.tsx";
import { ResolveButton } from "../../../components/run/resolve/resolve-button.tsx";
import { useSession } from "../../../data/shell-data.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import { ProviderQuote } from "../../../ui/display/error-state.tsx";
import { ChooseContextButton } from "../context/choose-context.tsx";
import styles from "./answer.module.css";
import type { ShownAnswer } from "./use-shown-answer.ts";

export type AnswerProblemProps = {
  answer: ShownAnswer;
  /** The answer's accessible name. */
  title: string;
  /** No message follows: the person decides how to proceed. */
  isEnd: boolean;
  hasText: boolean;
  /** The answer follows tool results, which a retry reuses. */
  isLater?: boolean;
  onAgain?: () => void;
  onContinue?: () => void;
};

/** The problem of a failed or unconfirmed answer, what was saved, and the next step. */
export function AnswerProblem(props: AnswerProblemProps) {
  const { state } = props.answer;
  return state === "unconfirmed" || state === "failed" ? <Problem {...props} /> : null;
}

function Problem({
  answer,
  title: name,
  isEnd,
  hasText,
  isLater = false,
  onAgain,
  onContinue,
}: AnswerProblemProps) {
  const { state, run } = answer;
  const canEdit = useSession().project.role !== "viewer";
  const isUnconfirmed = state === "unconfirmed";
  const { code, title, advice, connectionId, quote } = describeError(
    answer.error ?? { code: isUnconfirmed ? "outcome_unknown" : "internal" },
  );
  const canContinue = hasText && onContinue !== undefined && !isUnconfirmed;
  const acts = [
    ...(canContinue
      ? [{ id: "continue", title: t("chat.continue"), icon: StepForward, run: onContinue }]
      : []),
    ...(onAgain
      ? [
          {
            id: "retry",
            title: t(isLater ? "chat.again.round" : "chat.retry"),
            icon: RotateCw,
            run: onAgain,
          },
        ]
      : []),
  ];
  const at = useRowActions<HTMLDivElement>(name, acts, isEnd);
  const Icon = isUnconfirmed ? CircleHelp : CircleAlert;
  return (
    <div role="alert" className={isUnconfirmed ? styles.unconfirmed : styles.failed}>
      <Icon aria-hidden />
      <div className={styles.problemWords}>
        <p className={styles.problemTitle}>{isUnconfirmed ? runStateText("unconfirmed") : title}</p>
        <p>
          {isUnconfirmed && `${title} `}
          {code === "provider_interrupted" && canContinue
            ? t("chat.safe.continue")
            : `${t(safeText(answer, hasText, isLater))} ${advice}`}
        </p>
        {quote && <ProviderQuote text={quote} />}
        <div ref={at} className={styles.problemActions}>
          {acts.map(({ id, title: act, icon, run: start }) => (
            <Button key={id} size="small" icon={icon} onClick={start}>
              {act}
            </Button>
          ))}
          {code === "provider_context_too_long" && onAgain && <ChooseContextButton />}
          {connectionId && isFixedAtConnection(code) && (
            <ConnectionLink
              connectionId={connectionId}
              projectId={run?.projectId}
              className={buttonClass({ size: "small" })}
            />
          )}
          {isUnconfirmed && run && canEdit && <ResolveButton size="small" runs={[run]} />}
          {isUnconfirmed && run && (
            <Link
              to="/activity/$runId"
              params={{ runId: run.id }}
              className={buttonClass({ size: "small" })}
            >
              {t("chat.run.open")}
            </Link>
          )}
        </div>
      </div>
    </div>
  );
}

/** What was saved. Says "not charged" only if the run's cost is known. */
function safeText({ state, run }: ShownAnswer, hasText: boolean, isLater: boolean) {
  if (state === "unconfirmed") return "chat.safe.kept";
  if (hasText || isLater) return "chat.safe.part";
  if (run?.costBasis === "assumed") return "chat.safe.assumed";
  return run?.costMicros === 0 ? "chat.safe.free" : "chat.safe.kept";
}
