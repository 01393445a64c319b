import { Link } from "@tanstack/react-router";
import type { Task } from "#contract/tasks.ts";
import { inShape } from "#domain/files/picture-shape.ts";
import type { Draft } from "../../components/composer/message-draft.ts";
import { useMake } from "../../components/making/use-make.ts";
import { estimatePrice } from "../../components/model/estimate-price.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import styles from "./home.module.css";
import { toInput, useMediaModel } from "./use-media-model.ts";

/** Starts a run with the task's last used model. It appears on Home and in Create's feed. */
export function useMediaComposer(
  task: Task,
  draft: Draft,
  clear: () => void,
  onMade: (batchId: string) => void,
) {
  const { user, project } = useSession();
  const { model, isLoading, error: modelError } = useMediaModel(project.id, task);
  const make = useMake(onMade);
  const { pictureShape } = user.defaults;
  const worded = model && toInput(model, draft);
  const input =
    model && worded && task === "image" && pictureShape
      ? inShape(model.inputSchema, worded, pictureShape)
      : worded;
  return {
    model: model && (
      <Link
        to="/create"
        search={{ task }}
        className={buttonClass({ size: "small" })}
        data-tooltip={model.name}
        aria-label={t("home.model.make", { name: model.name })}
      >
        <span className={styles.modelName}>{model.name}</span>
      </Link>
    ),
    price: model && input ? formatPrice(estimatePrice(model, { input, variants: 1 })) : null,
    error: make.error ?? modelError,
    retry: undefined,
    blocked: isLoading || make.isPending ? t("ui.loading") : model ? null : t("home.noModel"),
    send: () => {
      if (!model || !input) return;
      // Not in `useMake`, which would call the newest `clear`, with text typed since.
      make.mutateAsync({ models: [toModelRef(model)], task, input }).then(clear, () => undefined);
    },
  };
}
