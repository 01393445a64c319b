import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ModelDetail } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { putFile } from "../../components/schema-form/field-facts.ts";
import { readChoice } from "../../data/kept/create-draft.ts";
import { modelQuery, modelsQuery } from "../../data/queries/models.queries.ts";
import { usePersonId } from "../../data/shell-data.ts";

/** The model that Create last used for a task on this device, otherwise the first one. Chat loads nothing. */
export function useMakingModel(projectId: string, task: Task) {
  const isMaking = task !== "chat";
  const lastUsed = readChoice(usePersonId(), projectId).models[task]?.[0];
  const offered = useInfiniteQuery({
    ...modelsQuery(projectId, { task }),
    enabled: isMaking && !lastUsed,
  });
  const models = offered.isPlaceholderData ? undefined : offered.data?.pages[0]?.models;
  const first = models?.find(({ status }) => status === "active") ?? models?.[0];
  const ref = lastUsed ?? first;
  const detail = useQuery({
    ...modelQuery(projectId, ref ?? null),
    enabled: isMaking && ref !== undefined,
  });
  return {
    model: detail.data ?? null,
    isLoading:
      isMaking && (ref ? detail.isPending : offered.isPending || offered.isPlaceholderData),
    error: isMaking ? (detail.error ?? offered.error) : null,
  };
}

/** The names that models give to their prompt field, most common first. */
const wordFields = ["prompt", "text", "input", "lyrics"];

type Wish = { text: string; files: readonly { assetId: string; kind: string }[] };

/** The composer's text and files under the names of the model's schema. A file that no field accepts is left out. */
export function toInput(
  model: Pick<ModelDetail, "inputSchema">,
  { text, files }: Wish,
): JsonObject {
  const field = wordFields.find((name) => name in propertiesOf(model.inputSchema)) ?? "prompt";
  const words: JsonObject = { [field]: text };
  return files.reduce<JsonObject>(
    (input, file) =>
      putFile(model.inputSchema, input, { id: file.assetId, kind: file.kind }) ?? input,
    words,
  );
}
