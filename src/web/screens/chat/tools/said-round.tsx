import type { Message, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { Markdown } from "../../../components/markdown/markdown.tsx";
import { t } from "../../../messages/t.ts";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { Part } from "../../../ui/part.tsx";
import styles from "../answer/answer.module.css";
import { filesOf } from "../answer/answer-facts.ts";
import { AnswerProblem } from "../answer/answer-problem.tsx";
import { Reasoning } from "../answer/reasoning.tsx";
import { Sources } from "../answer/sources.tsx";
import type { ShownAnswer } from "../answer/use-shown-answer.ts";
import { WaitingLine } from "../answer/waiting-line.tsx";
import { ShapedAnswer } from "../shape/lazy-shape.ts";
import { MessageFiles } from "../thread/message-files.tsx";

export type SaidRoundProps = {
  message: Message;
  answer: ShownAnswer;
  mayStop: boolean;
  /** Asked by what tools gave, not by a person: asked again, it alone comes anew. */
  isLater: boolean;
  /** Left out where one may only read, or nothing can be asked. */
  onAgain?: () => void;
  onContinue?: () => void;
};

/** What a model said in one round of its answer: as it comes, as it was kept, or what became of it. */
export function SaidRound({
  message,
  answer,
  mayStop,
  isLater,
  onAgain,
  onContinue,
}: SaidRoundProps) {
  const { text, reasoning, isStreaming } = answer;
  // What it says before it asks for tools is no answer yet.
  const schema = message.parts.some(({ type }) => type === "tool-call")
    ? null
    : schemaOf(answer.run);
  const hasWords = text !== "" || reasoning !== "";
  return (
    <>
      <Reasoning text={reasoning} isStreaming={isStreaming && text === ""} />
      {text &&
        (schema && !isStreaming && answer.state === "succeeded" ? (
          <Part fallback={<SkeletonText lines={3} />}>
            <ShapedAnswer text={text} schema={schema} />
          </Part>
        ) : (
          <Markdown className={styles.text} text={text} isStreaming={isStreaming} />
        ))}
      {isStreaming && <WaitingLine answer={answer} hasWords={hasWords} mayStop={mayStop} />}
      <MessageFiles assetIds={filesOf(message.parts)} />
      <Sources sources={answer.sources} />
      <AnswerProblem
        answer={answer}
        hasWords={text !== ""}
        isLater={isLater}
        onAgain={onAgain}
        onContinue={onContinue}
      />
      <Notes answer={answer} />
    </>
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
