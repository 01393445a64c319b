import { Link } from "@tanstack/react-router";
import { WandSparkles } from "lucide-react";
import { useState } from "react";
import type { ModelDetail } from "#contract/entities.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { BudgetLink } from "../../../components/budgets/budget-link.tsx";
import { ResultTiles } from "../../../components/making/result-tiles.tsx";
import { useBatchResults } from "../../../components/making/use-batch-results.ts";
import { useMake } from "../../../components/making/use-make.ts";
import { estimatePrice } from "../../../components/model/estimate-price.ts";
import { promptFieldOf } from "../../../components/model/prompt-field.ts";
import { toModelPath, toModelRef } from "../../../data/model-ref.ts";
import { useSaved } from "../../../data/saved/use-saved.ts";
import { useSession } from "../../../data/shell-data.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { PageSection } from "../../../frame/page.tsx";
import { formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { triedPrompt } from "./tried-prompt.ts";
import styles from "./try-one.module.css";

const tilePx = 200;

/** One prompt for one model, run in place with the model's defaults; the price is on the button. */
export function TryOne({ model, task }: { model: ModelDetail; task: Task }) {
  const { project } = useSession();
  const { value: prompt, change } = useSaved(triedPrompt, project.id);
  const [batchIds, setBatchIds] = useState<string[]>([]);
  const made = useBatchResults(batchIds);
  const make = useMake((id) => setBatchIds((before) => [...before, id]));
  const input = { [promptFieldOf(model) ?? "prompt"]: prompt };
  const price = formatPrice(estimatePrice(model, { input, variants: 1 }));
  const isReady = prompt.trim() !== "";
  const start = () => {
    if (isReady && !make.isPending) make.mutate({ models: [toModelRef(model)], task, input });
  };
  return (
    <PageSection
      title={t("models.tryOne")}
      action={
        <Link to="/create" search={{ model: toModelPath(model), task }} className={styles.more}>
          {t("models.tryOne.settings")}
        </Link>
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <TextArea
          label={t("models.try.prompt")}
          isLabelHidden
          minRows={2}
          value={prompt}
          onValueChange={(next) => change(() => next)}
          placeholder={t("models.try.example")}
        />
        <ActionButton
          action="models.tryOne"
          actionTitle={t("models.tryOne.act", { name: model.name, price })}
          shortcut="mod+enter"
          variant="primary"
          icon={WandSparkles}
          busy={make.isPending}
          disabled={!isReady}
          onClick={start}
        >
          {t("models.tryOne.make", { one: tasks[task].makes.one, price })}
        </ActionButton>
      </form>
      {make.error && (
        <ErrorState
          compact
          error={make.error}
          safe={t("models.tryOne.safe")}
          action={<BudgetLink error={make.error} />}
        />
      )}
      {made.length > 0 && (
        <div className={styles.made}>
          <ResultTiles label={t("models.tryOne.made")} made={made} targetHeight={tilePx} />
        </div>
      )}
    </PageSection>
  );
}
