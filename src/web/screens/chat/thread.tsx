import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { classes } from "../../ui/classes.ts";
import { Answer } from "./answer.tsx";
import { continuedId } from "./answer-facts.ts";
import { MessageEditor } from "./message-editor.tsx";
import { MessageFiles } from "./message-files.tsx";
import { type MessageTree, siblingsOf } from "./message-tree.ts";
import styles from "./thread.module.css";
import type { EditState, ThreadActions } from "./thread-actions.ts";
import type { Said } from "./use-ask.ts";
import { Bubble, UserMessage } from "./user-message.tsx";

export type ThreadProps = {
  tree: MessageTree;
  branch: readonly Message[];
  runs: readonly Run[];
  /** Said, and not yet answered by the server. */
  pending: Said | null;
  /** A hit of the search: shown and marked. */
  foundId: string | undefined;
  nameOf: (ref: ModelRef) => string;
  onTurn: (messageId: string) => void;
  onInspect: (messageId: string) => void;
  /** Left out where one may only read. */
  actions?: ThreadActions;
  edit: EditState;
  canAsk: boolean;
  column: RefObject<HTMLDivElement | null>;
  onFound: () => void;
};

/** The branch on screen, oldest first. */
export function Thread({ tree, branch, runs, pending, foundId, actions, edit, canAsk, column, onFound, ...shared }: ThreadProps) {
  const runById = new Map(runs.map((run) => [run.id, run]));
  const found = useRef<HTMLDivElement>(null);
  const hasFound = foundId !== undefined && branch.some(({ id }) => id === foundId);
  useEffect(() => {
    if (!hasFound) return;
    onFound();
    found.current?.scrollIntoView({ block: "center" });
  }, [hasFound, foundId]);
  const place = (message: Message, children: ReactNode) => (
    <div
      key={message.id}
      ref={message.id === foundId ? found : undefined}
      data-message={message.id}
      className={classes(styles.message, message.id === foundId && styles.found)}
    >
      {children}
    </div>
  );
  return (
    <div ref={column} className={styles.column}>
      {branch.map((message, index) => {
        const siblings = siblingsOf(tree, message);
        if (message.role === "user") {
          return place(
            message,
            edit.messageId === message.id ? (
              <MessageEditor message={message} edit={edit} canAsk={canAsk} />
            ) : (
              <UserMessage
                message={message}
                siblings={siblings}
                onTurn={shared.onTurn}
                onEdit={actions && (() => actions.startEdit(message))}
              />
            ),
          );
        }
        const run = message.runId === null ? undefined : runById.get(message.runId);
        const question = branch[index - 1];
        const from = continuedId(run);
        return place(
          message,
          <Answer
            message={message}
            run={run}
            continued={from === null ? undefined : tree.byId.get(from)}
            siblings={siblings}
            nameOf={shared.nameOf}
            onTurn={shared.onTurn}
            onInspect={() => shared.onInspect(message.id)}
            onAgain={actions && question && canAsk ? () => actions.answerAgain(question) : undefined}
            onContinue={
              actions && question && canAsk && message.state === "interrupted" ? () => actions.continueAnswer(question, message) : undefined
            }
          />,
        );
      })}
      {pending && (
        <div className={styles.message}>
          <div className={styles.mine}>
            <MessageFiles assetIds={pending.attachments} />
            {pending.text && <Bubble text={pending.text} isPending />}
          </div>
        </div>
      )}
    </div>
  );
}
