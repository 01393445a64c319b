import { type RefObject, useMemo, useState } from "react";
import type { Message, Model, ModelRef, Run } from "#contract/entities.ts";
import type {
  MessageNode,
  OpenedConversation,
} from "../../../data/queries/conversation.queries.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Part } from "../../../ui/part.tsx";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import { AnswerColumns } from "../answer/lazy-columns.ts";
import { continuedId } from "../answer/message-parts.ts";
import { partsOfAnswer } from "../answer/whole-answer.ts";
import { ForkedLine } from "../branch/forked-line.tsx";
import { contextOf } from "../context/branch-context.ts";
import contextStyles from "../context/context.module.css";
import { ContextLine, PendingSummary } from "../context/lazy-context.ts";
import type { PendingMessage as Pending } from "../use-send-message.ts";
import { wholeBelow } from "./answer-groups.ts";
import type { MessageTree } from "./message-tree.ts";
import { PendingMessage } from "./pending-message.tsx";
import { useSteadyActions } from "./thread-actions.ts";
import { ThreadEntry } from "./thread-entry.tsx";
import { placeOfMessage, rowsOf, type ThreadRow } from "./thread-rows.ts";
import { Unread } from "./unread.tsx";
import { readEntry } from "./use-open-conversation.ts";
import { useReadMessages } from "./use-read-messages.ts";
import { useReadingPosition } from "./use-reading-position.ts";
import { type ThreadWork, useThreadActions } from "./use-thread-actions.ts";
import { useThreadFiles } from "./use-thread-files.ts";
import { WindowedRows } from "./windowed-rows.tsx";

export type ThreadProps = {
  tree: MessageTree;
  branch: readonly MessageNode[];
  /** The messages that are loaded. */
  messages: ReadonlyMap<string, Message>;
  runs: readonly Run[];
  /** Sent and not yet confirmed by the server. */
  pending: Pending | null;
  onSendNow: () => void;
  /** Moves the message back into the composer. */
  onWithdraw: () => void;
  /** A search hit, shown and highlighted. */
  foundId: string | undefined;
  editingId: string | null;
  nameOf: (ref: ModelRef) => string;
  work: ThreadWork;
  mayWrite: boolean;
  mayRate: boolean;
  canAsk: boolean;
  /** A temporary chat's answers can't be compared, forked or read aloud. */
  isTemporary: boolean;
  conversationId: string;
  forkedFrom: OpenedConversation["forkedFrom"];
  projectId: string;
  /** The model chosen for the next answer. */
  model: Model | null;
  /** The element around the thread. */
  column: RefObject<HTMLDivElement | null>;
  isStuck: () => boolean;
  onFound: () => void;
};

const nothingDrawn: readonly number[] = [];

/** The branch on screen, oldest first. */
export function Thread({
  tree,
  branch,
  messages,
  runs,
  pending,
  foundId,
  editingId,
  nameOf,
  conversationId,
  forkedFrom,
  column,
  isStuck,
  onFound,
  work,
  ...shared
}: ThreadProps) {
  const actions = useSteadyActions(useThreadActions(work));
  const context = useMemo(
    () =>
      contextOf(
        [...messages.values()].filter(({ role }) => role === "context"),
        branch,
      ),
    [messages, branch],
  );
  const { leftOut, coming } = context;
  const isFoundLeftOut = foundId !== undefined && leftOut.some(({ id }) => id === foundId);
  const [shown, setShown] = useState<boolean | null>(null);
  const isShown = shown ?? isFoundLeftOut;
  const isPending = pending !== null;
  const forkedUpTo = forkedFrom?.upTo;
  const rows = useMemo(
    () => rowsOf(context, { tree, isShown, isPending, forkedUpTo }),
    [context, tree, isShown, isPending, forkedUpTo],
  );
  const [drawn, setDrawn] = useState(nothingDrawn);
  const missing = drawn
    .flatMap((place) => nodesOf(tree, rows[place]))
    .flatMap(({ id }) => (messages.has(id) ? [] : [id]));
  const runById = useMemo(() => new Map(runs.map((run) => [run.id, run])), [runs]);
  const continuedOf = (message: Message | undefined): string | null =>
    message?.state === "streaming" ? continuedId(runById.get(message.runId ?? "")) : null;
  const continued = continuedOf(messages.get(branch.at(-1)?.id ?? ""));
  const reading = useReadMessages(
    conversationId,
    continued === null || messages.has(continued) ? missing : [...missing, continued],
  );
  const isLoading = reading.error === null && (drawn.length === 0 || missing.length > 0);
  useThreadFiles(branch, messages, isLoading && rows.length > 0);
  const foundPlace = placeOfMessage(rows, foundId);
  const left = useReadingPosition({
    conversationId,
    rows,
    column,
    isStuck,
    isElsewhere: foundId !== undefined,
  });
  const staying = [
    foundPlace,
    left?.place ?? -1,
    placeOfMessage(rows, editingId ?? undefined),
    rows.length - 1,
  ].filter((place) => place >= 0);
  const contextProps = { conversationId, context, runs, nameOf, mayWrite: shared.mayWrite };
  const draw = (row: ThreadRow, place: number) => {
    if (row.kind === "context")
      return (
        <Part>
          <ContextLine {...contextProps} isShown={isShown} onShow={setShown} />
        </Part>
      );
    if (row.kind === "forked") return <ForkedLine source={forkedFrom?.source ?? null} />;
    if (row.kind === "coming")
      return (
        coming && (
          <div className={contextStyles.apart}>
            <Part>
              <PendingSummary {...contextProps} coming={coming} />
            </Part>
          </div>
        )
      );
    if (row.kind === "pending")
      return (
        pending && (
          <PendingMessage
            pending={pending}
            onSendNow={shared.onSendNow}
            onWithdraw={shared.onWithdraw}
          />
        )
      );
    if (row.kind === "answers")
      return (
        <div className={classes(row.isLeftOut && contextStyles.leftOut)}>
          <Part fallback={<Unread isAnswer {...reading} />}>
            <AnswerColumns
              row={row}
              isEnd={place === rows.length - 1}
              tree={tree}
              messages={messages}
              runById={runById}
              reading={reading}
              nameOf={nameOf}
              foundId={foundId}
              mayWrite={shared.mayWrite}
              mayRate={shared.mayRate}
              canAsk={shared.canAsk}
              isTemporary={shared.isTemporary}
              place={place + 1}
              count={rows.length}
              projectId={shared.projectId}
              conversationId={conversationId}
              model={shared.model}
              actions={actions}
            />
          </Part>
        </div>
      );
    const entry = readEntry(row.entry, messages);
    if (!entry) return <Unread isAnswer={row.entry[0].role !== "user"} {...reading} />;
    const isFound = entry.some(({ id }) => id === foundId);
    return (
      <div className={classes(row.isLeftOut && contextStyles.leftOut)}>
        <ThreadEntry
          entry={entry}
          continued={messages.get(continuedOf(entry.at(-1)) ?? "")}
          runs={partsOfAnswer(entry, runById).map(({ run }) => run)}
          nameOf={nameOf}
          tree={tree}
          foundId={isFound ? foundId : undefined}
          isEditing={entry[0].id === editingId}
          mayWrite={shared.mayWrite}
          mayRate={shared.mayRate}
          canAsk={shared.canAsk}
          isTemporary={shared.isTemporary}
          place={place + 1}
          count={rows.length}
          actions={actions}
        />
      </div>
    );
  };
  return (
    <>
      {/* One level above the answers' headings; a phone shows no title. */}
      <VisuallyHidden as="h2">{t("chat.thread")}</VisuallyHidden>
      <WindowedRows
        rows={rows}
        draw={draw}
        staying={staying}
        anchor={
          foundId !== undefined && foundPlace >= 0
            ? { id: foundId, place: foundPlace }
            : left && { id: left.row, place: left.place, topPx: left.px }
        }
        onAnchor={onFound}
        isStuck={isStuck}
        onDrawn={setDrawn}
      />
    </>
  );
}

const nodesOf = (tree: MessageTree, row: ThreadRow | undefined): readonly MessageNode[] =>
  row?.kind === "entry"
    ? row.entry
    : row?.kind === "answers"
      ? [
          ...row.onBranch,
          ...row.columns.flatMap(({ versions }) =>
            versions.flatMap((version) => wholeBelow(tree, version)),
          ),
        ]
      : [];
