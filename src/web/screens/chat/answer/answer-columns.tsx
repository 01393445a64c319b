import { Columns2 } from "lucide-react";
import { type ReactNode, type RefObject, useCallback, useId, useRef, useState } from "react";
import type { Message, Model, ModelRef, Run } from "#contract/entities.ts";
import { useCompare } from "../../../components/compare/compare.queries.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { formatMoney, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Chip } from "../../../ui/controls/chip.tsx";
import { useSecond } from "../../../ui/display/time.tsx";
import { useWidth } from "../../../ui/use-width.ts";
import { Pick } from "../branch/pick.tsx";
import { wholeBelow } from "../thread/answer-groups.ts";
import type { Entry } from "../thread/entries.ts";
import type { MessageTree } from "../thread/message-tree.ts";
import threadStyles from "../thread/thread.module.css";
import type { ThreadActions } from "../thread/thread-actions.ts";
import { ThreadEntry } from "../thread/thread-entry.tsx";
import type { ThreadRow } from "../thread/thread-rows.ts";
import { Unread } from "../thread/unread.tsx";
import { readEntry } from "../thread/use-open-conversation.ts";
import styles from "./answer-columns.module.css";
import { Figures } from "./answer-figures.tsx";
import { MergeAnswers } from "./merge-answers.tsx";
import { textOf } from "./message-parts.ts";
import { partsOfAnswer } from "./whole-answer.ts";

type AnswerColumnsProps = {
  row: Extract<ThreadRow, { kind: "answers" }>;
  /** No message follows: the next message continues from one of these answers. */
  isEnd: boolean;
  tree: MessageTree;
  messages: ReadonlyMap<string, Message>;
  runById: ReadonlyMap<string, Run>;
  /** The state of loading the messages that are missing. */
  reading: { error: unknown; retry: () => void };
  nameOf: (ref: ModelRef) => string;
  foundId: string | undefined;
  mayWrite: boolean;
  mayRate: boolean;
  canAsk: boolean;
  isTemporary: boolean;
  place: number;
  count: number;
  projectId: string;
  conversationId: string;
  model: Model | null;
  actions: ThreadActions;
};

/** Answers side by side, one column each; a phone shows one at a time. */
export function AnswerColumns(props: AnswerColumnsProps) {
  const { row, tree, messages, runById, nameOf, foundId, actions } = props;
  const id = useId();
  const list = useRef<HTMLElement>(null);
  const isPhone = useWidth() === "phone";
  const [near, setNear] = useState(0);
  /** The versions that a person has switched to, by column. */
  const [turned, setTurned] = useState<Readonly<Record<string, string>>>({});
  const branchIds = new Set(row.onBranch.map(({ id }) => id));
  const columns = row.columns.map(({ key, versions }) => {
    const onBranch = versions.find((version) => branchIds.has(version.id));
    const newest = versions.at(-1) ?? versions[0];
    const shown = onBranch ?? versions.find((version) => version.id === turned[key]) ?? newest;
    const nodes = onBranch ? (row.onBranch as Entry<typeof newest>) : wholeBelow(tree, shown);
    return { key, isOnBranch: onBranch !== undefined, entry: readEntry(nodes, messages) };
  });
  const turn = useCallback(
    (messageId: string) => {
      const column = row.columns.find(({ versions }) =>
        versions.some(({ id }) => id === messageId),
      );
      if (column?.versions.some(({ id }) => row.onBranch.some((shown) => shown.id === id)))
        return actions.turn(messageId);
      if (column) setTurned((before) => ({ ...before, [column.key]: messageId }));
    },
    [row, actions],
  );
  const runOf = (entry: Entry | undefined) => runById.get(entry?.[0].runId ?? "");
  const nameOfColumn = ({ entry }: (typeof columns)[number], place: number): string => {
    const run = runOf(entry);
    return run ? nameOf(run) : t("answers.column", { place: place + 1 });
  };
  const show = (place: number) =>
    list.current?.children[place]?.scrollIntoView({ inline: "start", block: "nearest" });
  const isPicked = columns.some(({ entry }) => entry?.[0].group?.pickedAt);
  const first = columns.find(({ isOnBranch }) => isOnBranch);
  const complete = columns.flatMap(({ entry }) => (entry && isComplete(entry) ? [entry] : []));
  const whole = complete.map(([first]) => first.id);
  const question = tree.byId.get(row.questionId ?? "");
  return (
    <div data-row className={threadStyles.message}>
      {isPhone && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
        <div
          role="group"
          aria-label={t("answers.label", { count: columns.length })}
          className={styles.tabs}
        >
          {columns.map((column, index) => (
            <Chip
              key={column.key}
              selected={index === near}
              aria-controls={`${id}-${index}`}
              onClick={() => show(index)}
            >
              {nameOfColumn(column, index)}
            </Chip>
          ))}
        </div>
      )}
      <div className={styles.room} data-columns={columns.length}>
        <ColumnList
          ref={list}
          label={t("answers.label", { count: columns.length })}
          onNear={setNear}
        >
          {columns.map(({ key, entry, isOnBranch }, index) => (
            <div key={key} id={`${id}-${index}`} className={styles.column}>
              {entry ? (
                <ThreadEntry
                  entry={entry}
                  continued={messages.get(continuedOf(entry, runById) ?? "")}
                  runs={partsOfAnswer(entry, runById).map(({ run }) => run)}
                  nameOf={nameOf}
                  tree={tree}
                  foundId={entry.some((message) => message.id === foundId) ? foundId : undefined}
                  isEditing={false}
                  mayWrite={props.mayWrite}
                  mayRate={props.mayRate}
                  canAsk={props.canAsk}
                  isTemporary={props.isTemporary}
                  place={props.place}
                  count={props.count}
                  isContinued={isOnBranch && (!props.isEnd || isPicked)}
                  Pick={Pick}
                  SoFar={FiguresSoFar}
                  onTurn={turn}
                  actions={actions}
                />
              ) : (
                <Unread isAnswer {...props.reading} />
              )}
            </div>
          ))}
        </ColumnList>
      </div>
      {props.mayWrite && question && (
        <div className={styles.foot}>
          <span className={styles.note}>
            {props.isEnd && !isPicked && first
              ? t("answers.next", { name: nameOfColumn(first, columns.indexOf(first)) })
              : ""}
          </span>
          {complete.length > 1 && !props.isTemporary && (
            <CompareAnswers projectId={props.projectId} answers={complete} isEnd={props.isEnd} />
          )}
          {whole.length > 1 && props.canAsk && (
            <MergeAnswers
              projectId={props.projectId}
              conversationId={props.conversationId}
              question={question}
              answerIds={whole}
              isEnd={props.isEnd}
              chosen={props.model}
              onMerge={actions.merge}
            />
          )}
        </div>
      )}
    </div>
  );
}

/**
 * Opens the answers in Compare, with their differences and a vote. An answer with tools is compared
 * by its last text.
 */
function CompareAnswers({
  projectId,
  answers,
  isEnd,
}: {
  projectId: string;
  answers: readonly Entry[];
  isEnd: boolean;
}) {
  const compare = useCompare(projectId);
  const entries = answers.flatMap((entry) => {
    const answered = entry.findLast(
      ({ role, parts }) => role === "assistant" && textOf(parts) !== "",
    );
    return answered ? [{ messageId: answered.id }] : [];
  });
  const act = {
    id: "compare",
    title: t("answers.compare"),
    icon: Columns2,
    run: () => compare.mutate({ entries }),
  };
  const of = t("answers.label", { count: answers.length });
  const at = useRowActions<HTMLButtonElement>(of, compare.isPending ? [] : [act], isEnd);
  return (
    <Button ref={at} icon={act.icon} busy={compare.isPending} onClick={act.run}>
      {act.title}
    </Button>
  );
}

type ColumnListProps = {
  ref: RefObject<HTMLElement | null>;
  label: string;
  /** Called with the column that a phone shows. */
  onNear: (place: number) => void;
  children: ReactNode;
};

function ColumnList({ ref, label, onNear, children }: ColumnListProps) {
  return (
    <section
      ref={ref}
      className={styles.columns}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
        onNear(Math.round(scrollLeft / Math.max(1, clientWidth)))
      }
    >
      {children}
    </section>
  );
}

/** "$0.021 reserved · 12 s" while an answer is being written. */
function FiguresSoFar({ run }: { run: Run }) {
  const now = useSecond();
  const reserved =
    run.heldMicros > 0 ? t("answers.reserved", { amount: formatMoney(run.heldMicros) }) : null;
  const ms =
    run.startedAt === null ? null : Math.max(0, now - Math.floor(run.startedAt / 1_000) * 1_000);
  return (
    <Figures tokens={null} cost={run.isFree ? formatPrice({ kind: "free" }) : reserved} ms={ms} />
  );
}

const isComplete = (entry: Entry): boolean =>
  entry.every(({ state }) => state !== "streaming") &&
  entry.some(({ parts }) => textOf(parts).trim() !== "");

function continuedOf(entry: Entry, runById: ReadonlyMap<string, Run>): string | null {
  const last = entry.at(-1);
  const from =
    last?.state === "streaming" ? runById.get(last.runId ?? "")?.input.continueFrom : undefined;
  return typeof from === "string" ? from : null;
}
