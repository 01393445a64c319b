import type { Message, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { Markdown } from "../../../components/markdown/markdown.tsx";
import { t } from "../../../messages/t.ts";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { MadeFiles } from "../tools/made-files.tsx";
import styles from "./answer.module.css";
import { AnswerProblem } from "./answer-problem.tsx";
import { filesOf } from "./message-parts.ts";
import { Reasoning } from "./reasoning.tsx";
import { Sources } from "./sources.tsx";
import type { ShownAnswer } from "./use-shown-answer.ts";
import { WaitingLine } from "./waiting-line.tsx";

const ShapedAnswer = lazyPart(
  () => import("../shape/shaped-answer.tsx").then(({ ShapedAnswer }) => ShapedAnswer),
  "shape",
);

type TextRoundProps = {
  message: Message;
  answer: ShownAnswer;
  /** The whole answer's accessible name. */
  title: string;
  /** No message follows. */
  isEnd: boolean;
  mayStop: boolean;
  /** The round follows tool results, so a retry repeats only this round. */
  isLater: boolean;
  /** Left out for viewers and without a model. */
  onAgain?: () => void;
  onContinue?: () => void;
};

/** One round of a model's answer: streaming, complete, or failed. */
export function TextRound({
  message,
  answer,
  title,
  isEnd,
  mayStop,
  isLater,
  onAgain,
  onContinue,
}: TextRoundProps) {
  const { text, reasoning, isStreaming } = answer;
  // Text before a tool call isn't the structured answer yet.
  const schema = message.parts.some(({ type }) => type === "tool-call")
    ? null
    : schemaOf(answer.run);
  const hasText = text !== "" || reasoning !== "";
  return (
    <>
      <Reasoning
        text={reasoning}
        knownMs={answer.reasonedMs}
        isStreaming={isStreaming && text === ""}
      />
      {text &&
        (schema && !isStreaming && answer.state === "succeeded" ? (
          <Part fallback={<SkeletonText lines={3} />}>
            <ShapedAnswer text={text} schema={schema} />
          </Part>
        ) : (
          <Markdown className={styles.text} text={text} isStreaming={isStreaming} />
        ))}
      {isStreaming && <WaitingLine answer={answer} hasText={hasText} mayStop={mayStop} />}
      <MadeFiles assetIds={filesOf(message.parts)} />
      <Sources sources={answer.sources} />
      <AnswerProblem
        answer={answer}
        title={title}
        isEnd={isEnd}
        hasText={text !== ""}
        isLater={isLater}
        onAgain={onAgain}
        onContinue={onContinue}
      />
      <Notes answer={answer} />
    </>
  );
}

/** The JSON Schema of the requested answer. */
const schemaOf = (run: Run | undefined): JsonObject | null =>
  (run?.input.answerShape as { schema?: JsonObject } | undefined)?.schema ?? null;

/** The run's warnings, and the reason that the answer ends early. */
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
