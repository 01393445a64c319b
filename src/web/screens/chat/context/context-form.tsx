import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Message, Model } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { ModelPicker } from "../../../components/composer/model-picker.tsx";
import { type EstimateProps, estimateQuery } from "../../../components/composer/use-estimate.ts";
import { toModelRef } from "../../../data/model-ref.ts";
import { changeConversation } from "../../../data/queries/chat.queries.ts";
import {
  conversationQuery,
  type OpenedConversation,
} from "../../../data/queries/conversation.queries.ts";
import { expectedPrice, formatCount, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { branchTo, buildTree } from "../thread/message-tree.ts";
import { useReadMessages } from "../thread/use-read-messages.ts";
import { WholeBranch } from "../thread/whole-branch.tsx";
import { type CutPoint, contextOf, cutPointsOf, usualPoint } from "./branch-context.ts";
import styles from "./context.module.css";
import { type ContextUse, describeUse, fullnessOf } from "./context-fullness.ts";
import { useContextChoice } from "./use-context-choice.ts";

type Way = "drop" | "summary" | "branch";
const ways: readonly Way[] = ["drop", "summary", "branch"];

export type ContextFormProps = EstimateProps & {
  conversationId: string;
  opened: OpenedConversation;
  use: ContextUse;
  onDone: () => void;
};

/**
 * Three ways to make room in a full context, and the message to start from. None deletes anything.
 */
export function ContextForm(props: ContextFormProps) {
  const { opened, parentId, conversationId } = props;
  const messages = new Map(opened.messages.map((message) => [message.id, message]));
  const nodes = branchTo(buildTree(opened.nodes), parentId);
  const branch = nodes.flatMap(({ id }) => messages.get(id) ?? []);
  // A person chooses among all of their messages by text.
  const missing = nodes.flatMap(({ id }) => (messages.has(id) ? [] : [id]));
  const { error, retry } = useReadMessages(conversationId, missing);
  return (
    <WholeBranch isRead={missing.length === 0} error={error} onRetry={retry}>
      <Ways {...props} branch={branch} />
    </WholeBranch>
  );
}

type WaysProps = ContextFormProps & { branch: readonly Message[] };

function Ways(props: WaysProps) {
  const { opened, branch, use, chosen, conversationId, onDone } = props;
  const [way, setWay] = useState<Way>("drop");
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const context = contextOf(opened.messages, branch);
  const points = cutPointsOf(branch);
  const room = use.contextTokens === null ? null : use.contextTokens - use.neededTokens;
  const point = points.find(({ first }) => first.id === chosenId) ?? usualPoint(points, room);
  const { choose, drop } = useContextChoice(conversationId);
  const goBack = useGoBack(conversationId);
  const done = async (act: () => Promise<boolean>) => {
    setBusy(true);
    const isKept = await act();
    setBusy(false);
    if (isKept) onDone();
  };
  const full = fullnessOf(use);
  return (
    <div className={styles.form}>
      <div className={styles.use}>
        {full && (
          <ProgressBar
            value={full.share}
            label={t("context.title")}
            tone={full.level === "calm" ? "quiet" : "busy"}
          />
        )}
        <p>{describeUse(use, chosen.model?.name ?? "")}</p>
      </div>
      {point ? (
        <>
          <Segmented
            label={t("context.way")}
            value={way}
            onValueChange={setWay}
            options={ways.map((value) => ({ value, label: t(`context.way.${value}`) }))}
          />
          <p className={styles.hint}>{t(`context.${way}.hint`)}</p>
          <Points points={points} chosen={point} onChoose={setChosenId} />
          {way === "drop" && (
            <div className={styles.actions}>
              <Button
                variant="primary"
                busy={isBusy}
                onClick={() => void done(() => drop(context, point.upTo, point.leavesOut))}
              >
                {t("context.drop", { count: point.leavesOut })}
              </Button>
            </div>
          )}
          {way === "branch" && (
            <div className={styles.actions}>
              <Button
                variant="primary"
                busy={isBusy}
                onClick={() => void done(() => goBack(point.upTo))}
              >
                {t("context.branch")}
              </Button>
            </div>
          )}
          {way === "summary" && (
            <Summarize
              {...props}
              point={point}
              isBusy={isBusy}
              onSummarize={(model) =>
                void done(() =>
                  choose(context, point.upTo, {
                    sends: "summary",
                    ask: {
                      model: toModelRef(model),
                      settings: {},
                    },
                  }),
                )
              }
            />
          )}
        </>
      ) : (
        <p className={styles.hint}>{t("context.noPoints")}</p>
      )}
    </div>
  );
}

function Points({
  points,
  chosen,
  onChoose,
}: {
  points: readonly CutPoint[];
  chosen: CutPoint;
  onChoose: (id: string) => void;
}) {
  return (
    <div role="radiogroup" aria-label={t("context.points")} className={styles.points}>
      {points.map((point) => (
        <label key={point.first.id} className={styles.point}>
          <input
            type="radio"
            name="context-point"
            checked={point === chosen}
            onChange={() => onChoose(point.first.id)}
          />
          <span className={styles.pointWords}>
            {t("context.point", { words: point.words || t("context.point.wordless") })}
          </span>
          <span className={styles.pointTokens}>
            {t("context.point.tokens", { tokens: formatCount(point.tokensFrom) })}
          </span>
        </label>
      ))}
    </div>
  );
}

type SummarizeProps = ContextFormProps & {
  point: CutPoint;
  isBusy: boolean;
  onSummarize: (model: Model) => void;
};

/** The model that summarizes, with its estimated cost. */
function Summarize({
  projectId,
  conversationId,
  chosen,
  point,
  isBusy,
  onSummarize,
}: SummarizeProps) {
  const [other, setOther] = useState<Model | null>(null);
  const model = other ?? chosen.model;
  const ask = model && {
    model: toModelRef(model),
    settings: {},
    conversationId,
    parentId: point.upTo,
    summarises: true as const,
    characters: 0,
    bytes: 0,
    attachments: [],
  };
  const price = useQuery({
    ...estimateQuery(projectId, ask, "summary"),
    enabled: ask !== null,
  }).data;
  const count = point.leavesOut;
  return (
    <div className={styles.actions}>
      <span className={styles.by}>
        {t("context.summary.model")}
        <ModelPicker projectId={projectId} model={model} onChoose={setOther} />
      </span>
      <Button
        variant="primary"
        disabled={!model}
        busy={isBusy}
        onClick={() => model && onSummarize(model)}
      >
        {price && !isFree(model?.prices ?? [])
          ? t("context.summarise.priced", { count, price: formatPrice(expectedPrice(price)) })
          : t("context.summarise", { count })}
      </Button>
    </div>
  );
}

/** Moves the head back to an earlier message, with undo. */
function useGoBack(conversationId: string) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const showError = useErrorToast();
  const move = async (headMessageId: string): Promise<string | null> => {
    const conversation = queryClient.getQueryData(
      conversationQuery(conversationId).queryKey,
    )?.conversation;
    if (!conversation) return null;
    try {
      await changeConversation(queryClient, conversation, { headMessageId });
      return conversation.headMessageId;
    } catch (error) {
      showError(error);
      return null;
    }
  };
  return async (messageId: string): Promise<boolean> => {
    const before = await move(messageId);
    if (before === null) return false;
    toast({
      text: t("context.branched"),
      action: { label: t("ui.undo"), onAction: () => void move(before) },
    });
    return true;
  };
}
