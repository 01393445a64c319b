import { type RefObject, useEffect, useMemo, useState } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { Part } from "../../../ui/part.tsx";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import { type Entry, entriesOf, partsOfAnswer } from "../answer/whole-answer.ts";
import { contextOf } from "../context/branch-context.ts";
import contextStyles from "../context/context.module.css";
import { ComingSummary, ContextLine } from "../context/lazy-context.ts";
import type { PendingMessage as Pending } from "../use-send-message.ts";
import type { MessageTree } from "./message-tree.ts";
import { PendingMessage } from "./pending-message.tsx";
import { type ThreadActions, useSteadyActions } from "./thread-actions.ts";
import { ThreadEntry } from "./thread-entry.tsx";

export type ThreadProps = {
  tree: MessageTree;
  branch: readonly Message[];
  runs: readonly Run[];
  /** Sent and not yet confirmed by the server. */
  pending: Pending | null;
  onSendNow: () => void;
  /** Back into the composer. */
  onWithdraw: () => void;
  /** A hit of the search: shown and marked. */
  foundId: string | undefined;
  editingId: string | null;
  nameOf: (ref: ModelRef) => string;
  actions: ThreadActions;
  mayWrite: boolean;
  canAsk: boolean;
  /** The element around the thread. */
  column: RefObject<HTMLDivElement | null>;
  onFound: () => void;
};

/** The branch on screen, oldest first. */
export function Thread({
  tree,
  branch,
  runs,
  pending,
  foundId,
  editingId,
  nameOf,
  column,
  onFound,
  ...shared
}: ThreadProps) {
  const actions = useSteadyActions(shared.actions);
  const context = useMemo(() => contextOf([...tree.byId.values()], branch), [tree, branch]);
  const hasFound = foundId !== undefined && branch.some(({ id }) => id === foundId);
  useEffect(() => {
    if (!hasFound) return;
    onFound();
    column.current
      ?.querySelector(`[data-message="${CSS.escape(foundId)}"]`)
      ?.scrollIntoView({ block: "center" });
  }, [hasFound, foundId]);
  const { leftOut, sent, coming } = context;
  const isFoundLeftOut = foundId !== undefined && leftOut.some(({ id }) => id === foundId);
  const [shown, setShown] = useState<boolean | null>(null);
  const isShown = shown ?? isFoundLeftOut;
  /** In three groups: left out, sent before a summary that is streaming, and sent after it. */
  const entries = useMemo(() => {
    const before = coming ? sent.findIndex(({ id }) => id === coming.parentId) + 1 : 0;
    return {
      leftOut: entriesOf(leftOut),
      before: entriesOf(sent.slice(0, before)),
      after: entriesOf(sent.slice(before)),
    };
  }, [leftOut, sent, coming]);
  const runById = useMemo(() => new Map(runs.map((run) => [run.id, run])), [runs]);
  const conversationId = branch[0]?.conversationId ?? "";
  const contextProps = { conversationId, context, runs, nameOf, mayWrite: shared.mayWrite };
  const draw = (entry: Entry) => {
    const isFound = entry.some(({ id }) => id === foundId);
    return (
      <ThreadEntry
        key={entry[0].id}
        entry={entry}
        runs={partsOfAnswer(entry, runById).map(({ run }) => run)}
        nameOf={nameOf}
        tree={tree}
        foundId={isFound ? foundId : undefined}
        isEditing={entry[0].id === editingId}
        mayWrite={shared.mayWrite}
        canAsk={shared.canAsk}
        actions={actions}
      />
    );
  };
  return (
    <>
      {/* The level above the answers' own headings; a phone shows no title. */}
      <VisuallyHidden as="h2">{t("chat.thread")}</VisuallyHidden>
      {leftOut.length > 0 && (
        <>
          {isShown && <div className={contextStyles.leftOut}>{entries.leftOut.map(draw)}</div>}
          <Part>
            <ContextLine {...contextProps} isShown={isShown} onShow={setShown} />
          </Part>
        </>
      )}
      {entries.before.map(draw)}
      {coming && (
        <div className={contextStyles.apart}>
          <Part>
            <ComingSummary {...contextProps} coming={coming} />
          </Part>
        </div>
      )}
      {entries.after.map(draw)}
      {pending && (
        <PendingMessage
          pending={pending}
          onSendNow={shared.onSendNow}
          onWithdraw={shared.onWithdraw}
        />
      )}
    </>
  );
}
