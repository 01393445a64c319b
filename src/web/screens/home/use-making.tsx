import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Task, tasks } from "#contract/tasks.ts";
import { inShape } from "#domain/files/picture-shape.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { asTemplate } from "#domain/text/prompt-template.ts";
import type { Draft } from "../../components/composer/message-draft.ts";
import { estimatePrice } from "../../components/model/estimate-price.ts";
import { useAttemptKey } from "../../data/attempt-key.ts";
import { loadRecipe } from "../../data/kept/create-draft.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { type Making, makeRuns } from "../../data/queries/create.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { toInput, useMakingModel } from "./use-making-model.ts";

/** Starts a run of the task's last used model. It is shown on Home, and in Create's feed. */
export function useMaking(
  task: Task,
  draft: Draft,
  clear: () => void,
  onMade: (batchId: string) => void,
) {
  const { user, project } = useSession();
  const queryClient = useQueryClient();
  const { model, isLoading, error: modelError } = useMakingModel(project.id, task);
  const attempt = useAttemptKey();
  const make = useMutation({
    mutationFn: (request: Omit<Making, "idempotencyKey">) =>
      makeRuns(queryClient, { ...request, idempotencyKey: attempt.keyOf(request) }),
    onSuccess: ({ batch }, { models: [ref], input, task: made }) => {
      attempt.succeed();
      // Create shows what was made last, however one comes there.
      const { prompt } = input;
      if (ref)
        loadRecipe(user.id, project.id, {
          task: made,
          ref: toModelRef(ref),
          values: typeof prompt === "string" ? { ...input, prompt: asTemplate(prompt) } : input,
          title: promptOf(input).trim().split("\n")[0] || tasks[made].name,
        });
      clear();
      onMade(batch.id);
    },
  });
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
        aria-label={t("home.model.make", { name: model.name })}
      >
        {model.name}
      </Link>
    ),
    price: model && input ? formatPrice(estimatePrice(model, { input, variants: 1 })) : null,
    error: make.error ?? modelError,
    retry: undefined,
    blocked: isLoading || make.isPending ? t("ui.loading") : model ? null : t("home.noModel"),
    send: () => {
      if (model && input)
        make.mutate({
          projectId: project.id,
          models: [toModelRef(model)],
          task,
          input,
          variants: 1,
        });
    },
  };
}
