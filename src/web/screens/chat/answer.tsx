import { Info, RotateCw, StepForward, Volume2 } from "lucide-react";
import { lazy, useState } from "react";
import type { Message, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { Markdown } from "../../components/markdown/markdown.tsx";
import { loadArea } from "../../messages/areas.ts";
import { t } from "../../messages/t.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Part } from "../../ui/part.tsx";
import { SkeletonText } from "../../ui/skeleton.tsx";
import styles from "./answer.module.css";
import { filesOf } from "./answer-facts.ts";
import { AnswerFigures } from "./answer-figures.tsx";
import { AnswerProblem } from "./answer-problem.tsx";
import { BranchSwitcher } from "./branch-switcher.tsx";
import { CopyButton } from "./copy-button.tsx";
import { MessageFiles } from "./message-files.tsx";
import type { Siblings } from "./message-tree.ts";
import { Reasoning } from "./reasoning.tsx";
import { ShapedAnswer } from "./shape/lazy-shape.ts";
import { Sources } from "./sources.tsx";
import threadStyles from "./thread.module.css";
import { type ShownAnswer, useShownAnswer } from "./use-shown-answer.ts";
import { WaitingLine } from "./waiting-line.tsx";

const ReadAloud = lazy(async () => {
  const [{ ReadAloud }] = await Promise.all([import("./voice/read-aloud.tsx"), loadArea("voice")]);
  return { default: ReadAloud };
});

export type AnswerProps = {
  message: Message;
  run: Run | undefined;
  /** The answer that this one goes on from. */
  continued: Message | undefined;
  siblings: Siblings;
  modelName: string;
  onTurn: (messageId: string) => void;
  onInspect: () => void;
  /** Left out where one may only read, or nothing can be asked. */
  onAgain?: () => void;
  onContinue?: () => void;
};

/** A model's answer: as it comes, as it was kept, or what became of it. */
export function Answer({ message, run, continued, siblings, modelName, onTurn, onInspect, onAgain, onContinue }: AnswerProps) {
  const answer = useShownAnswer(message, run, continued);
  const [isRead, setRead] = useState(false);
  // What it says before it asks for tools is no answer yet.
  const schema = message.parts.some(({ type }) => type === "tool-call") ? null : schemaOf(answer.run ?? run);
  const hasProblem = answer.state === "failed" || answer.state === "unknown";
  const hasWords = answer.text !== "" || answer.reasoning !== "";
  return (
    <div className={styles.answer} aria-busy={answer.isStreaming || undefined}>
      <div className={styles.who}>
        <Avatar name={modelName} size={20} shape="square" />
        {modelName}
      </div>
      <Reasoning text={answer.reasoning} isStreaming={answer.isStreaming && answer.text === ""} />
      {answer.text &&
        (schema && !answer.isStreaming && answer.state === "succeeded" ? (
          <Part fallback={<SkeletonText lines={3} />}>
            <ShapedAnswer text={answer.text} schema={schema} />
          </Part>
        ) : (
          <Markdown className={styles.text} text={answer.text} isStreaming={answer.isStreaming} />
        ))}
      {answer.isStreaming && <WaitingLine answer={answer} hasWords={hasWords} />}
      <MessageFiles assetIds={filesOf(message.parts)} />
      <Sources sources={answer.sources} />
      <AnswerProblem answer={answer} hasWords={answer.text !== ""} onAgain={onAgain} onContinue={onContinue} />
      <Notes answer={answer} />
      {!answer.isStreaming && (
        <div className={threadStyles.foot}>
          <BranchSwitcher siblings={siblings} onTurn={onTurn} />
          {answer.run && <AnswerFigures run={answer.run} />}
          <span className={threadStyles.space} />
          {answer.text && (
            <IconButton
              size="small"
              icon={Volume2}
              label={t("chat.readAloud")}
              pressed={isRead || undefined}
              onClick={() => setRead(!isRead)}
            />
          )}
          {answer.text && <CopyButton text={answer.text} label={t("chat.copy.answer")} />}
          {onAgain && !hasProblem && <IconButton size="small" icon={RotateCw} label={t("chat.again")} onClick={onAgain} />}
          <IconButton size="small" icon={Info} label={t("chat.inspect")} onClick={onInspect} />
        </div>
      )}
      {isRead && !answer.isStreaming && (
        <Part>
          <ReadAloud message={message} text={answer.text} onClose={() => setRead(false)} />
        </Part>
      )}
      {answer.state === "cancelled" && answer.text && onContinue && (
        <Button size="small" icon={StepForward} onClick={onContinue} className={styles.continue}>
          {t("chat.continue")}
        </Button>
      )}
    </div>
  );
}

/** The shape that an answer was asked for in. */
const schemaOf = (run: Run | undefined): JsonObject | null =>
  (run?.input.answerShape as { schema?: JsonObject } | undefined)?.schema ?? null;

/** What the model could not honour, and what cut the answer: nothing is dropped in silence. */
function Notes({ answer: { run, state } }: { answer: ShownAnswer }) {
  const isCut = run?.result?.finishReason === "length";
  const lines = [
    ...(run?.warnings ?? []).map(({ message }) => message),
    ...(isCut ? [t("chat.cut")] : []),
    ...(state === "cancelled" ? [t("chat.stopped")] : []),
  ];
  return lines.map((line) => (
    <p key={line} className={styles.note}>
      {line}
    </p>
  ));
}
