import { useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { useState } from "react";
import type { Model, ModelDetail } from "#contract/entities.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { asTemplate } from "#domain/text/prompt-template.ts";
import { ConnectServiceLink } from "../../../components/connections/connect-service-link.tsx";
import { estimatePrice } from "../../../components/model/estimate-price.ts";
import { ModelLine } from "../../../components/model/model-line.tsx";
import { promptFieldOf } from "../../../components/model/prompt-field.ts";
import { isSameModel, toModelPath, toModelRef } from "../../../data/model-ref.ts";
import {
  modelQuery,
  offeredTasksQuery,
  trialModelsQuery,
} from "../../../data/queries/models.queries.ts";
import { loadRecipe, readDraft } from "../../../data/saved/create-draft.ts";
import { useSaved } from "../../../data/saved/use-saved.ts";
import { useSession } from "../../../data/shell-data.ts";
import { formatPrice, sumPrices } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { inputsTogether, mostTried, tasksToTry, triedTogether } from "./trial.ts";
import { triedPrompt } from "./tried-prompt.ts";
import styles from "./try-dialog.module.css";

export type TryDialogProps = {
  open: boolean;
  onClose: () => void;
  /** The models selected on the cards; if empty, some are suggested. */
  chosen: readonly Model[];
  /** The task that the catalog shows now, if it is a single one. */
  task: Task | undefined;
};

/**
 * One prompt, up to four models of one task with their prices, and the total cost. Create runs it.
 */
export function TryDialog({ open, onClose, chosen, task: shown }: TryDialogProps) {
  return (
    <Dialog open={open} onOpenChange={(next) => next || onClose()} title={t("models.try.title")}>
      {open && <Trial chosen={chosen} shown={shown} />}
    </Dialog>
  );
}

function Trial({ chosen, shown }: { chosen: readonly Model[]; shown: Task | undefined }) {
  const { user, project } = useSession();
  const navigate = useNavigate();
  const offered = useQuery(offeredTasksQuery(project.id));
  const possible = tasksToTry.filter(
    (name) => offered.data?.includes(name) && chosen.every((model) => model.tasks.includes(name)),
  );
  const [wished, setWished] = useState(shown);
  const task = possible.find((name) => name === wished) ?? possible[0];
  const { value: prompt, change, clear } = useSaved(triedPrompt, project.id);
  /** Undefined until the person changes the suggestions. */
  const [picked, setPicked] = useState<readonly Model[] | undefined>(
    chosen.length > 0 ? chosen : undefined,
  );
  const candidates = useQuery({
    ...trialModelsQuery(project.id, task ?? "image"),
    enabled: task !== undefined,
  });
  const list = triedTogether(chosen, candidates.data ?? []);
  const models = picked ?? list.slice(0, mostTried);
  const details = useQueries({
    queries: models.map((model) => modelQuery(project.id, toModelRef(model))),
  });
  const unread = details.filter(({ data, isError }) => isError && !data);
  /** The models' forms as Create will show them: the prompt, and the previously saved settings. */
  const filled = details.flatMap(({ data: model }) => {
    if (!model) return [];
    const draft = readDraft(user.id, project.id, toModelRef(model));
    return [{ model, values: { ...draft, ...inputOf(model, prompt) } }];
  });
  const isPriced = filled.length === models.length && models.length > 0;
  const inputs = inputsTogether(filled);
  const price = sumPrices(
    filled.map(({ model }, index) => {
      const input = inputs[index] ?? {};
      const expand = typeof input.prompt === "string";
      return estimatePrice(model, { input, variants: 1, expand });
    }),
  );

  if (offered.isPending || (task && candidates.isPending)) return <SkeletonText lines={6} />;
  const error = offered.error ?? candidates.error;
  if (error)
    return (
      <ErrorState
        compact
        error={error}
        onRetry={() => void Promise.all([offered.refetch(), candidates.refetch()])}
      />
    );
  if (!task)
    return (
      <div className={styles.form}>
        <p className={styles.note}>{t("models.try.none")}</p>
        <ConnectServiceLink />
      </div>
    );
  const toggle = (model: Model, isOn: boolean) =>
    setPicked(isOn ? [...models, model] : models.filter((one) => !isSameModel(one, model)));
  const openInCreate = () => {
    const [first, ...others] = filled.map(({ model, values }) => ({
      ref: toModelRef(model),
      values,
    }));
    if (!first) return;
    const title = prompt.trim().split("\n")[0] || tasks[task].name;
    loadRecipe(user.id, project.id, { task, ...first, others, variants: 1, title });
    clear();
    void navigate({ to: "/create" });
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isPriced) openInCreate();
      }}
    >
      {possible.length > 1 && (
        <Segmented
          label={t("models.try.task")}
          value={task}
          onValueChange={(next) => {
            setWished(next);
            setPicked(chosen.length > 0 ? chosen : undefined);
          }}
          options={possible.map((value) => ({ value, label: tasks[value].name }))}
        />
      )}
      <TextArea
        label={t("models.try.prompt")}
        value={prompt}
        onValueChange={(next) => change(() => next)}
        placeholder={t("models.try.example")}
      />
      <fieldset className={styles.models}>
        <legend>{t("models.try.models", { most: mostTried })}</legend>
        {list.map((model) => {
          const isOn = models.some((one) => isSameModel(one, model));
          return (
            <Checkbox
              key={toModelPath(model)}
              label={<ModelLine model={model} />}
              checked={isOn}
              disabled={!isOn && models.length >= mostTried}
              onCheckedChange={(next) => toggle(model, next)}
            />
          );
        })}
      </fieldset>
      {unread[0] && (
        <ErrorState
          compact
          error={unread[0].error}
          onRetry={() => void Promise.all(unread.map(({ refetch }) => refetch()))}
        />
      )}
      <Button type="submit" variant="primary" icon={ArrowRight} disabled={!isPriced}>
        {isPriced
          ? t("models.try.open.price", { count: models.length, price: formatPrice(price) })
          : t("models.try.open")}
      </Button>
    </form>
  );
}

/** Create reads a prompt as a template, so template marks are escaped. */
const inputOf = (model: ModelDetail, prompt: string): Record<string, string> => {
  const name = promptFieldOf(model);
  if (!name || prompt.trim() === "") return {};
  return { [name]: name === "prompt" ? asTemplate(prompt) : prompt };
};
