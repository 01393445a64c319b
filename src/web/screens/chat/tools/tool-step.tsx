import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  Ban,
  ChevronRight,
  CircleAlert,
  CircleHelp,
  FileText,
  LoaderCircle,
  type LucideIcon,
  Search,
  WandSparkles,
  Wrench,
} from "lucide-react";
import type { ModelRef, Run, ToolCallPart, ToolResultPart } from "#contract/entities.ts";
import { isKeyRefusal } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { runStateText } from "#contract/run-states.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { ConnectionLink } from "../../../components/connections/connection-link.tsx";
import { approvalText } from "../../../components/run/approval-text.ts";
import { useRunLive } from "../../../components/run/run-live.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { costOf, formatPrice, formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { ApproveTool } from "./tool-approval.tsx";
import { doneLabel, requestLabel, runningLabel } from "./tool-labels.ts";
import { ToolQuestion } from "./tool-question.tsx";
import styles from "./tool-round.module.css";

export type ToolStepProps = {
  result: ToolResultPart;
  call: ToolCallPart | undefined;
  known: Run | undefined;
  conversationId: string;
  nameOf: (ref: ModelRef) => string;
  mayWrite: boolean;
};

/** One tool call of an answer: an expandable line, or a question to the person. */
export function ToolStep({
  result,
  call: asked,
  known,
  conversationId,
  nameOf,
  mayWrite,
}: ToolStepProps) {
  const { user } = useSession();
  const isOpen = result.state === "open";
  const run = useQuery(runQuery(isOpen ? result.runId : null)).data?.run ?? known;
  const isAsking = isOpen && run?.state === "queued" && run.waitingFor === "asker";
  // Only older versions left a tool call unconfirmed. It is decided on the run's page.
  const isUnconfirmed = isOpen && run?.state === "unconfirmed" && run.task === "tool";
  // Includes the server's name, as for the model, because two servers may have tools with the same
  // name.
  const name = run && run.task !== "tool" ? nameOf(run) : result.name;
  const shown = { result, asked, run, name, isUnconfirmed };
  if (isAsking) {
    const label = requestLabel(result, run, name);
    // Two calls may wait at once, so the palette distinguishes them by their request.
    const about = asked && (requestText(asked) || inputText(asked)).slice(0, 60);
    const decided = { run, name: about ? `${label}: ${about}` : label, conversationId };
    return (
      <div className={styles.question}>
        {run.task === "tool" ? <Wrench aria-hidden /> : <WandSparkles aria-hidden />}
        <div className={styles.words}>
          <p className={styles.name}>
            {label}
            <span className={styles.state}>{t("chat.tools.asks")}</span>
          </p>
          <Request {...shown} />
          {mayWrite && <ApproveTool {...decided} />}
        </div>
      </div>
    );
  }
  const Icon = iconOf(shown);
  return (
    <>
      <details
        className={styles.step}
        data-state={result.state}
        open={result.state === "failed" || isUnconfirmed}
      >
        <summary>
          <Icon aria-hidden className={isOpen && !isUnconfirmed ? styles.turning : undefined} />
          <span>{summaryOf(shown)}</span>
          {isOpen && run && <ToolProgress run={run} />}
          <ChevronRight aria-hidden className={styles.chevron} />
        </summary>
        <div className={styles.detail}>
          {run && <p className={styles.by}>{name}</p>}
          <Request {...shown} />
          {result.output &&
            (run?.task === "tool" || result.runId === null || result.state === "failed") && (
              <Verbatim
                label={t(result.state === "failed" ? "chat.tools.why" : "chat.tools.output")}
                text={result.output}
              />
            )}
          {run?.task === "tool" && isKeyRefusal(run.error?.code) && (
            <ConnectionLink
              connectionId={run.connectionId}
              projectId={run.projectId}
              className={buttonClass({ size: "small" })}
            />
          )}
          {result.runId && (
            <Link to="/activity/$runId" params={{ runId: result.runId }} className={styles.more}>
              {t("chat.run.open")}
            </Link>
          )}
        </div>
      </details>
      {isOpen && run && mayWrite && run.userId === user.id && (
        <ToolQuestion run={run} name={name} />
      )}
    </>
  );
}

/** The tool's own progress report. */
function ToolProgress({ run }: { run: Run }) {
  const { share, label } = useRunLive(run);
  const caption = [label, share !== null && formatShare(share)].filter(Boolean).join(" · ");
  return caption && <span className={styles.progress}>{caption}</span>;
}

type Shown = {
  result: ToolResultPart;
  asked: ToolCallPart | undefined;
  run: Run | undefined;
  name: string;
  isUnconfirmed: boolean;
};

/**
 * The input of a tool call. A server tool's input is shown verbatim, because that is what a person
 * approves.
 */
function Request({ result, asked, run }: Shown) {
  if (!asked) return null;
  const input = asked.input as JsonObject;
  const isVerbatim = run?.task === "tool" || (result.runId === null && !isLibrary(result.name));
  if (isVerbatim && asked.malformed === undefined) {
    return (
      Object.keys(input).length > 0 && (
        <Verbatim label={t("chat.tools.input")} text={JSON.stringify(input, null, 2)} />
      )
    );
  }
  const text = requestText(asked);
  return text && <p className={styles.asked}>{text}</p>;
}

const isLibrary = (name: string): boolean => name === "search_library" || name === "read_file";

/** The prompt, the search or the file that the model asked for. */
function requestText({ input, malformed }: ToolCallPart): string {
  const { query, file } = input;
  const caption =
    promptOf(input as JsonObject) ||
    (typeof query === "string" ? query : "") ||
    (typeof file === "string" ? file : "");
  return (malformed ?? caption).slice(0, 400);
}

const inputText = ({ input }: ToolCallPart): string =>
  Object.keys(input as JsonObject).length > 0 ? JSON.stringify(input) : "";

/** "Drew a picture · $0.04" */
function summaryOf({ result, run, name, isUnconfirmed }: Shown): string {
  if (isUnconfirmed) return `${requestLabel(result, run, name)} · ${runStateText("unconfirmed")}`;
  if (result.state === "done")
    return [doneLabel(result, run, name), run && formatPrice(costOf(run))]
      .filter(Boolean)
      .join(" · ");
  if (result.state === "open")
    return [runningLabel(result, run, name), run && approvalText(run)].filter(Boolean).join(" · ");
  return `${requestLabel(result, run, name)} · ${t(`chat.tools.state.${result.state}`)}`;
}

function iconOf({ result, run, isUnconfirmed }: Shown): LucideIcon {
  if (isUnconfirmed) return CircleHelp;
  if (result.state === "open") return LoaderCircle;
  if (result.state === "failed") return CircleAlert;
  if (result.state !== "done") return Ban;
  if (result.runId === null) return result.name === "read_file" ? FileText : Search;
  return run?.task === "tool" ? Wrench : WandSparkles;
}

/** A tool's input or output: untrusted text, shown verbatim and never rendered. */
function Verbatim({ label, text }: { label: string; text: string }) {
  return (
    <figure className={styles.verbatim}>
      <figcaption>{label}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is read with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
