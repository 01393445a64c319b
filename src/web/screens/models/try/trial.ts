import type { Model, ModelDetail } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { modelFamilyOf } from "#domain/models/model-family.ts";
import { propertiesOf, withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { promptFieldOf } from "../../../components/model/prompt-field.ts";
import { isSameModel } from "../../../data/model-ref.ts";

/** The most models that run one prompt together. */
export const mostTried = 4;
/** A longer list would be a catalog. */
const maxListed = 8;

/** Tasks that need only a prompt. */
export const tasksToTry = ["image", "video", "music", "speech", "3d"] as const satisfies Task[];

/** Whether a model can be added: it takes a prompt, and all of them share a task. */
export const mayJoin = (model: Model, chosen: readonly Model[]): boolean =>
  tasksToTry.some((task) => [...chosen, model].every(({ tasks }) => tasks.includes(task)));

/**
 * The model's task that needs only a prompt, according to its schema; undefined if it needs more.
 */
export function taskOfPrompt(
  model: Pick<ModelDetail, "tasks" | "inputSchema">,
): (typeof tasksToTry)[number] | undefined {
  const field = promptFieldOf(model);
  const filled = withRequiredDefaults(model.inputSchema, field ? { [field]: "" } : {});
  const required = model.inputSchema?.required;
  const isEnough =
    !Array.isArray(required) ||
    required.every((name) => typeof name === "string" && name in filled);
  return field && isEnough ? tasksToTry.find((task) => model.tasks.includes(task)) : undefined;
}

/** Whether the model may need a file, because no list states which inputs are required. */
const takesFile = ({ inputModalities }: Model): boolean => inputModalities.length > 1;

/**
 * The offered models: the selected ones, then one of each family in the given order, then the rest.
 * Models that also take a file come last, and models without a prompt are left out unless they are
 * selected.
 */
export function triedTogether(chosen: readonly Model[], candidates: readonly Model[]): Model[] {
  const others = candidates
    .filter(
      (model) =>
        model.inputModalities.includes("text") &&
        !chosen.some((one) => isSameModel(one, model)) &&
        model.status === "active",
    )
    .sort((one, other) => Number(takesFile(one)) - Number(takesFile(other)));
  const seen = new Set<string>(chosen.flatMap((model) => modelFamilyOf(model) ?? []));
  const firstOfFamily = others.filter((model) => {
    const family = modelFamilyOf(model) ?? `${model.connectionId}/${model.modelId}`;
    if (seen.has(family)) return false;
    seen.add(family);
    return true;
  });
  const rest = others.filter((model) => !firstOfFamily.includes(model));
  return [...chosen, ...firstOfFamily, ...rest].slice(0, Math.max(maxListed, chosen.length));
}

type Filled = { model: Pick<ModelDetail, "inputSchema">; values: JsonObject };

/**
 * The inputs that Create sends to the models once their forms are filled: the first model's values
 * for the shared fields, and each model's own for the rest.
 */
export function inputsTogether(filled: readonly Filled[]): JsonObject[] {
  const [first, ...others] = filled;
  if (!first) return [];
  const schemas = filled.flatMap(({ model: { inputSchema } }) =>
    inputSchema ? [inputSchema] : [],
  );
  const isShared = (name: string) => schemas.every((schema) => name in propertiesOf(schema));
  const shared = Object.entries(first.values).filter(([name]) => isShared(name));
  return [
    first.values,
    ...others.map(({ values }) =>
      Object.fromEntries([
        ...Object.entries(values).filter(([name]) => !isShared(name)),
        ...shared,
      ]),
    ),
  ];
}
