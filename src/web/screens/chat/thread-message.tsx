import { lazy, memo } from "react";
import type { Message, ModelRef, Run } from "#contract/entities.ts";
import { loadArea } from "../../messages/areas.ts";
import { classes } from "../../ui/classes.ts";
import { Part } from "../../ui/part.tsx";
import { SkeletonText } from "../../ui/skeleton.tsx";
import { Answer } from "./answer.tsx";
import { continuedId } from "./answer-facts.ts";
import { MessageEditor } from "./message-editor.tsx";
import { type MessageTree, siblingsOf } from "./message-tree.ts";
import styles from "./thread.module.css";
import type { ThreadActions } from "./thread-actions.ts";
import { UserMessage } from "./user-message.tsx";

const ToolRound = lazy(async () => {
  const [{ ToolRound }] = await Promise.all([import("./tool-round.tsx"), loadArea("tools")]);
  return { default: ToolRound };
});

export type ThreadMessageProps = {
  message: Message;
  run: Run | undefined;
  runs: readonly Run[];
  nameOf: (ref: ModelRef) => string;
  modelName: string;
  /** The message above it, which an answer answers. */
  question: Message | undefined;
  tree: MessageTree;
  isFound: boolean;
  isEditing: boolean;
  /** False where one may only read. */
  mayWrite: boolean;
  canAsk: boolean;
  actions: ThreadActions;
};

/** One message of the branch. Drawn again only when something of it changed. */
export const ThreadMessage = memo(function ThreadMessage(props: ThreadMessageProps) {
  return (
    <div data-message={props.message.id} className={classes(styles.message, props.isFound && styles.found)}>
      {props.message.role === "user" ? <Said {...props} /> : props.message.role === "tool" ? <Used {...props} /> : <Answered {...props} />}
    </div>
  );
});

function Used({ message, question, runs, nameOf, mayWrite, canAsk, actions }: ThreadMessageProps) {
  const onGoOn = mayWrite && canAsk ? () => actions.answerAgain(message) : undefined;
  return (
    <Part fallback={<SkeletonText lines={2} />}>
      <ToolRound message={message} answer={question} runs={runs} nameOf={nameOf} mayWrite={mayWrite} onGoOn={onGoOn} />
    </Part>
  );
}

function Said({ message, tree, isEditing, mayWrite, canAsk, actions }: ThreadMessageProps) {
  if (isEditing) return <MessageEditor message={message} actions={actions} canAsk={canAsk} />;
  const onEdit = mayWrite ? () => actions.startEdit(message) : undefined;
  return <UserMessage message={message} siblings={siblingsOf(tree, message)} onTurn={actions.turn} onEdit={onEdit} />;
}

function Answered({ message, run, modelName, question, tree, mayWrite, canAsk, actions }: ThreadMessageProps) {
  const from = continuedId(run);
  const asked = mayWrite && canAsk ? question : undefined;
  return (
    <Answer
      message={message}
      run={run}
      modelName={modelName}
      continued={from === null ? undefined : tree.byId.get(from)}
      siblings={siblingsOf(tree, message)}
      onTurn={actions.turn}
      onInspect={() => actions.inspect(message.id)}
      onAgain={asked && (() => actions.answerAgain(asked))}
      onContinue={asked && message.state === "interrupted" ? () => actions.continueAnswer(asked, message) : undefined}
    />
  );
}
