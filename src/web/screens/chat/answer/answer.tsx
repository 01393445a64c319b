import { StepForward } from "lucide-react";
import { useState } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Avatar } from "../../../ui/display/avatar.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import type { MessageTree } from "../thread/message-tree.ts";
import threadStyles from "../thread/thread.module.css";
import type { ThreadActions } from "../thread/thread-actions.ts";
import { ToolRound } from "../tools/lazy-tools.tsx";
import styles from "./answer.module.css";
import { AnswerFoot } from "./answer-foot.tsx";
import { textOf } from "./message-parts.ts";
import { TextRound } from "./text-round.tsx";
import { savedAnswer, useShownAnswer } from "./use-shown-answer.ts";
import { type Entry, parentOf, questionOf, versionsOf } from "./whole-answer.ts";

const ReadAloud = lazyPart(
  () => import("../voice/read-aloud.tsx").then(({ ReadAloud }) => ReadAloud),
  "voice",
);

export type AnswerProps = {
  entry: Entry;
  tree: MessageTree;
  /** The interrupted answer that its last round continues. */
  continued?: Message | undefined;
  /** The runs of this answer. */
  runs: readonly Run[];
  nameOf: (ref: ModelRef) => string;
  foundId: string | undefined;
  /** False for readers. */
  mayWrite: boolean;
  canAsk: boolean;
  /** Its place among so many rows of the thread, of which only those in sight are in the page. */
  place: number;
  count: number;
  actions: ThreadActions;
};

/** A whole answer: one head, its rounds of text and tools in order, one foot. */
export function Answer({
  entry,
  tree,
  continued,
  runs,
  nameOf,
  foundId,
  mayWrite,
  canAsk,
  place: placeInThread,
  count,
  actions,
}: AnswerProps) {
  const runOf = ({ runId }: Message) => runs.find(({ id }) => id === runId);
  const last = entry.at(-1) ?? entry[0];
  const newest = entry.findLast(({ role }) => role === "assistant") ?? last;
  const answer = useShownAnswer(newest, runOf(newest), continued);
  const [isRead, setRead] = useState(false);
  const shownOf = (message: Message) =>
    message === newest ? answer : savedAnswer(message, runOf(message));
  const isOpen = last.role === "tool" ? last.state === "streaming" : answer.isStreaming;
  const mayAsk = mayWrite && canAsk;
  const question = mayAsk ? questionOf(tree, entry) : undefined;
  const above = mayAsk ? parentOf(tree, newest) : undefined;
  const onContinue =
    above && newest.state === "interrupted"
      ? () => actions.continueAnswer(above, newest)
      : undefined;
  const names = entry.map((message) => nameAt(message, runOf(message), nameOf));
  const name = names.find((known) => known !== null) ?? t("chat.model.unknown");
  const text = entry
    .map((message) => (message === newest ? answer.text : textOf(message.parts)))
    .filter(Boolean)
    .join("\n\n");
  // A problem has its own retry button for its round, and here that round is the whole answer.
  const hasRetry =
    (answer.state === "failed" || answer.state === "unconfirmed") && entry.length === 1;
  return (
    <article
      className={styles.answer}
      aria-label={t("chat.answer.of", { name })}
      aria-busy={isOpen || undefined}
      aria-posinset={placeInThread}
      aria-setsize={count}
    >
      {entry.map((message, place) => {
        const own = names[place];
        // Another model may have continued the answer.
        const isOther =
          place === 0 || (own && own !== names.slice(0, place).findLast((known) => known !== null));
        const asked = mayAsk ? parentOf(tree, message) : undefined;
        return (
          <div
            key={message.id}
            data-message={message.id}
            className={classes(message.id === foundId && threadStyles.found)}
          >
            {isOther && <Who name={own ?? name} />}
            {message.role === "tool" ? (
              <Part fallback={<div className={styles.toolsComing} />}>
                <ToolRound
                  message={message}
                  answer={entry.find(({ id }) => id === message.parentId)}
                  runs={runs}
                  nameOf={nameOf}
                  mayWrite={mayWrite}
                  isEnd={message === last}
                  onGoOn={mayAsk ? () => actions.answerAgain(message) : undefined}
                />
              </Part>
            ) : (
              <TextRound
                message={message}
                answer={shownOf(message)}
                mayStop={mayWrite}
                isLater={asked?.role === "tool"}
                onAgain={asked && (() => actions.answerAgain(asked))}
                onContinue={message === newest ? onContinue : undefined}
              />
            )}
          </div>
        );
      })}
      <AnswerFoot
        entry={entry}
        runs={answer.run ? [...runs.filter(({ id }) => id !== answer.run?.id), answer.run] : runs}
        nameOf={nameOf}
        siblings={versionsOf(tree, entry)}
        text={text}
        isOpen={isOpen}
        isRead={isRead}
        onRead={() => setRead(!isRead)}
        onTurn={actions.turn}
        onInspect={actions.inspect}
        onAgain={question && !hasRetry ? () => actions.answerAgain(question) : undefined}
      />
      {isRead && !isOpen && (
        <div data-stays>
          <Part>
            <ReadAloud message={newest} text={text} onClose={() => setRead(false)} />
          </Part>
        </div>
      )}
      {answer.state === "cancelled" && answer.text && onContinue && (
        <Button size="small" icon={StepForward} onClick={onContinue} className={styles.continue}>
          {t("chat.continue")}
        </Button>
      )}
    </article>
  );
}

/** The name of the model of a round; null for tool rounds and unknown runs. */
const nameAt = (
  { role }: Message,
  run: Run | undefined,
  nameOf: (ref: ModelRef) => string,
): string | null => (role === "assistant" && run ? nameOf(run) : null);

function Who({ name }: { name: string }) {
  return (
    <div className={styles.who}>
      <Avatar name={name} size={20} shape="square" />
      {name}
    </div>
  );
}
