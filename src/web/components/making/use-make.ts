import { useMutation, useQueryClient } from "@tanstack/react-query";
import { tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { asTemplate } from "#domain/text/prompt-template.ts";
import { useAttemptKey } from "../../data/attempt-key.ts";
import { loadRecipe } from "../../data/kept/create-draft.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { type Making, makeRuns } from "../../data/queries/create.queries.ts";
import { useSession } from "../../data/shell-data.ts";

export type OneMaking = Omit<Making, "idempotencyKey" | "projectId" | "variants">;

/**
 * Makes one result of a prompt outside of Create. Create lists the result and its recipe, so that
 * the person can continue there.
 * @param onMade receives the batch's id
 */
export function useMake(onMade: (batchId: string) => void) {
  const { user, project } = useSession();
  const queryClient = useQueryClient();
  const attempt = useAttemptKey();
  return useMutation({
    mutationFn: (making: OneMaking) => {
      const request = { ...making, projectId: project.id, variants: 1 };
      return makeRuns(queryClient, { ...request, idempotencyKey: attempt.keyOf(request) });
    },
    onSuccess: ({ batch }, { models: [ref], input, task }) => {
      attempt.succeed();
      const { prompt } = input;
      if (ref)
        loadRecipe(user.id, project.id, {
          task,
          ref: toModelRef(ref),
          values: typeof prompt === "string" ? { ...input, prompt: asTemplate(prompt) } : input,
          title: promptOf(input).trim().split("\n")[0] || tasks[task].name,
        });
      onMade(batch.id);
    },
  });
}
