import type { Model } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { firstChoice } from "../composer/first-choice.ts";

/** What goes in besides words; a first try should need no file. */
const needsFile = ({ inputModalities }: Model): boolean =>
  inputModalities.some((modality) => modality !== "text");

/** The model of a new connection that a person tries first: for chats a known family's newest, else the newest that words alone are enough for. */
export function firstModelOf(task: Task, models: readonly Model[]): Model | undefined {
  const chosen = task === "chat" ? firstChoice(models, null) : null;
  const known = chosen && models.find(({ modelId }) => modelId === chosen.modelId);
  return known ?? models.find((model) => !needsFile(model)) ?? models[0];
}
