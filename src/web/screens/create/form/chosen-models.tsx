import { Boxes, CircleAlert, Plus, X } from "lucide-react";
import { useState } from "react";
import { pricesText } from "../../../components/model/price-text.ts";
import { taskIcon } from "../../../components/model/task-icon.ts";
import { isSameModel, shortName, toModelPath } from "../../../data/model-ref.ts";
import { useActions } from "../../../frame/action-button.tsx";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { Part } from "../../../ui/part.tsx";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import styles from "./form.module.css";
import { type ChosenModel, type CreateForm, mostModels } from "./use-create-form.ts";

const ModelPicker = lazyPart(() =>
  import("../pick/model-picker.tsx").then(({ ModelPicker }) => ModelPicker),
);

/** The models that receive the input, at most eight. The form has the first model's settings. */
export function ChosenModels({ projectId, form }: { projectId: string; form: CreateForm }) {
  const [isPicking, setPicking] = useState<"add" | "replace" | null>(null);
  const { models, task } = form;
  const add = () => setPicking("add");
  const replace = () => setPicking("replace");
  useActions([
    ...(models.length < mostModels
      ? [{ id: "create.addModel", title: t("create.addModel"), icon: Plus, run: add }]
      : []),
    ...(models.length === 1
      ? [{ id: "create.changeModel", title: t("create.changeModel"), icon: Boxes, run: replace }]
      : []),
  ]);
  return (
    <div className={styles.models}>
      {models.map((chosen) => (
        <ModelCard
          key={toModelPath(chosen.ref)}
          chosen={chosen}
          task={task}
          onOpen={models.length === 1 ? replace : undefined}
          onRemove={
            models.length > 1 || chosen.error ? () => form.removeModel(chosen.ref) : undefined
          }
        />
      ))}
      <div className={styles.modelActions}>
        {models.length < mostModels && (
          <Chip icon={Plus} onClick={add}>
            {t("create.addModel")}
          </Chip>
        )}
        {models.length === 1 && <Chip onClick={replace}>{t("create.changeModel")}</Chip>}
      </div>
      {form.sharesPart && <p className={styles.note}>{t("create.shared")}</p>}
      <Dialog
        open={isPicking !== null}
        onOpenChange={(open) => open || setPicking(null)}
        title={t(isPicking === "replace" ? "create.changeModel" : "create.addModel")}
        size="wide"
        isBare
      >
        <Part>
          <ModelPicker
            projectId={projectId}
            offered={[task]}
            task={task}
            keep={
              isPicking === "add"
                ? (model) => !models.some(({ ref }) => isSameModel(ref, model))
                : undefined
            }
            onPick={({ connectionId, modelId }) => {
              if (isPicking === "replace") form.choose(task, { connectionId, modelId });
              else form.addModel({ connectionId, modelId });
              setPicking(null);
            }}
          />
        </Part>
      </Dialog>
    </div>
  );
}

type ModelCardProps = {
  chosen: ChosenModel;
  task: CreateForm["task"];
  onOpen?: () => void;
  onRemove?: () => void;
};

function ModelCard({ chosen: { ref, model, error }, task, onOpen, onRemove }: ModelCardProps) {
  const Icon = error ? CircleAlert : taskIcon(task);
  const name = model?.name ?? (error ? ref.modelId : shortName(ref));
  const words = (
    <span className={styles.modelWords}>
      <span className={styles.modelName}>
        {model || error ? (
          name
        ) : (
          <>
            <VisuallyHidden>{name}</VisuallyHidden>
            <Skeleton width="44%" height={18} />
          </>
        )}
      </span>
      <span className={styles.modelFacts}>
        {error ? (
          describeError(error).title
        ) : model ? (
          `${model.connectionName} · ${pricesText(model.prices)}`
        ) : (
          <Skeleton width="60%" height={11} />
        )}
      </span>
    </span>
  );
  return (
    <div className={styles.model} data-lost={error ? true : undefined}>
      <span className={styles.modelIcon}>
        <Icon aria-hidden />
      </span>
      {onOpen ? (
        <button type="button" className={styles.modelOpen} aria-haspopup="dialog" onClick={onOpen}>
          {words}
          <VisuallyHidden>{t("create.changeModel")}</VisuallyHidden>
        </button>
      ) : (
        words
      )}
      {onRemove && (
        <IconButton
          size="small"
          icon={X}
          label={t("create.model.remove", { name })}
          onClick={onRemove}
        />
      )}
    </div>
  );
}
