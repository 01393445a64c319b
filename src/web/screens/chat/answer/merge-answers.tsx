import { useQuery } from "@tanstack/react-query";
import { Merge } from "lucide-react";
import { useState } from "react";
import type { Model, ModelRef } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { ModelPicker } from "../../../components/composer/model-picker.tsx";
import { estimateQuery } from "../../../components/composer/use-estimate.ts";
import { toModelRef } from "../../../data/model-ref.ts";
import type { MessageNode } from "../../../data/queries/conversation.queries.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { expectedPrice, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Popover } from "../../../ui/overlays/popover.tsx";
import styles from "./answer-columns.module.css";

type MergeAnswersProps = {
  projectId: string;
  conversationId: string;
  question: MessageNode;
  /** The ids of the complete answers. */
  answerIds: string[];
  /** No message follows the answers yet. */
  isEnd: boolean;
  /** The model chosen for the next answer. */
  chosen: Model | null;
  onMerge: (question: MessageNode, answerIds: string[], model: ModelRef) => Promise<boolean>;
};

/** Merges side-by-side answers into one, with a chosen model. */
export function MergeAnswers(props: MergeAnswersProps) {
  const [isOpen, setOpen] = useState(false);
  const title = t("answers.merge.title", { count: props.answerIds.length });
  const open = () => setOpen(true);
  const act = { id: "merge", title: t("answers.merge"), icon: Merge, run: open };
  const at = useRowActions<HTMLSpanElement>(title, [act], props.isEnd);
  return (
    <span ref={at}>
      <Popover
        title={title}
        side="top"
        width={340}
        open={isOpen}
        onOpenChange={setOpen}
        trigger={<Button icon={act.icon}>{act.title}</Button>}
      >
        {(close) => <MergeForm {...props} onClose={close} />}
      </Popover>
    </span>
  );
}

function MergeForm({
  projectId,
  conversationId,
  question,
  answerIds,
  chosen,
  onMerge,
  onClose,
}: MergeAnswersProps & { onClose: () => void }) {
  const [other, setOther] = useState<Model | null>(null);
  const [isBusy, setBusy] = useState(false);
  const model = other ?? chosen;
  const ask = model && {
    model: toModelRef(model),
    settings: {},
    conversationId,
    parentId: question.id,
    merges: answerIds,
    characters: 0,
    bytes: 0,
    attachments: [],
  };
  const price = useQuery({
    ...estimateQuery(projectId, ask, "merge"),
    enabled: ask !== null,
  }).data;
  const merge = async () => {
    if (!model) return;
    setBusy(true);
    if (await onMerge(question, answerIds, toModelRef(model))) onClose();
    else setBusy(false);
  };
  return (
    <div className={styles.merge}>
      <p>{t("answers.merge.text")}</p>
      <div>
        <ModelPicker projectId={projectId} model={model} onChoose={setOther} />
      </div>
      <Button variant="primary" disabled={!model} busy={isBusy} onClick={() => void merge()}>
        {price && !isFree(model?.prices ?? [])
          ? t("answers.merge.priced", { price: formatPrice(expectedPrice(price)) })
          : t("answers.merge.now")}
      </Button>
    </div>
  );
}
