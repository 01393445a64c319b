import { memo } from "react";
import { classes } from "../../../ui/classes.ts";
import { Answer, type AnswerProps } from "../answer/answer.tsx";
import { MessageMenu } from "../branch/message-menu.tsx";
import { MessageEditor } from "./message-editor.tsx";
import { siblingsOf } from "./message-tree.ts";
import styles from "./thread.module.css";
import { UserMessage } from "./user-message.tsx";

export type ThreadEntryProps = AnswerProps & { isEditing: boolean };

/** A person's message, or an answer. Rerendered only if a prop or one of its runs changes. */
export const ThreadEntry = memo(function ThreadEntry({ isEditing, ...props }: ThreadEntryProps) {
  const [first] = props.entry;
  if (first.role === "user") {
    return (
      <div
        data-message={first.id}
        className={classes(styles.message, first.id === props.foundId && styles.found)}
      >
        <Question {...props} isEditing={isEditing} />
      </div>
    );
  }
  return (
    <div className={styles.message}>
      <Answer {...props} />
    </div>
  );
}, isSame);

function isSame(before: ThreadEntryProps, after: ThreadEntryProps): boolean {
  const { runs, entry, ...rest } = after;
  if (!hasSame(before.runs, runs) || !hasSame(before.entry, entry)) return false;
  return Object.entries(rest).every(([name, value]) =>
    Object.is(value, before[name as keyof ThreadEntryProps]),
  );
}

const hasSame = <Item,>(before: readonly Item[], after: readonly Item[]): boolean =>
  before.length === after.length && before.every((item, index) => item === after[index]);

function Question({
  entry: [message],
  tree,
  isEditing,
  mayWrite,
  canAsk,
  isTemporary,
  actions,
}: ThreadEntryProps) {
  if (isEditing) return <MessageEditor message={message} actions={actions} canAsk={canAsk} />;
  const onEdit = mayWrite ? () => actions.startEdit(message) : undefined;
  const isUnanswered = !tree.children.has(message.id);
  return (
    <UserMessage
      message={message}
      siblings={siblingsOf(tree, message)}
      onTurn={actions.turn}
      onEdit={onEdit}
      menu={
        mayWrite && (
          <MessageMenu
            onFork={isTemporary ? undefined : () => actions.fork(message.id)}
            onPrune={() => actions.prune(message.id)}
            onAsk={canAsk && isUnanswered ? () => actions.answerAgain(message) : undefined}
          />
        )
      }
    />
  );
}
