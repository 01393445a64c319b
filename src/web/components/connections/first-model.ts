import type { Model } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { defaultModel } from "../composer/default-model.ts";

/** Whether a model needs input besides text; a first try shouldn't need a file. */
const needsFile = ({ inputModalities }: Model): boolean =>
  inputModalities.some((modality) => modality !== "text");

/**
 * The model to try first on a new connection: for chat the newest of a known family, otherwise the
 * newest that needs only text.
 */
export function firstModelOf(task: Task, models: readonly Model[]): Model | undefined {
  const chosen = task === "chat" ? defaultModel(models, null) : null;
  const known = chosen && models.find(({ modelId }) => modelId === chosen.modelId);
  return known ?? models.find((model) => !needsFile(model)) ?? models[0];
}
