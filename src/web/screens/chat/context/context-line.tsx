import { useQueryClient } from "@tanstack/react-query";
import { ChevronRight, CircleAlert, Eraser, Pencil, ScrollText } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { Markdown } from "../../../components/markdown/markdown.tsx";
import { refreshAfter } from "../../../data/keys.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { CopyButton } from "../../../ui/controls/copy-button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { AnswerFigures } from "../answer/answer-figures.tsx";
import { AnswerProblem } from "../answer/answer-problem.tsx";
import { textOf } from "../answer/message-parts.ts";
import { useShownAnswer } from "../answer/use-shown-answer.ts";
import { useStopByEscape } from "../answer/use-stop-run.ts";
import { entriesOf } from "../answer/whole-answer.ts";
import type { BranchContext } from "./branch-context.ts";
import styles from "./context.module.css";
import { useContextChoice } from "./use-context-choice.ts";

type Shared = {
  conversationId: string;
  context: BranchContext;
  runs: readonly Run[];
  nameOf: (ref: ModelRef) => string;
  mayWrite: boolean;
};

/** The line above the first message that is sent: how many are left out, and the summary in their place. @public through lazy-context.ts */
export function ContextLine({
  isShown,
  onShow,
  ...shared
}: Shared & { isShown: boolean; onShow: (isShown: boolean) => void }) {
  const { context, conversationId, mayWrite } = shared;
  const { choose } = useContextChoice(conversationId);
  const count = entriesOf(context.leftOut).length;
  const upTo = context.leftOut.at(-1)?.id;
  const choice = context.summary ? context.choice : undefined;
  return (
    <section className={styles.line} aria-label={t("context.notSent", { count })}>
      <p className={styles.lineWords}>
        <Eraser aria-hidden />
        {t(choice ? "context.notSent.summary" : "context.notSent", { count })}
      </p>
      <span className={styles.lineActions}>
        <Button
          size="small"
          variant="ghost"
          icon={ChevronRight}
          aria-expanded={isShown}
          onClick={() => onShow(!isShown)}
        >
          {t(isShown ? "context.hide" : "context.show", { count })}
        </Button>
        {mayWrite && upTo && (
          <Button
            size="small"
            variant="ghost"
            onClick={() => void choose(context, upTo, { sends: "all" })}
          >
            {t("context.sendAgain", { count })}
          </Button>
        )}
      </span>
      {choice && <Summary key={choice.id} {...shared} choice={choice} />}
    </section>
  );
}

/** The summary in use, to read, copy and edit. */
function Summary({
  choice,
  context,
  conversationId,
  runs,
  nameOf,
  mayWrite,
}: Shared & { choice: Message }) {
  const [typed, setTyped] = useState<string | null>(null);
  const { choose } = useContextChoice(conversationId);
  const run = runs.find(({ id }) => id === choice.runId);
  const text = textOf(choice.parts);
  const title = run ? t("context.summary.by", { name: nameOf(run) }) : t("context.summary");
  if (typed !== null) {
    const save = async () => {
      if (await choose(context, choice.parentId ?? "", { sends: "text", text: typed }))
        setTyped(null);
    };
    return (
      <Card title={title}>
        <TextArea
          label={t("context.summary.label")}
          value={typed}
          onValueChange={setTyped}
          minRows={4}
          maxRows={16}
        />
        <div className={styles.actions}>
          <Button variant="ghost" onClick={() => setTyped(null)}>
            {t("ui.cancel")}
          </Button>
          <Button
            variant="primary"
            disabled={typed.trim() === "" || typed.length > limits.messageCharacters}
            onClick={() => void save()}
          >
            {t("context.summary.save")}
          </Button>
        </div>
      </Card>
    );
  }
  return (
    <Card title={title}>
      <Markdown text={text} className={styles.summary} />
      <div className={styles.cardFoot}>
        {run && <AnswerFigures run={run} />}
        <CopyButton text={text} label={t("context.summary.copy")} />
        {mayWrite && (
          <IconButton
            size="small"
            icon={Pencil}
            label={t("context.summary.edit")}
            onClick={() => setTyped(text)}
          />
        )}
      </div>
    </Card>
  );
}

/** A summary that is streaming or failed: every message is still sent. @public through lazy-context.ts */
export function ComingSummary({
  coming,
  context,
  conversationId,
  runs,
  nameOf,
  mayWrite,
}: Shared & { coming: Message }) {
  const queryClient = useQueryClient();
  const run = runs.find(({ id }) => id === coming.runId);
  const answer = useShownAnswer(coming, run, undefined);
  const stop = useStopByEscape(answer.isStreaming ? coming.runId : null);
  const { choose } = useContextChoice(conversationId);
  const again = async () => {
    if (!run) return;
    const { connectionId, modelId } = run;
    await choose(context, coming.parentId ?? "", {
      sends: "summary",
      ask: { model: { connectionId, modelId }, settings: {} },
    });
    await refreshAfter(queryClient, "context");
  };
  return (
    <Card
      title={run ? t("context.summary.by", { name: nameOf(run) }) : t("context.summary")}
      isBusy={answer.isStreaming}
    >
      {answer.text && (
        <Markdown text={answer.text} isStreaming={answer.isStreaming} className={styles.summary} />
      )}
      <p className={styles.hint}>
        {!answer.isStreaming && <CircleAlert aria-hidden />}
        {t(answer.isStreaming ? "context.summary.coming" : "context.summary.failed")}
      </p>
      <AnswerProblem
        answer={answer}
        hasText={answer.text !== ""}
        onAgain={mayWrite ? () => void again() : undefined}
      />
      {mayWrite && (
        <div className={styles.cardFoot}>
          {answer.isStreaming ? (
            <Button size="small" onClick={stop}>
              {t("context.summary.stop")}
            </Button>
          ) : (
            answer.state === "cancelled" && (
              <Button size="small" onClick={() => void again()}>
                {t("context.summary.again")}
              </Button>
            )
          )}
        </div>
      )}
    </Card>
  );
}

function Card({
  title,
  isBusy,
  children,
}: {
  title: string;
  isBusy?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={styles.card} aria-busy={isBusy || undefined}>
      <p className={styles.cardTitle}>
        <ScrollText aria-hidden />
        {title}
      </p>
      {children}
    </div>
  );
}
