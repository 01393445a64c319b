import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { promptFieldOf } from "../../components/model/prompt-field.ts";
import { putFile } from "../../components/schema-form/field-facts.ts";
import { modelQuery, modelsQuery } from "../../data/queries/models.queries.ts";
import { readChoice } from "../../data/saved/create-draft.ts";
import { useSession } from "../../data/shell-data.ts";

/**
 * The model chosen here, else the person's default for pictures, else the model that Create last
 * used for the task on this device, else the first one. For chat, nothing is loaded.
 */
export function useMediaModel(projectId: string, task: Task, chosen: ModelRef | undefined) {
  const isMedia = task !== "chat";
  const { user } = useSession();
  const preferred = task === "image" ? user.defaults.pictureModel : null;
  const lastUsed = readChoice(user.id, projectId).models[task]?.[0];
  // Skips a default that is gone or belongs to another project.
  const asked = useQuery(modelQuery(projectId, preferred));
  const isUsable = asked.data !== undefined && asked.data.status !== "gone";
  const known = chosen ?? (isUsable ? preferred : lastUsed);
  const offered = useInfiniteQuery({
    ...modelsQuery(projectId, { task }),
    enabled: isMedia && !known && !asked.isLoading,
  });
  const models = offered.isPlaceholderData ? undefined : offered.data?.pages[0]?.models;
  const first = models?.find(({ status }) => status === "active") ?? models?.[0];
  const ref = asked.isLoading ? undefined : (known ?? first);
  const detail = useQuery({
    ...modelQuery(projectId, ref ?? null),
    enabled: isMedia && ref !== undefined,
  });
  return {
    model: detail.data ?? null,
    isLoading:
      isMedia &&
      (ref ? detail.isPending : asked.isLoading || offered.isPending || offered.isPlaceholderData),
    error: isMedia ? (detail.error ?? offered.error) : null,
  };
}

type Wish = { text: string; files: readonly { assetId: string; kind: string }[] };

/**
 * The composer's text and files, under the model's field names. A file that no field accepts is
 * left out.
 */
export function toInput(
  model: Pick<ModelDetail, "inputSchema">,
  { text, files }: Wish,
): JsonObject {
  const field = promptFieldOf(model) ?? "prompt";
  const words: JsonObject = { [field]: text };
  return files.reduce<JsonObject>(
    (input, file) =>
      putFile(model.inputSchema, input, { id: file.assetId, kind: file.kind }) ?? input,
    words,
  );
}
