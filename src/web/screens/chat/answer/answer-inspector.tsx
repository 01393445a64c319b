import { FileText, MessageCircle, ScrollText } from "lucide-react";
import { useState } from "react";
import type { Conversation, Message, Model, ModelRef, Run } from "#contract/entities.ts";
import { listRunFacts } from "../../../components/run/detail/list-run-facts.tsx";
import { tokensOf } from "../../../components/run/run-facts.ts";
import { Facts, InspectorSection } from "../../../frame/inspector.tsx";
import { formatCount, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SeenDialog, SeenFile } from "../context/seen-dialog.tsx";
import { contextIdOf, turnsOf } from "../context/seen-turns.ts";
import { branchTo, countBranches, type MessageTree } from "../thread/message-tree.ts";
import { continuedId, priceOfAll, totalsOf } from "./answer-facts.ts";
import styles from "./answer-inspector.module.css";
import { type Entry, partsOfAnswer } from "./whole-answer.ts";

export type AnswerInspectorProps = {
  conversation: Conversation;
  projectName: string;
  tree: MessageTree;
  runs: readonly Run[];
  /** The answer it tells of; undefined before the first. */
  message: Message | undefined;
  /** The whole answer that it is a round of. */
  entry: Entry | undefined;
  nameOf: (ref: ModelRef) => string;
  find: (ref: ModelRef) => Model | undefined;
};

/** The recipe of one answer: who gave it, what it took, what the model saw; and what the conversation has cost. */
export function AnswerInspector({
  conversation,
  projectName,
  tree,
  runs,
  message,
  entry,
  nameOf,
  find,
}: AnswerInspectorProps) {
  const run = message && runs.find(({ id }) => id === message.runId);
  const totals = totalsOf(runs);
  const hasSum = "micros" in totals.spent;
  // What is under way may cost something yet.
  const isUnsure = !hasSum && totals.unknown + totals.open > 0;
  const cost = isUnsure ? t("money.unknown") : formatPrice(totals.spent);
  return (
    <>
      {run && message ? (
        <RunSections
          run={run}
          message={message}
          tree={tree}
          nameOf={nameOf}
          model={find(run)}
          whole={entry && entry.length > 1 ? wholeFacts(entry, message, runs) : []}
        />
      ) : (
        <InspectorSection isPlain>
          <p className={styles.note}>{t("chat.inspector.empty")}</p>
        </InspectorSection>
      )}
      <InspectorSection title={t("chat.inspector.conversation")}>
        <Facts
          facts={[
            [
              t("chat.inspector.soFar"),
              runs.length === 0
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

/** Which round of its answer a message is, and what the whole answer cost. */
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

type RunSectionsProps = {
  run: Run;
  message: Message;
  tree: MessageTree;
  nameOf: (ref: ModelRef) => string;
  model: Model | undefined;
  whole: [string, string][];
};

function RunSections({ run, message, tree, nameOf, model, whole }: RunSectionsProps) {
  const { input, output } = tokensOf(run);
  const named = { run, modelName: nameOf(run), connectionName: model?.connectionName };
  const contextTokens = model?.limits.contextTokens;
  const used = input === null ? null : input + (output ?? 0);
  return (
    <>
      <InspectorSection isPlain>
        <Facts
          facts={[
            ...listRunFacts(named, ["model", "connection", "tokens", "cost", "reserved"]),
            ...whole,
            ...listRunFacts(named, ["requested", "queuedFor", "firstOutput", "duration", "run"]),
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
      <Seen run={run} message={message} tree={tree} />
    </>
  );
}

/** Everything that went in, by name; and word by word in a dialog. */
function Seen({ run, message, tree }: { run: Run; message: Message; tree: MessageTree }) {
  const [isOpen, setOpen] = useState(false);
  const from = continuedId(run);
  const choice = tree.byId.get(contextIdOf(run) ?? "");
  const turns = turnsOf(
    run,
    branchTo(tree, message.id),
    from === null ? undefined : tree.byId.get(from),
    choice,
  );
  const system = turns.find(({ role }) => role === "system");
  const files = [...new Set(turns.flatMap(({ assetIds }) => assetIds))];
  const said = turns.filter(({ role }) => role !== "system").length;
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
            <SeenFile assetId={assetId} />
          </li>
        ))}
        <li>
          <MessageCircle aria-hidden />
          <span>{t("chat.inspector.messages", { count: said })}</span>
        </li>
      </ul>
      <Button size="small" onClick={() => setOpen(true)}>
        {t("chat.inspector.show")}
      </Button>
      <SeenDialog
        open={isOpen}
        onOpenChange={setOpen}
        turns={turns}
        settings={run.input.settings}
      />
    </InspectorSection>
  );
}
