import { useMutation, useQueryClient } from "@tanstack/react-query";
import { tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { asTemplate } from "#domain/text/prompt-template.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { type MakeRequest, makeRuns } from "../../data/queries/create.queries.ts";
import { loadRecipe } from "../../data/saved/create-draft.ts";
import { useSession } from "../../data/shell-data.ts";

type PromptRequest = Omit<MakeRequest, "projectId" | "variants"> & {
  /** The number of results; one by default. */
  variants?: number;
};

/**
 * Makes results of a prompt outside of Create. Create lists the result and its recipe, so that
 * the person can continue there.
 * @param onCreated receives the batch's id
 */
export function useMake(onCreated: (batchId: string) => void) {
  const { user, project } = useSession();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (recipe: PromptRequest) =>
      makeRuns(queryClient, { variants: 1, ...recipe, projectId: project.id }),
    onSuccess: ({ batch }, { models: [ref], input, task }) => {
      const { prompt } = input;
      if (ref)
        loadRecipe(user.id, project.id, {
          task,
          ref: toModelRef(ref),
          values: typeof prompt === "string" ? { ...input, prompt: asTemplate(prompt) } : input,
          title: promptOf(input).trim().split("\n")[0] || tasks[task].name,
        });
      onCreated(batch.id);
    },
  });
}
