import { useQueries, useQuery } from "@tanstack/react-query";
import { PencilLine } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Model, Run } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import {
  describeInstructions,
  describeQuestion,
  improveInstructions,
  readPromptAnswer,
} from "#domain/text/prompt-help.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { fileUrl, thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import { BudgetLink } from "../../../components/budgets/budget-link.tsx";
import { ModelPicker } from "../../../components/composer/model-picker.tsx";
import { useNextPrice } from "../../../components/composer/next-price.tsx";
import { useChosenModel } from "../../../components/composer/use-chosen-model.ts";
import { ConnectServiceLink } from "../../../components/connections/connect-service-link.tsx";
import { WordDiff } from "../../../components/diff/word-diff.tsx";
import { approvalText } from "../../../components/run/approval-text.ts";
import { isEnded, priceOf } from "../../../components/run/run-facts.ts";
import { isProblem } from "../../../data/client.ts";
import { useAskPrompt } from "../../../data/queries/create.queries.ts";
import { assetQuery, runQuery } from "../../../data/queries/shared.queries.ts";
import { useCancelRun } from "../../../data/run-change.ts";
import { formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import type { HelpKind } from "./help-kind.ts";
import styles from "./prompt-help.module.css";

type PromptHelpDialogProps = {
  projectId: string;
  kind: HelpKind;
  open: boolean;
  task: Task;
  /** The form's current prompt, with which the answer is compared. */
  prompt: string;
  pictures: readonly string[];
  /** The help run, until its answer is used or discarded. */
  runId: string | null;
  onAsked: (runId: string | null) => void;
  onAccept: (prompt: string) => void;
  onClose: () => void;
};

/** Asks a language model for a prompt, and shows the changes before applying them. */
export function PromptHelpDialog(props: PromptHelpDialogProps) {
  const { runId } = props;
  const { data, error } = useQuery(runQuery(runId));
  const run = data?.run;
  // A saved run may have been deleted since.
  if (runId === null || isProblem(error, "not_found")) return <Ask {...props} failure={null} />;
  if (!run || !isEnded(run)) return <Waiting {...props} run={run} />;
  const answer = run.state === "succeeded" ? readPromptAnswer(answerText(run)) : "";
  if (answer !== "") return <Answer {...props} run={run} answer={answer} />;
  const noPrompt = { code: "provider_failed", message: t("create.helpDialog.empty") };
  return <Ask {...props} failure={run.state === "cancelled" ? null : (run.error ?? noPrompt)} />;
}

/** A run's answer text. */
function answerText(run: Run): string {
  const parts = Array.isArray(run.result?.parts) ? run.result.parts : [];
  return parts
    .flatMap((part: { type?: unknown; text?: unknown }) =>
      part.type === "text" && typeof part.text === "string" ? [part.text] : [],
    )
    .join("");
}

/** The built-in guide only answers questions about Bottega. */
const writesPrompts = ({ connectionKind }: Model): boolean => connectionKind !== "builtin";
const readsPictures = (model: Model): boolean =>
  writesPrompts(model) && model.inputModalities.includes("image");

/** @param failure the last attempt's error */
function Ask(props: PromptHelpDialogProps & { failure: unknown }) {
  const { projectId, kind, open, task, prompt, pictures, onAsked, onClose } = props;
  const [picked, setPicked] = useState<string>();
  const assetId = pictures.find((id) => id === picked) ?? pictures[0] ?? "";
  const keep = kind === "describe" ? readsPictures : writesPrompts;
  const chosen = useChosenModel(projectId, undefined, { storedAs: `${kind}-model`, keep });
  const { many } = tasks[task].makes;
  const isDescribing = kind === "describe";
  const price = useNextPrice({
    projectId,
    conversationId: undefined,
    parentId: null,
    text: isDescribing ? describeQuestion : prompt,
    files: isDescribing ? [{ assetId, name: "", mime: "", kind: "image" }] : [],
    chosen,
    conversation: {
      systemPrompt: isDescribing ? describeInstructions(many) : improveInstructions(many),
      settings: {},
    },
  });
  const asking = useAskPrompt(projectId);
  const ask = () => {
    if (!chosen.ref) return;
    const about = isDescribing ? { assetId } : { prompt };
    const onSuccess = ({ run }: { run: Run }) => onAsked(run.id);
    asking.mutate({ model: chosen.ref, task, ...about }, { onSuccess });
  };
  const failure = asking.error ?? props.failure;
  const act = t(`create.help.${kind}`);
  const hasInput = isDescribing ? assetId !== "" : prompt.trim() !== "";
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || onClose()}
      title={act}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button
            variant="primary"
            busy={asking.isPending}
            disabled={!chosen.ref || price === null || !hasInput}
            onClick={ask}
          >
            {price ? t("create.helpDialog.price", { act, price: formatPrice(price) }) : act}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {Boolean(failure) && (
          <ErrorState
            compact
            error={failure}
            safe={t("create.helpDialog.safe")}
            action={<BudgetLink error={failure} />}
          />
        )}
        {isDescribing && (
          <Pictures ids={pictures} chosen={assetId} onChoose={(id) => setPicked(id)} />
        )}
        {chosen.hasNone ? (
          <>
            <p>{t(`create.help.${kind}.noModel`)}</p>
            <div className={styles.line}>
              <ConnectServiceLink />
            </div>
          </>
        ) : (
          <>
            <div className={styles.line}>
              <span className={styles.label}>{t("create.helpDialog.model")}</span>
              <ModelPicker
                projectId={projectId}
                model={chosen.model}
                keep={keep}
                onChoose={chosen.choose}
              />
            </div>
            <p className={styles.note}>{t(`create.help.${kind}.hint`)}</p>
          </>
        )}
      </div>
    </Dialog>
  );
}

type PicturesProps = {
  ids: readonly string[];
  chosen: string;
  onChoose: (id: string) => void;
};

function Pictures({ ids, chosen, onChoose }: PicturesProps) {
  const details = useQueries({ queries: ids.map((id) => assetQuery(id)) });
  const assets = details.flatMap(({ data }) => (data?.asset.kind === "image" ? [data.asset] : []));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would break the row of pictures
    <div className={styles.pictures} role="group" aria-label={t("create.helpDialog.picture")}>
      {assets.map((asset) => (
        <button
          key={asset.id}
          type="button"
          className={styles.picture}
          aria-pressed={asset.id === chosen}
          aria-label={assetName(asset)}
          onClick={() => onChoose(asset.id)}
        >
          <img src={thumbnailUrl(asset, 72) ?? fileUrl(asset.id)} alt="" />
        </button>
      ))}
    </div>
  );
}

function Waiting({ kind, open, run, onClose }: PromptHelpDialogProps & { run: Run | undefined }) {
  const cancel = useCancelRun();
  const onError = useErrorToast();
  const isStopping = cancel.isPending || Boolean(run?.cancelRequestedAt);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || onClose()}
      title={t(`create.help.${kind}`)}
      footer={
        <Button
          busy={isStopping}
          disabled={!run}
          onClick={() => run && cancel.mutate(run.id, { onError })}
        >
          {t("ui.stop")}
        </Button>
      }
    >
      <div className={styles.form}>
        <p role="status">
          {run ? (approvalText(run) ?? runStateText(run.state)) : t("ui.loading")}
        </p>
        <SkeletonText lines={4} />
      </div>
    </Dialog>
  );
}

type AnswerProps = PromptHelpDialogProps & { run: Run; answer: string };

/** The changes of the answer, which can be edited before it is used. */
function Answer(props: AnswerProps) {
  const { kind, open, prompt, run, answer, onAsked, onAccept, onClose } = props;
  const [edited, setEdited] = useState<string | null>(null);
  const text = edited ?? answer;
  const close = (act?: () => void) => {
    onClose();
    onAsked(null);
    act?.();
  };
  const isEmpty = prompt.trim() === "";
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || onClose()}
      title={t(`create.help.${kind}`)}
      size="wide"
      footer={
        <>
          {edited === null && (
            <Button icon={PencilLine} onClick={() => setEdited(answer)}>
              {t("create.helpDialog.edit")}
            </Button>
          )}
          <Button onClick={() => close()}>{t("create.helpDialog.discard")}</Button>
          <Button
            variant="primary"
            disabled={text.trim() === ""}
            onClick={() => close(() => onAccept(text.trim()))}
          >
            {t("create.helpDialog.use")}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {edited === null ? (
          <Change label={t("create.helpDialog.change")}>
            {isEmpty ? answer : <WordDiff first={prompt.trim()} second={answer} tooLong={answer} />}
          </Change>
        ) : (
          <TextArea
            label={t("create.prompt")}
            value={edited}
            onValueChange={setEdited}
            maxRows={12}
          />
        )}
        <p className={styles.note}>
          {t("create.helpDialog.cost", { price: formatPrice(priceOf(run)) })}
          {!isEmpty && edited === null && ` ${t("create.helpDialog.marks")}`}
        </p>
      </div>
    </Dialog>
  );
}

function Change({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is scrolled by keyboard
    <section className={styles.text} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
