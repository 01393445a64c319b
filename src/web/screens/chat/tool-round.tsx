import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ban, Check, CircleAlert, CircleHelp, LoaderCircle, Search, StepForward, Wand, Wrench } from "lucide-react";
import { Suspense } from "react";
import type { Message, ModelRef, Run, ToolCallPart, ToolResultPart } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { promptOf } from "#domain/input-schema.ts";
import { ConnectionLink } from "../../components/connections/connection-link.tsx";
import { waitsFor } from "../../components/waits-for.ts";
import { runQuery } from "../../data/shared.queries.ts";
import { t } from "../../messages/t.ts";
import { hasScreen } from "../../screen-modules.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import answerStyles from "./answer.module.css";
import { ContextWay } from "./lazy-context.ts";
import { MessageFiles } from "./message-files.tsx";
import { Decide, Unanswered } from "./tool-decide.tsx";
import styles from "./tool-round.module.css";
import { ToolInput, ToolOutput } from "./tool-words.tsx";

export type ToolRoundProps = {
  message: Message;
  /** The answer above, which asked for these. */
  answer: Message | undefined;
  runs: readonly Run[];
  nameOf: (ref: ModelRef) => string;
  mayWrite: boolean;
  /** Asks the model to go on from here; left out where nothing can be asked. */
  onGoOn?: () => void;
};

/** What an answer asked tools for, and what each gave. In a chunk of its own. */
export function ToolRound({ message, answer, runs, nameOf, mayWrite, onGoOn }: ToolRoundProps) {
  const calls = new Map(answer?.parts.flatMap((part) => (part.type === "tool-call" ? [[part.callId, part] as const] : [])));
  const problem = message.parts.find((part) => part.type === "problem");
  return (
    <div className={styles.round}>
      <ul className={styles.calls} aria-label={t("chat.tools.used")}>
        {message.parts.map((part) =>
          part.type === "tool-result" ? (
            <li key={part.callId}>
              <ToolCall
                result={part}
                call={calls.get(part.callId)}
                known={runs.find(({ id }) => id === part.runId)}
                conversationId={message.conversationId}
                nameOf={nameOf}
                mayWrite={mayWrite}
              />
            </li>
          ) : null,
        )}
      </ul>
      {problem && (
        <div role="alert" className={answerStyles.failed}>
          <CircleAlert aria-hidden />
          <div className={answerStyles.problemWords}>
            <p className={answerStyles.problemTitle}>{problem.error.message}</p>
            <p>{problem.error.advice}</p>
            <div className={answerStyles.problemActions}>
              {onGoOn && problem.error.code === "context_full" && (
                <Suspense>
                  <ContextWay />
                </Suspense>
              )}
              {onGoOn && (
                <Button size="small" icon={StepForward} onClick={onGoOn}>
                  {t("chat.tools.goOn")}
                </Button>
              )}
            </div>
          </div>
        </div>
      )}
    </div>
  );
}

type ToolCallProps = {
  result: ToolResultPart;
  call: ToolCallPart | undefined;
  known: Run | undefined;
  conversationId: string;
  nameOf: (ref: ModelRef) => string;
  mayWrite: boolean;
};

const icons = { open: LoaderCircle, done: Check, failed: CircleAlert, refused: Ban, stopped: Ban } as const;

function ToolCall({ result, call: asked, known, conversationId, nameOf, mayWrite }: ToolCallProps) {
  const isOpen = result.state === "open";
  const run = useQuery(runQuery(isOpen ? result.runId : null)).data?.run ?? known;
  const isAsking = isOpen && run?.state === "queued" && run.waitingFor === "asker";
  const isUnanswered = isOpen && run?.state === "unknown" && run.task === "tool";
  const isTool = run?.task === "tool";
  const Icon = isUnanswered
    ? CircleHelp
    : isTool && (isAsking || result.state === "done")
      ? Wrench
      : isAsking
        ? Wand
        : result.runId === null && result.state === "done"
          ? Search
          : icons[result.state];
  const words = asked ? wordsOf(asked) : "";
  // With its server's name, as the model knows it: two servers may have tools of one name.
  const name = isTool
    ? result.name
    : run
      ? nameOf(run)
      : t(isLibrary(result.name) ? `chat.tools.${result.name}` : "chat.tools.unknown", { name: result.name });
  return (
    <div className={styles.call} data-state={isAsking || isUnanswered ? "asking" : result.state}>
      <Icon aria-hidden className={isOpen && !isAsking && !isUnanswered ? styles.turning : undefined} />
      <div className={styles.words}>
        <p className={styles.name}>
          {name}
          <span className={styles.state}>
            {isAsking ? t("chat.tools.asks") : isUnanswered ? t("chat.tools.unanswered") : stateWords(result, run)}
          </span>
        </p>
        {words && !isTool && <p className={styles.asked}>{words}</p>}
        {isTool && asked && <ToolInput input={asked.input as JsonObject} isOpen={isAsking || isUnanswered} />}
        {isTool && !isOpen && result.output && <ToolOutput text={result.output} isOpen={result.state === "failed"} />}
        {result.state === "failed" && !isTool && <p className={styles.asked}>{result.output}</p>}
        {isTool && result.state === "failed" && run.error?.code === "provider_auth" && (
          <ConnectionLink connectionId={run.connectionId} className={buttonClass({ size: "small" })} />
        )}
        <MessageFiles assetIds={result.assetIds} />
        {isAsking && mayWrite && <Decide run={run} conversationId={conversationId} />}
        {isUnanswered && mayWrite && <Unanswered run={run} conversationId={conversationId} />}
        {result.runId && hasScreen("activity") && !isAsking && (
          <Link to="/activity/$runId" params={{ runId: result.runId }} className={styles.more}>
            {t("chat.run.open")}
          </Link>
        )}
      </div>
    </div>
  );
}

const isLibrary = (name: string): name is "search_library" | "read_file" => name === "search_library" || name === "read_file";

/** What was asked for, in the words that a person would look for. */
function wordsOf({ input, malformed }: ToolCallPart): string {
  const { query, file } = input;
  const words = promptOf(input as JsonObject) || (typeof query === "string" ? query : "") || (typeof file === "string" ? file : "");
  return (malformed ?? words).slice(0, 400);
}

function stateWords(result: ToolResultPart, run: Run | undefined): string {
  if (result.state !== "open") return t(`chat.tools.state.${result.state}`);
  return (run && waitsFor(run)) ?? t("chat.tools.state.open");
}
