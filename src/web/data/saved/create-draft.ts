import type { ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Task, taskNames } from "#contract/tasks.ts";
import { isSameModel, toModelPath } from "../model-ref.ts";
import { isRecord, type Slot, savedEntries } from "./saved-entries.ts";

/**
 * Create's choices for a project on this device: the task, each task's models, and the number of
 * variants.
 */
export type Choice = { task: Task; models: Partial<Record<Task, ModelRef[]>>; variants: number };

const firstChoice: Choice = { task: "image", models: {}, variants: 1 };
const choice: Slot<Choice> = {
  kind: "choice",
  name: "create",
  version: 1,
  empty: firstChoice,
  parse: (saved) =>
    isRecord(saved) && taskNames.includes(saved.task as Task) && isRecord(saved.models)
      ? { ...firstChoice, ...(saved as Choice) }
      : null,
};

export const readChoice = (userId: string, projectId: string): Choice =>
  savedEntries().read(choice, userId, projectId);
export const writeChoice = (userId: string, projectId: string, chosen: Choice): void =>
  void savedEntries().write(choice, userId, chosen, projectId);

/** The text typed into a model's form, saved until the person changes it. */
const typed: Slot<JsonObject> = {
  kind: "draft",
  name: "create",
  version: 1,
  empty: {},
  parse: (saved) => (isRecord(saved) ? (saved as JsonObject) : null),
};

const draftId = (projectId: string, ref: ModelRef) => `${projectId}:${toModelPath(ref)}`;

export const readDraft = (userId: string, projectId: string, ref: ModelRef): JsonObject =>
  savedEntries().read(typed, userId, draftId(projectId, ref));
export const writeDraft = (
  userId: string,
  projectId: string,
  ref: ModelRef,
  values: JsonObject,
): void => void savedEntries().write(typed, userId, values, draftId(projectId, ref));

/** The form's contents from before a recipe was loaded. */
export type StashedForm = {
  choice: Choice;
  drafts: { ref: ModelRef; values: JsonObject }[];
  /** The loaded recipe. While the form still equals it, nothing has been typed since. */
  loaded: { ref: ModelRef; values: JsonObject };
  /** The loaded recipe's title. */
  title: string;
};
const maxStashed = 5;
const stash: Slot<StashedForm[]> = {
  kind: "draft",
  name: "create-aside",
  version: 1,
  empty: [],
  parse: (saved) => (Array.isArray(saved) ? (saved as StashedForm[]) : null),
};

/** Ordered from oldest to latest. */
export const readStash = (userId: string, projectId: string): StashedForm[] =>
  savedEntries().read(stash, userId, projectId);
export const writeStash = (userId: string, projectId: string, next: StashedForm[]): void =>
  void savedEntries().write(stash, userId, next, projectId);

export type LoadedRecipe = {
  task: Task;
  ref: ModelRef;
  values: JsonObject;
  /** Further models that run the same recipe. */
  others?: readonly { ref: ModelRef; values: JsonObject }[];
  variants?: number;
  title: string;
};

type ShownForm = {
  choice: Choice;
  shown: readonly ModelRef[];
  valuesOf: (ref: ModelRef) => JsonObject;
};

/** Whether the form still shows the last recipe as loaded. */
const isUntouched = (last: StashedForm, { shown, valuesOf }: ShownForm): boolean =>
  shown.length === 1 &&
  shown.every((one) => isSameModel(one, last.loaded.ref)) &&
  JSON.stringify(valuesOf(last.loaded.ref)) === JSON.stringify(last.loaded.values);

/** Whether the form contains text that a person typed. */
export function isTyped(stash: readonly StashedForm[], form: ShownForm): boolean {
  const last = stash.at(-1);
  return (
    !(last && isUntouched(last, form)) &&
    form.shown.some((ref) => Object.keys(form.valuesOf(ref)).length > 0)
  );
}

/**
 * Sets aside the drafts of the shown models and the recipe's models before a recipe is loaded.
 * Loading another recipe sets nothing more aside unless something was typed in between.
 */
export function stashForm(
  stash: readonly StashedForm[],
  form: ShownForm,
  { ref, values, others = [], title }: LoadedRecipe,
): StashedForm[] {
  const { choice, shown, valuesOf } = form;
  const last = stash.at(-1);
  const unchanged = last && isUntouched(last, form) ? last : null;
  const base = unchanged ?? { choice, drafts: [] };
  const replaced = [ref, ...others.map((one) => one.ref)];
  const missing = [...(unchanged ? [] : shown), ...replaced].filter(
    (one, index, all) =>
      all.findIndex((other) => isSameModel(other, one)) === index &&
      !base.drafts.some((draft) => isSameModel(draft.ref, one)),
  );
  const drafts = [...base.drafts, ...missing.map((one) => ({ ref: one, values: valuesOf(one) }))];
  const stashed = { choice: base.choice, drafts, loaded: { ref, values }, title };
  return [...(unchanged ? stash.slice(0, -1) : stash), stashed].slice(-maxStashed);
}

/** The form's choice with a recipe's models. The number of variants belongs to one task. */
export const chooseRecipe = (
  choice: Choice,
  { task, ref, others = [], variants }: LoadedRecipe,
): Choice => ({
  task,
  models: { ...choice.models, [task]: [ref, ...others.map((one) => one.ref)] },
  variants: variants ?? (task === choice.task ? choice.variants : 1),
});

/** Loads a recipe into the form that Create shows next. */
export function loadRecipe(userId: string, projectId: string, recipe: LoadedRecipe): void {
  const choice = readChoice(userId, projectId);
  const form = {
    choice,
    shown: choice.models[choice.task] ?? [],
    valuesOf: (ref: ModelRef) => readDraft(userId, projectId, ref),
  };
  writeStash(userId, projectId, stashForm(readStash(userId, projectId), form, recipe));
  for (const { ref, values } of [recipe, ...(recipe.others ?? [])])
    writeDraft(userId, projectId, ref, values);
  writeChoice(userId, projectId, chooseRecipe(choice, recipe));
}
