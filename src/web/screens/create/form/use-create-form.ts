import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { isMadeByForm, type Task } from "#contract/tasks.ts";
import { inShape, shapeFieldsOf } from "#domain/files/picture-shape.ts";
import { secondsOfRecordings } from "#domain/money/prices.ts";
import { countOfForm, type FormAsk } from "#domain/runs/variants.ts";
import { assetsInInput, propertiesOf } from "#domain/schemas/input-schema.ts";
import type { WordLists } from "#domain/text/prompt-template.ts";
import { estimatePrice } from "../../../components/model/estimate-price.ts";
import { makesVariants } from "../../../components/model/makes-variants.ts";
import { useValidation } from "../../../components/schema-form/validation.ts";
import { isSameModel, toModelPath, toModelRef } from "../../../data/model-ref.ts";
import {
  modelQuery,
  modelsQuery,
  offeredTasksQuery,
} from "../../../data/queries/models.queries.ts";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import {
  type Choice,
  chooseRecipe,
  isTyped,
  type LoadedRecipe,
  readChoice,
  readDraft,
  readStash,
  type StashedForm,
  stashForm,
  writeChoice,
  writeDraft,
  writeStash,
} from "../../../data/saved/create-draft.ts";
import type { ShellUser } from "../../../data/shell-data.ts";
import { type Price, sumPrices } from "../../../messages/format.ts";
import { carryValues } from "./carry-values.ts";
import { askOf, ownSchema, shapeField, sharedSchema, valuesOf } from "./shared-schema.ts";
import { usePromptLists } from "./use-prompt-lists.ts";

export const mostModels = 8;

export type ChosenModel = { ref: ModelRef; model: ModelDetail | undefined; error: unknown };
/** A model's settings that the others don't have. */
export type OwnSettings = { ref: ModelRef; name: string; schema: JsonSchema; values: JsonObject };
type Draft = { path: string; schema: JsonSchema | null; values: JsonObject };

/** Create's form: models, input and price. Drafts are saved on the device, by model. */
export function useCreateForm(
  { id: userId, defaults }: Pick<ShellUser, "id" | "defaults">,
  projectId: string,
) {
  const [choice, setChoice] = useState<Choice>(() => readChoice(userId, projectId));
  const [draft, setDraft] = useState<Draft | null>(null);
  /** The values typed since opening; before that, the drafts apply. */
  const [typed, setTyped] = useState<Record<string, JsonObject>>({});
  const [asides, setAsides] = useState(() => readStash(userId, projectId));
  const offeredTasks = useQuery(offeredTasksQuery(projectId));
  const tasks = (offeredTasks.data ?? []).filter(isMadeByForm);
  const task = tasks.length === 0 || tasks.includes(choice.task) ? choice.task : (tasks[0] as Task);
  const catalogue = useInfiniteQuery(modelsQuery(projectId, { task }));
  const offered = catalogue.isPlaceholderData ? undefined : catalogue.data?.pages[0]?.models;
  const fallback = offered?.find(({ status }) => status === "active") ?? offered?.[0];
  // Skips a default that is gone or belongs to another project.
  const preferred = task === "image" ? defaults.pictureModel : null;
  const asked = useQuery(modelQuery(projectId, choice.models[task]?.length ? null : preferred));
  const start = asked.data && asked.data.status !== "gone" ? asked.data : fallback;
  const refs = choice.models[task]?.length
    ? choice.models[task]
    : start && !asked.isLoading
      ? [toModelRef(start)]
      : [];
  const details = useQueries({ queries: refs.map((ref) => modelQuery(projectId, ref)) });
  const models: ChosenModel[] = refs.map((ref, index) => ({
    ref,
    model: details[index]?.data,
    error: details[index]?.error,
  }));

  const [first] = models;
  const path = first ? toModelPath(first.ref) : "";
  // Values typed for another model carry over only if this one accepts them.
  const { validate, hasFailed } = useValidation(draft !== null && draft.path !== path);
  if (first?.model && draft?.path !== path && (draft === null || validate !== null || hasFailed)) {
    const schema = first.model.inputSchema;
    const saved = typed[path] ?? readDraft(userId, projectId, first.ref);
    const isEmpty = Object.keys(saved).length === 0;
    const kept =
      isEmpty && task === "image" && defaults.pictureShape
        ? inShape(schema, saved, defaults.pictureShape)
        : saved;
    setDraft({
      path,
      schema,
      values: draft ? carryValues(draft.values, draft.schema, schema, kept, validate) : kept,
    });
  }
  const current = draft?.path === path ? draft : null;
  const values = current?.values ?? {};

  const key = models
    .map(({ ref, model }) => `${toModelPath(ref)} ${model?.schemaHash ?? ""}`)
    .join("\n");
  const known = models.flatMap(({ model }) => model ?? []);
  const shapeValues = JSON.stringify(
    [...known.slice(0, 1).flatMap(({ inputSchema }) => shapeFieldsOf(inputSchema)), shapeField].map(
      (name) => values[name],
    ),
  );
  // The key identifies the schemas, because SchemaForm parses every new object again.
  const schema = useMemo(() => sharedSchema(known, values), [key, shapeValues]);
  const ownSchemas = useMemo(
    () => (known.length > 1 ? known.map((model) => ownSchema(model, schema)) : []),
    [key, schema],
  );
  const own: OwnSettings[] = known.flatMap((model, index) => {
    const settings = ownSchemas[index];
    if (!settings) return [];
    const ref = toModelRef(model);
    const all =
      index === 0 ? values : (typed[toModelPath(ref)] ?? readDraft(userId, projectId, ref));
    return [{ ref, name: model.name, schema: settings, values: valuesOf(settings, all) }];
  });
  const setValues = (next: JsonObject) => {
    if (!first) return;
    writeDraft(userId, projectId, first.ref, next);
    setTyped({ ...typed, [path]: next });
    setDraft({ path, schema: first.model?.inputSchema ?? null, values: next });
  };
  const setOwn = (ref: ModelRef, next: JsonObject) => {
    const settings = own.find((one) => isSameModel(one.ref, ref))?.schema ?? null;
    const fields = propertiesOf(settings);
    const isOther = ([name]: [string, unknown]) => !(name in fields);
    if (first && isSameModel(first.ref, ref)) {
      setValues({ ...Object.fromEntries(Object.entries(values).filter(isOther)), ...next });
      return;
    }
    const before = typed[toModelPath(ref)] ?? readDraft(userId, projectId, ref);
    const all = { ...Object.fromEntries(Object.entries(before).filter(isOther)), ...next };
    writeDraft(userId, projectId, ref, all as JsonObject);
    setTyped({ ...typed, [toModelPath(ref)]: all as JsonObject });
  };
  const ownInputOf = (ref: ModelRef): JsonObject =>
    own.find((one) => isSameModel(one.ref, ref))?.values ?? {};
  const hasVariants = models.some(({ model }) => model && makesVariants(model));
  const variants = hasVariants ? choice.variants : 1;
  const change = (next: Partial<Choice>) => {
    // The number of variants belongs to one task: four pictures don't mean four upscales of one.
    const isOther = next.task !== undefined && next.task !== choice.task;
    const changed = { ...choice, ...(isOther && { variants: 1 }), ...next };
    setChoice(changed);
    writeChoice(userId, projectId, changed);
  };
  const chooseFor = (name: Task, chosen: ModelRef[]) =>
    change({ task: name, models: { ...choice.models, [name]: chosen } });

  const valuesOfModel = (ref: ModelRef): JsonObject =>
    current && toModelPath(ref) === path
      ? values
      : (typed[toModelPath(ref)] ?? readDraft(userId, projectId, ref));
  const keepAsides = (next: StashedForm[]) => {
    writeStash(userId, projectId, next);
    setAsides(next);
  };
  /** Shows other models with their values. */
  const show = (next: Choice, drafts: StashedForm["drafts"]) => {
    for (const one of drafts) writeDraft(userId, projectId, one.ref, one.values);
    const shown = drafts.map((one) => [toModelPath(one.ref), one.values] as const);
    setTyped((now) => ({ ...now, ...Object.fromEntries(shown) }));
    setDraft(null);
    setChoice(next);
    writeChoice(userId, projectId, next);
  };
  const shownForm = { choice: { ...choice, task }, shown: refs, valuesOf: valuesOfModel };
  const restoreFrom = (from: readonly StashedForm[]) => {
    const last = from.at(-1);
    if (!last) return;
    keepAsides(from.slice(0, -1));
    show(last.choice, last.drafts);
  };

  const heardSeconds = useInputAudioSeconds(task, values);
  const ask = askOf({ schema, values, variants });
  const { lists, isLoading } = usePromptLists(projectId, ask.expand && values.prompt);

  return {
    tasks,
    task,
    setTask: (next: Task) => change({ task: next }),
    models,
    /** The catalog couldn't be loaded, or has no model for the task. */
    catalogueError: catalogue.error ?? offeredTasks.error,
    retry: () => {
      void catalogue.refetch();
      void offeredTasks.refetch();
    },
    isEmpty: offered !== undefined && offered.length === 0 && refs.length === 0,
    addModel: (ref: ModelRef) => {
      if (refs.length < mostModels && !refs.some((known) => isSameModel(known, ref)))
        chooseFor(task, [...refs, ref]);
    },
    removeModel: (ref: ModelRef) =>
      chooseFor(
        task,
        refs.filter((known) => !isSameModel(known, ref)),
      ),
    isTyped: isTyped(asides, shownForm),
    /**
     * Loads a recipe and sets aside the values that it replaces.
     * @returns a function that restores them
     */
    load: (recipe: LoadedRecipe) => {
      const next = stashForm(asides, shownForm, recipe);
      keepAsides(next);
      show(chooseRecipe(choice, recipe), [{ ref: recipe.ref, values: recipe.values }]);
      return () => restoreFrom(next);
    },
    /** The loaded recipe's title, while it can be undone. */
    recipeTitle: asides.at(-1)?.title ?? null,
    /**
     * Restores the values that the last recipe replaced.
     * @returns a function that undoes this
     */
    restore: () => {
      const replaced = [...refs, ...(asides.at(-1)?.drafts ?? []).map(({ ref }) => ref)];
      const drafts = replaced.map((ref) => ({ ref, values: valuesOfModel(ref) }));
      restoreFrom(asides);
      return () => {
        keepAsides(asides);
        show(shownForm.choice, drafts);
      };
    },
    /**
     * Discards everything set aside.
     * @returns a function that restores it
     */
    dropAsides: () => {
      keepAsides([]);
      return () => keepAsides(asides);
    },
    /** Chooses one model; `loaded` values, such as an example's, replace the typed ones. */
    choose: (name: Task, ref: ModelRef, loaded?: { values: JsonObject; variants?: number }) => {
      change({
        task: name,
        models: { ...choice.models, [name]: [ref] },
        ...(loaded?.variants && { variants: loaded.variants }),
      });
      if (!loaded) return;
      writeDraft(userId, projectId, ref, loaded.values);
      setTyped({ ...typed, [toModelPath(ref)]: loaded.values });
      setDraft({ path: toModelPath(ref), schema: null, values: loaded.values });
    },
    values,
    setValues,
    // A list that is still loading would be counted as one word.
    isReady: current !== null,
    isCounted: !isLoading,
    schema,
    sharesPart: models.length > 1,
    /** With several models: each model's settings beyond the shared fields. */
    own,
    setOwn,
    /** The models to run, each with its own settings. */
    askedModels: refs.map((ref) => {
      const input = ownInputOf(ref);
      return { ...toModelRef(ref), ...(Object.keys(input).length > 0 && { input }) };
    }),
    hasVariants,
    variants,
    setVariants: (variants: number) => change({ variants }),
    /** The number of results that the button makes, with all models. */
    count: Math.max(1, models.length) * countOfForm(ask, {}, lists).results,
    /** The word lists that the prompt refers to. */
    lists,
    price: isLoading ? null : priceOf(models, ask, ownInputOf, heardSeconds, lists),
    /**
     * Clears the settings of all chosen models.
     * @returns a function that restores them
     */
    clear: () => {
      const [main, ...others] = refs;
      const otherDrafts = others.map((ref) => ({
        ref,
        values: typed[toModelPath(ref)] ?? readDraft(userId, projectId, ref),
      }));
      const fill = (drafts: { ref: ModelRef; values: JsonObject }[]) => {
        for (const one of drafts) writeDraft(userId, projectId, one.ref, one.values);
        const filled = drafts.map((one) => [toModelPath(one.ref), one.values] as const);
        setTyped((now) => ({ ...now, ...Object.fromEntries(filled) }));
        const shown = drafts[0];
        if (shown)
          setDraft({ path, schema: first?.model?.inputSchema ?? null, values: shown.values });
      };
      const before = main ? [{ ref: main, values }, ...otherDrafts] : [];
      fill(before.map(({ ref }) => ({ ref, values: {} })));
      return () => fill(before);
    },
  };
}
export type CreateForm = ReturnType<typeof useCreateForm>;

/** The total seconds of a transcription's recordings; undefined until all are loaded. */
function useInputAudioSeconds(task: Task, values: JsonObject): number | undefined {
  const ids = task === "transcription" ? assetsInInput(values).map(({ assetId }) => assetId) : [];
  const read = useQueries({ queries: [...new Set(ids)].map((id) => assetQuery(id)) });
  const assets = read.flatMap(({ data }) => data?.asset ?? []);
  return assets.length === read.length ? secondsOfRecordings(assets) : undefined;
}

function priceOf(
  models: readonly ChosenModel[],
  ask: FormAsk,
  ownInputOf: (ref: ModelRef) => JsonObject,
  heardSeconds: number | undefined,
  lists: WordLists,
): Price | null {
  if (models.length === 0 || models.some(({ model }) => !model)) return null;
  return sumPrices(
    models.map(({ ref, model }) => {
      const input = { ...ask.input, ...ownInputOf(ref) };
      return model
        ? estimatePrice(model, { ...ask, input }, heardSeconds, lists)
        : { kind: "unknown" };
    }),
  );
}
