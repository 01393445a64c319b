import { useQuery } from "@tanstack/react-query";
import { FileText, MessageCircle, ScrollText } from "lucide-react";
import { useState } from "react";
import type { Conversation, Message, Model, ModelRef, Run } from "#contract/entities.ts";
import { FoldedFacts } from "../../../components/run/detail/folded-facts.tsx";
import { listRunFacts } from "../../../components/run/detail/list-run-facts.tsx";
import { tokensOf } from "../../../components/run/run-facts.ts";
import { conversationCostQuery } from "../../../data/queries/conversation.queries.ts";
import { InspectorSection } from "../../../frame/inspector.tsx";
import { formatCount, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Facts } from "../../../ui/display/facts.tsx";
import { RatingList } from "../rating/rating-list.tsx";
import type { Entry } from "../thread/entries.ts";
import { branchTo, countBranches, type MessageTree } from "../thread/message-tree.ts";
import { useReadMessages } from "../thread/use-read-messages.ts";
import { priceOfAll, totalsOf } from "./answer-cost.ts";
import styles from "./answer-inspector.module.css";
import { continuedId } from "./message-parts.ts";
import { RequestDialog, RequestFile } from "./request-dialog.tsx";
import { contextIdOf, requestTurns } from "./request-turns.ts";
import { partsOfAnswer } from "./whole-answer.ts";

export type AnswerInspectorProps = {
  conversation: Conversation;
  projectName: string;
  tree: MessageTree;
  /** The messages that are loaded. */
  messages: ReadonlyMap<string, Message>;
  runs: readonly Run[];
  /** Undefined before the first answer and while it loads. */
  message: Message | undefined;
  /** The answer that contains the message as a round. */
  entry: Entry | undefined;
  nameOf: (ref: ModelRef) => string;
  find: (ref: ModelRef) => Model | undefined;
};

/** An answer's model, figures and input, and the conversation's cost. */
export function AnswerInspector({
  conversation,
  projectName,
  tree,
  messages,
  runs,
  message,
  entry,
  nameOf,
  find,
}: AnswerInspectorProps) {
  const run = message && runs.find(({ id }) => id === message.runId);
  const costs = useQuery(conversationCostQuery(conversation.id)).data?.costs ?? [];
  const totals = totalsOf(costs);
  const hasSum = "micros" in totals.spent;
  // Active runs may still add to the cost.
  const isUnsure = !hasSum && totals.unknown + totals.open > 0;
  const cost = isUnsure ? t("money.unknown") : formatPrice(totals.spent);
  return (
    <>
      {run && message ? (
        <RunSections
          run={run}
          message={message}
          tree={tree}
          messages={messages}
          nameOf={nameOf}
          model={find(run)}
          whole={entry && entry.length > 1 ? wholeFacts(entry, message, runs) : []}
        />
      ) : (
        <InspectorSection isPlain>
          <p className={styles.note}>{t("chat.inspector.empty")}</p>
        </InspectorSection>
      )}
      {message?.feedback && (
        <InspectorSection title={t("feedback.title")}>
          <RatingList feedback={message.feedback} />
        </InspectorSection>
      )}
      <InspectorSection title={t("chat.inspector.conversation")}>
        <Facts
          facts={[
            [
              t("chat.inspector.soFar"),
              totals.runs === 0
                ? null
                : t("chat.inspector.total", {
                    cost,
                    unknown: hasSum ? totals.unknown : 0,
                    runs: totals.runs,
                  }),
            ],
            [t("chat.inspector.branches"), formatCount(countBranches(tree))],
            [t("chat.inspector.project"), projectName],
            [
              t("chat.inspector.seenBy"),
              t(
                conversation.visibility === "project"
                  ? "chat.inspector.everyone"
                  : "chat.inspector.author",
              ),
            ],
          ]}
        />
      </InspectorSection>
    </>
  );
}

/** The message's round within its answer, and the cost of the whole answer. */
function wholeFacts(entry: Entry, message: Message, runs: readonly Run[]): [string, string][] {
  const rounds = entry.filter(({ role }) => role === "assistant");
  const { price, hasUnknown } = priceOfAll(partsOfAnswer(entry, runs).map(({ run }) => run));
  const cost = formatPrice(price);
  return [
    [
      t("chat.inspector.round"),
      t("chat.inspector.roundOf", { place: rounds.indexOf(message) + 1, count: rounds.length }),
    ],
    [t("chat.inspector.whole"), hasUnknown ? t("chat.inspector.more", { cost }) : cost],
  ];
}

type RequestProps = {
  run: Run;
  message: Message;
  tree: MessageTree;
  messages: ReadonlyMap<string, Message>;
};
type RunSectionsProps = RequestProps & {
  nameOf: (ref: ModelRef) => string;
  model: Model | undefined;
  whole: [string, string][];
};

function RunSections({ nameOf, model, whole, ...request }: RunSectionsProps) {
  const { run } = request;
  const { input, output } = tokensOf(run);
  const named = { run, modelName: nameOf(run), connectionName: model?.connectionName };
  const contextTokens = model?.limits.contextTokens;
  const used = input === null ? null : input + (output ?? 0);
  return (
    <>
      <InspectorSection isPlain>
        <Facts
          facts={[
            ...listRunFacts(named, [
              "model",
              "connection",
              "cost",
              "reserved",
              "requested",
              "duration",
            ]),
          ]}
        />
        <FoldedFacts
          of="answer"
          facts={[
            ...listRunFacts(named, ["tokens"]),
            ...whole,
            ...listRunFacts(named, ["queuedFor", "firstOutput", "run"]),
          ]}
        />
      </InspectorSection>
      {used !== null && typeof contextTokens === "number" && (
        <InspectorSection title={t("chat.inspector.context")}>
          <p className={styles.context}>
            {t("chat.inspector.contextOf", {
              used: formatCount(used),
              most: formatCount(contextTokens),
            })}
          </p>
          <div className={styles.meter} aria-hidden>
            <i style={{ transform: `scaleX(${Math.min(1, used / contextTokens)})` }} />
          </div>
        </InspectorSection>
      )}
      <RequestSummary {...request} />
    </>
  );
}

/** The input in summary, and verbatim in a dialog. */
function RequestSummary({ run, message, tree, messages }: RequestProps) {
  const [isOpen, setOpen] = useState(false);
  const from = continuedId(run);
  const choice = messages.get(contextIdOf(run) ?? "");
  const branch = branchTo(tree, message.id).map((node) => messages.get(node.id) ?? node);
  const missing = branch.flatMap((node) => ("parts" in node ? [] : [node.id]));
  // A long conversation's messages are loaded when the dialog opens.
  const reading = useReadMessages(message.conversationId, isOpen ? missing : []);
  const turns = requestTurns(run, branch, messages.get(from ?? ""), choice);
  const system = turns.find(({ role }) => role === "system");
  const files = [...new Set(turns.flatMap(({ assetIds }) => assetIds))];
  const messageCount = turns.filter(({ role }) => role !== "system").length;
  return (
    <InspectorSection title={t("chat.inspector.saw")}>
      <ul className={styles.seen}>
        {system && (
          <li>
            <ScrollText aria-hidden />
            <span>{t("chat.inspector.system", { text: system.text })}</span>
          </li>
        )}
        {files.map((assetId) => (
          <li key={assetId}>
            <FileText aria-hidden />
            <RequestFile assetId={assetId} />
          </li>
        ))}
        <li>
          <MessageCircle aria-hidden />
          <span>{t("chat.inspector.messages", { count: messageCount })}</span>
        </li>
      </ul>
      <Button size="small" onClick={() => setOpen(true)}>
        {t("chat.inspector.show")}
      </Button>
      <RequestDialog
        open={isOpen}
        onOpenChange={setOpen}
        isRead={missing.length === 0}
        error={reading.error}
        onRetry={reading.retry}
        turns={turns}
        settings={run.input.settings}
      />
    </InspectorSection>
  );
}
