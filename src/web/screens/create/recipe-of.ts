import type { Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { asTemplate } from "#domain/text/prompt-template.ts";
import { toModelRef } from "../../data/model-ref.ts";
import type { LoadedRecipe } from "../../data/saved/create-draft.ts";

/**
 * A run's recipe for the form. Its prompt is already expanded and must not be expanded again.
 * @param keepsSeed with the seed, the next result is the same
 */
export function recipeOf(made: Run, { keepsSeed }: { keepsSeed: boolean }): LoadedRecipe {
  const { seed, prompt, ...rest } = made.input as JsonObject;
  return {
    task: made.task,
    ref: toModelRef(made),
    values: {
      ...(prompt !== undefined && {
        prompt: typeof prompt === "string" ? asTemplate(prompt) : prompt,
      }),
      ...rest,
      ...(keepsSeed && seed !== undefined && { seed }),
    },
    variants: expectedOutputs(made),
    title:
      promptOf(made.input as JsonObject)
        .trim()
        .split("\n")[0] || tasks[made.task].name,
  };
}

/** The number of files that a run makes, according to its input. */
export function expectedOutputs(run: Run): number {
  for (const name of ["num_images", "num_samples", "num_outputs", "num_videos", "n"]) {
    const count = run.input[name];
    if (typeof count === "number" && Number.isInteger(count) && count > 0)
      return Math.min(count, 16);
  }
  return 1;
}
