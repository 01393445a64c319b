import { CircleStop, StepForward } from "lucide-react";
import { type ComponentType, useState } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { PicturesOf } from "../../../components/markdown/remote-picture.tsx";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Avatar } from "../../../ui/display/avatar.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { MessageMenu } from "../branch/message-menu.tsx";
import type { PickProps } from "../branch/pick.tsx";
import { Rating } from "../rating/rating.tsx";
import { versionsInGroup } from "../thread/answer-groups.ts";
import type { Entry } from "../thread/entries.ts";
import type { MessageTree } from "../thread/message-tree.ts";
import threadStyles from "../thread/thread.module.css";
import type { ThreadActions } from "../thread/thread-actions.ts";
import { ToolRound } from "../tools/lazy-tools.tsx";
import styles from "./answer.module.css";
import { AnswerFoot } from "./answer-foot.tsx";
import { textOf } from "./message-parts.ts";
import { TextRound } from "./text-round.tsx";
import { savedAnswer, useShownAnswer } from "./use-shown-answer.ts";
import { useStopRun } from "./use-stop-run.ts";
import { parentOf, questionOf, versionsOf } from "./whole-answer.ts";

const ReadAloud = lazyPart(
  () => import("../voice/read-aloud.tsx").then(({ ReadAloud }) => ReadAloud),
  "voice",
);

export type AnswerProps = {
  entry: Entry;
  tree: MessageTree;
  /** The interrupted answer that the last round continues. */
  continued?: Message | undefined;
  /** The runs of this answer. */
  runs: readonly Run[];
  nameOf: (ref: ModelRef) => string;
  foundId: string | undefined;
  /** False for viewers. */
  mayWrite: boolean;
  /** People who may write in the project can rate answers shared with them. */
  mayRate: boolean;
  canAsk: boolean;
  /** A temporary chat can't be forked or read aloud. */
  isTemporary: boolean;
  /**
   * The row's position in the thread and the thread's length, because only visible rows are in the
   * page.
   */
  place: number;
  count: number;
  /** For one of several answers side by side: whether the shown branch continues from it. */
  isContinued?: boolean;
  /**
   * For one of several answers side by side: lets a person choose it. Its code loads with the
   * columns.
   */
  Pick?: ComponentType<PickProps>;
  /** The figures of such an answer while it is being written. */
  SoFar?: ComponentType<{ run: Run }>;
  /** Switches to another version in its column. */
  onTurn?: (messageId: string) => void;
  actions: ThreadActions;
};

/** A complete answer: a header, its text and tool rounds in order, and a footer. */
export function Answer({
  entry,
  tree,
  continued,
  runs,
  nameOf,
  foundId,
  mayWrite,
  mayRate,
  canAsk,
  isTemporary,
  place: placeInThread,
  count,
  isContinued = false,
  Pick,
  SoFar,
  onTurn,
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
  const { group } = entry[0];
  const isColumn = group !== undefined && group.column !== null;
  const mayAsk = mayWrite && canAsk;
  const question = mayAsk ? questionOf(tree, entry) : undefined;
  const above = mayAsk ? parentOf(tree, newest) : undefined;
  const onContinue =
    above && newest.state === "interrupted"
      ? () => actions.continueAnswer(above, newest)
      : undefined;
  const names = entry.map((message) => nameAt(message, runOf(message), nameOf));
  const name = names.find((known) => known !== null) ?? t("chat.model.unknown");
  const title = t("chat.answer.of", { name });
  const isEnd = placeInThread === count;
  const stop = useStopRun(isOpen ? (answer.run?.id ?? null) : null);
  /** Retries an answer. In a group, the new answer replaces the old one with the same model. */
  const repeat = (from: MessageNode) =>
    group && from.role !== "tool"
      ? actions.retryInGroup(from, entry[0])
      : actions.answerAgain(from);
  const text = entry
    .map((message) => (message === newest ? answer.text : textOf(message.parts)))
    .filter(Boolean)
    .join("\n\n");
  // A problem has its own retry button for its round, and here that round is the whole answer.
  const hasRetry =
    (answer.state === "failed" || answer.state === "unconfirmed") && entry.length === 1;
  return (
    <article
      data-row
      className={styles.answer}
      aria-label={title}
      aria-busy={isOpen || undefined}
      aria-posinset={placeInThread}
      aria-setsize={count}
    >
      {entry.map((message, index) => {
        const own = names[index];
        // Another model may have continued the answer.
        const isOther =
          index === 0 || (own && own !== names.slice(0, index).findLast((known) => known !== null));
        const asked = mayAsk ? parentOf(tree, message) : undefined;
        return (
          <div
            key={message.id}
            data-message={message.id}
            className={classes(message.id === foundId && threadStyles.found)}
          >
            {isOther && (
              <Who
                name={own ?? name}
                merged={index === 0 ? group?.mergedFrom?.length : undefined}
                onStop={isColumn && isOpen && mayWrite && index === 0 ? stop : undefined}
              />
            )}
            {message.role === "tool" ? (
              <Part fallback={<div className={styles.toolsComing} />}>
                <ToolRound
                  message={message}
                  answer={entry.find(({ id }) => id === message.parentId)}
                  runs={runs}
                  nameOf={nameOf}
                  mayWrite={mayWrite}
                  title={title}
                  isEnd={message === last}
                  isAwaited={isEnd}
                  onContinue={mayAsk ? () => actions.answerAgain(message) : undefined}
                />
              </Part>
            ) : (
              <PicturesOf value={message.id}>
                <TextRound
                  message={message}
                  answer={shownOf(message)}
                  title={title}
                  isEnd={isEnd && message === last}
                  mayStop={mayWrite}
                  isLater={asked?.role === "tool"}
                  onAgain={asked && (() => repeat(asked))}
                  onContinue={message === newest ? onContinue : undefined}
                />
              </PicturesOf>
            )}
          </div>
        );
      })}
      <AnswerFoot
        entry={entry}
        runs={answer.run ? [...runs.filter(({ id }) => id !== answer.run?.id), answer.run] : runs}
        nameOf={nameOf}
        siblings={group ? versionsInGroup(tree, entry[0]) : versionsOf(tree, entry)}
        text={text}
        isOpen={isOpen}
        soFar={SoFar && isColumn && isOpen && answer.run && <SoFar run={answer.run} />}
        isRead={isRead}
        onRead={isTemporary ? undefined : () => setRead(!isRead)}
        onTurn={onTurn ?? actions.turn}
        onInspect={actions.inspect}
        onAgain={question && !hasRetry ? () => repeat(question) : undefined}
        rating={mayRate && newest.state !== "streaming" && text && <Rating message={newest} />}
        menu={
          mayWrite && (
            <MessageMenu
              isAnswer
              onFork={isTemporary ? undefined : () => actions.fork(last.id)}
              onPrune={() => actions.prune(entry[0].id)}
            />
          )
        }
      />
      {Pick && isColumn && !isOpen && (
        <Pick
          name={title}
          isEnd={isEnd}
          isContinued={isContinued}
          onPick={mayWrite && text ? () => actions.pick(entry[0].id) : undefined}
        />
      )}
      {isRead && !isOpen && (
        <div data-stays>
          <Part>
            <ReadAloud message={newest} text={text} onClose={() => setRead(false)} />
          </Part>
        </div>
      )}
      {answer.state === "cancelled" && answer.text && onContinue && (
        <Continue name={title} isEnd={isEnd} onContinue={onContinue} />
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

type WhoProps = {
  name: string;
  /** The number of answers that it merges. */
  merged: number | undefined;
  onStop: (() => void) | undefined;
};

function Who({ name, merged, onStop }: WhoProps) {
  return (
    <div className={styles.who}>
      <Avatar name={name} size={20} shape="square" />
      <span className={styles.whoName}>
        {merged === undefined ? name : t("chat.answer.merged", { name, count: merged })}
      </span>
      {onStop && (
        <IconButton
          size="small"
          icon={CircleStop}
          label={t("chat.stop.one", { name })}
          onClick={onStop}
        />
      )}
    </div>
  );
}

type ContinueProps = { name: string; isEnd: boolean; onContinue: () => void };

/** Shown below a stopped answer. */
function Continue({ name, isEnd, onContinue }: ContinueProps) {
  const act = { id: "continue", title: t("chat.continue"), icon: StepForward, run: onContinue };
  const at = useRowActions<HTMLButtonElement>(name, [act], isEnd);
  return (
    <Button ref={at} size="small" icon={act.icon} onClick={act.run} className={styles.continue}>
      {act.title}
    </Button>
  );
}
