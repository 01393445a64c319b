import { useState } from "react";
import type { ModelRef } from "#contract/entities.ts";
import type { PictureShape } from "#contract/picture-shapes.ts";
import type { Task } from "#contract/tasks.ts";
import { askedShape, inShape } from "#domain/files/picture-shape.ts";
import type { Draft } from "../../components/composer/message-draft.ts";
import { ModelPicker } from "../../components/composer/model-picker.tsx";
import { useMake } from "../../components/making/use-make.ts";
import { estimatePrice } from "../../components/model/estimate-price.ts";
import { makesVariants } from "../../components/model/makes-variants.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { MediaShape } from "./media-shape.tsx";
import { toInput, useMediaModel } from "./use-media-model.ts";

/** Starts runs with a model of the task. They appear on Home and in Create's feed. */
export function useMediaComposer(
  task: Task,
  draft: Draft,
  clear: () => void,
  onMade: (batchId: string) => void,
) {
  const { user, project } = useSession();
  const [chosen, setChosen] = useState<Partial<Record<Task, ModelRef>>>({});
  const { model, isLoading, error: modelError } = useMediaModel(project.id, task, chosen[task]);
  const make = useMake(onMade);
  // Each task has its own: four pictures don't mean four videos.
  const [counts, setCounts] = useState<Partial<Record<Task, number>>>({});
  const variants = model && makesVariants(model) ? (counts[task] ?? 1) : 1;
  const [shape, setShape] = useState<PictureShape | null>();
  const asked = shape === undefined && task === "image" ? user.defaults.pictureShape : shape;
  const worded = model && toInput(model, draft);
  const input = worded && asked ? inShape(model.inputSchema, worded, asked) : worded;
  return {
    model: isLoading ? (
      <Skeleton width={84} height={26} radius={99} />
    ) : (
      <>
        <ModelPicker
          projectId={project.id}
          task={task}
          model={model}
          onChoose={(choice) => setChosen({ ...chosen, [task]: toModelRef(choice) })}
        />
        {model && input && (
          <MediaShape
            model={model}
            task={task}
            count={variants}
            onCount={(count) => setCounts({ ...counts, [task]: count })}
            shape={askedShape(model.inputSchema, input)}
            onShape={setShape}
          />
        )}
      </>
    ),
    price: model && input ? formatPrice(estimatePrice(model, { input, variants })) : null,
    error: make.error ?? modelError,
    retry: undefined,
    blocked: isLoading || make.isPending ? t("ui.loading") : model ? null : t("home.noModel"),
    send: () => {
      if (!model || !input) return;
      // Not in `useMake`, which would call the newest `clear`, with text typed since.
      make
        .mutateAsync({ models: [toModelRef(model)], task, input, variants })
        .then(clear, () => undefined);
    },
  };
}
