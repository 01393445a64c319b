import { type RefObject, useEffect, useMemo, useState } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { Part } from "../../ui/part.tsx";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import contextStyles from "./context.module.css";
import { contextOf } from "./context-facts.ts";
import { ComingSummary, ContextLine } from "./lazy-context.ts";
import { MessageFiles } from "./message-files.tsx";
import type { MessageTree } from "./message-tree.ts";
import styles from "./thread.module.css";
import { type ThreadActions, useSteadyActions } from "./thread-actions.ts";
import { ThreadMessage } from "./thread-message.tsx";
import type { Said } from "./use-ask.ts";
import { Bubble } from "./user-message.tsx";

export type ThreadProps = {
  tree: MessageTree;
  branch: readonly Message[];
  runs: readonly Run[];
  /** Said, and not yet answered by the server. */
  pending: Said | null;
  /** A hit of the search: shown and marked. */
  foundId: string | undefined;
  editingId: string | null;
  nameOf: (ref: ModelRef) => string;
  actions: ThreadActions;
  mayWrite: boolean;
  canAsk: boolean;
  /** Holds it, and is there before it. */
  column: RefObject<HTMLDivElement | null>;
  onFound: () => void;
};

const noRuns: readonly Run[] = [];

/** The branch on screen, oldest first. */
export function Thread({ tree, branch, runs, pending, foundId, editingId, nameOf, column, onFound, ...shared }: ThreadProps) {
  const actions = useSteadyActions(shared.actions);
  const context = useMemo(() => contextOf([...tree.byId.values()], branch), [tree, branch]);
  const runById = new Map(runs.map((run) => [run.id, run]));
  const hasFound = foundId !== undefined && branch.some(({ id }) => id === foundId);
  useEffect(() => {
    if (!hasFound) return;
    onFound();
    column.current?.querySelector(`[data-message="${CSS.escape(foundId)}"]`)?.scrollIntoView({ block: "center" });
  }, [hasFound, foundId]);
  const { leftOut, sent, coming } = context;
  const isFoundLeftOut = foundId !== undefined && leftOut.some(({ id }) => id === foundId);
  const [shown, setShown] = useState<boolean | null>(null);
  const isShown = shown ?? isFoundLeftOut;
  /** Of what is sent so many stand before the summary that is coming. */
  const before = coming ? sent.findIndex(({ id }) => id === coming.parentId) + 1 : 0;
  const conversationId = branch[0]?.conversationId ?? "";
  const told = { conversationId, context, runs, nameOf, mayWrite: shared.mayWrite };
  const placeOf = new Map(branch.map(({ id }, place) => [id, place]));
  const draw = (message: Message) => {
    const run = message.runId === null ? undefined : runById.get(message.runId);
    return (
      <ThreadMessage
        key={message.id}
        message={message}
        run={run}
        modelName={run ? nameOf(run) : t("chat.model.unknown")}
        runs={message.role === "tool" ? runs : noRuns}
        nameOf={nameOf}
        question={message.role === "user" ? undefined : branch[(placeOf.get(message.id) ?? 0) - 1]}
        tree={tree}
        isFound={message.id === foundId}
        isEditing={message.id === editingId}
        mayWrite={shared.mayWrite}
        canAsk={shared.canAsk}
        actions={actions}
      />
    );
  };
  return (
    <>
      {/* The answers' own headings begin below it; a wide page has the title there, a phone has not. */}
      <VisuallyHidden as="h2">{t("chat.thread")}</VisuallyHidden>
      {leftOut.length > 0 && (
        <>
          {isShown && <div className={contextStyles.leftOut}>{leftOut.map(draw)}</div>}
          <Part>
            <ContextLine {...told} isShown={isShown} onShow={setShown} />
          </Part>
        </>
      )}
      {sent.slice(0, before).map(draw)}
      {coming && (
        <div className={contextStyles.apart}>
          <Part>
            <ComingSummary {...told} coming={coming} />
          </Part>
        </div>
      )}
      {sent.slice(before).map(draw)}
      {pending && (
        <div className={styles.message}>
          <div className={styles.mine}>
            <MessageFiles assetIds={pending.attachments} />
            {pending.text && <Bubble text={pending.text} isPending />}
          </div>
        </div>
      )}
    </>
  );
}
