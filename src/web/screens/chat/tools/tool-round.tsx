import { CircleAlert, StepForward } from "lucide-react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import answerStyles from "../answer/answer.module.css";
import { ChooseContextButton } from "../context/choose-context.tsx";
import { MadeFiles } from "./made-files.tsx";
import styles from "./tool-round.module.css";
import { ToolStep } from "./tool-step.tsx";

export type ToolRoundProps = {
  message: Message;
  /** The answer that made these tool calls. */
  answer: Message | undefined;
  runs: readonly Run[];
  nameOf: (ref: ModelRef) => string;
  mayWrite: boolean;
  /** The whole answer's accessible name. */
  title: string;
  /**
   * No round of the answer follows. Once the model has continued, an earlier problem is no longer
   * shown.
   */
  isEnd: boolean;
  /** No message follows the answer either. */
  isAwaited: boolean;
  /** Lets the model continue from here; left out for viewers and without a model. */
  onContinue?: () => void;
};

/** A round of tool calls with their results. In a separate chunk. */
export function ToolRound({
  message,
  answer,
  runs,
  nameOf,
  mayWrite,
  title,
  isEnd,
  isAwaited,
  onContinue,
}: ToolRoundProps) {
  const calls = new Map(
    answer?.parts.flatMap((part) =>
      part.type === "tool-call" ? [[part.callId, part] as const] : [],
    ),
  );
  // All files of a round together, so that they form rows.
  const made = message.parts.flatMap((part) => (part.type === "tool-result" ? part.assetIds : []));
  const problem = isEnd && message.parts.find((part) => part.type === "problem");
  return (
    <>
      <ul className={styles.steps} aria-label={t("chat.tools.used")}>
        {message.parts.map((part) =>
          part.type === "tool-result" ? (
            <li key={part.callId}>
              <ToolStep
                result={part}
                call={calls.get(part.callId)}
                known={runs.find(({ id }) => id === part.runId)}
                conversationId={message.conversationId}
                nameOf={nameOf}
                mayWrite={mayWrite}
              />
            </li>
          ) : null,
        )}
      </ul>
      <div className={styles.made}>
        <MadeFiles assetIds={made} />
      </div>
      {problem && (
        <div role="alert" className={answerStyles.failed}>
          <CircleAlert aria-hidden />
          <div className={answerStyles.problemWords}>
            <p className={answerStyles.problemTitle}>{problem.error.message}</p>
            <p>{problem.error.advice}</p>
            <div className={answerStyles.problemActions}>
              {onContinue && problem.error.code === "context_full" && <ChooseContextButton />}
              {onContinue && (
                <ContinueButton name={title} isAwaited={isAwaited} onContinue={onContinue} />
              )}
            </div>
          </div>
        </div>
      )}
    </>
  );
}

type ContinueButtonProps = { name: string; isAwaited: boolean; onContinue: () => void };

/** Shown after a round that the model couldn't continue from by itself. */
function ContinueButton({ name, isAwaited, onContinue }: ContinueButtonProps) {
  const act = { id: "goOn", title: t("chat.tools.goOn"), icon: StepForward, run: onContinue };
  const at = useRowActions<HTMLButtonElement>(name, [act], isAwaited);
  return (
    <Button ref={at} size="small" icon={act.icon} onClick={act.run}>
      {act.title}
    </Button>
  );
}
