import { useQueryClient } from "@tanstack/react-query";
import {
  ChevronRight,
  CircleAlert,
  CircleStop,
  Copy,
  Eraser,
  Pencil,
  RotateCw,
  ScrollText,
  Send,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { Markdown } from "../../../components/markdown/markdown.tsx";
import { refreshAfter } from "../../../data/keys.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { CopyIcon, useCopy } from "../../../ui/controls/copy-button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { AnswerFigures } from "../answer/answer-figures.tsx";
import { AnswerProblem } from "../answer/answer-problem.tsx";
import { textOf } from "../answer/message-parts.ts";
import { useShownAnswer } from "../answer/use-shown-answer.ts";
import { useStopByEscape } from "../answer/use-stop-run.ts";
import { entriesOf } from "../thread/entries.ts";
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

/**
 * The line above the first message that is sent: the number of left-out messages, and the summary
 * that replaces them.
 * @public through lazy-context.ts
 */
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
  const words = t("context.notSent", { count });
  const show = {
    id: "show",
    title: t(isShown ? "context.hide" : "context.show", { count }),
    icon: ChevronRight,
    run: () => onShow(!isShown),
  };
  const resend = {
    id: "sendAgain",
    title: t("context.sendAgain", { count }),
    icon: Send,
    run: () => void (upTo && choose(context, upTo, { sends: "all" })),
  };
  const mayResend = mayWrite && upTo !== undefined;
  const at = useRowActions<HTMLElement>(words, mayResend ? [show, resend] : [show]);
  return (
    <section ref={at} className={styles.line} aria-label={words}>
      <p className={styles.lineWords}>
        <Eraser aria-hidden />
        {t(choice ? "context.notSent.summary" : "context.notSent", { count })}
      </p>
      <span className={styles.lineActions}>
        <Button
          size="small"
          variant="ghost"
          icon={show.icon}
          aria-expanded={isShown}
          onClick={show.run}
        >
          {show.title}
        </Button>
        {mayResend && (
          <Button size="small" variant="ghost" onClick={resend.run}>
            {resend.title}
          </Button>
        )}
      </span>
      {choice && <Summary key={choice.id} {...shared} choice={choice} />}
    </section>
  );
}

/** The current summary, which can be read, copied and edited. */
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
  const copying = useCopy(text);
  const copy = { id: "copy", title: t("context.summary.copy"), icon: Copy, run: copying.copy };
  const edit = {
    id: "edit",
    title: t("context.summary.edit"),
    icon: Pencil,
    run: () => setTyped(text),
  };
  const isEditing = typed !== null;
  const at = useRowActions<HTMLDivElement>(
    title,
    isEditing ? [] : mayWrite ? [copy, edit] : [copy],
  );
  if (isEditing) {
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
      <div ref={at} className={styles.cardFoot}>
        {run && <AnswerFigures run={run} />}
        <CopyIcon {...copying} label={copy.title} />
        {mayWrite && (
          <IconButton size="small" icon={edit.icon} label={edit.title} onClick={edit.run} />
        )}
      </div>
    </Card>
  );
}

/**
 * A summary that is streaming or failed: every message is still sent.
 * @public through lazy-context.ts
 */
export function PendingSummary({
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
  const title = run ? t("context.summary.by", { name: nameOf(run) }) : t("context.summary");
  const end = {
    id: "stop",
    title: t("context.summary.stop"),
    icon: CircleStop,
    run: stop,
  };
  const repeat = {
    id: "again",
    title: t("context.summary.again"),
    icon: RotateCw,
    run: () => void again(),
  };
  const act = answer.isStreaming ? end : answer.state === "cancelled" ? repeat : undefined;
  const at = useRowActions<HTMLDivElement>(title, mayWrite && act ? [act] : []);
  return (
    <Card title={title} isBusy={answer.isStreaming}>
      {answer.text && (
        <Markdown text={answer.text} isStreaming={answer.isStreaming} className={styles.summary} />
      )}
      <p className={styles.hint}>
        {!answer.isStreaming && <CircleAlert aria-hidden />}
        {t(answer.isStreaming ? "context.summary.coming" : "context.summary.failed")}
      </p>
      <AnswerProblem
        answer={answer}
        title={title}
        isEnd
        hasText={answer.text !== ""}
        onAgain={mayWrite ? () => void again() : undefined}
      />
      {mayWrite && (
        <div ref={at} className={styles.cardFoot}>
          {act && (
            <Button size="small" onClick={act.run}>
              {act.title}
            </Button>
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
