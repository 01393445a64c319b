import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Model, ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { isFree } from "#domain/money/free.ts";
import { estimateInput, withCeiling } from "#domain/money/prices.ts";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { fromStoredModel, isSameModel, toStoredModel } from "../../../data/model-ref.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { useStored } from "../../../data/saved/use-stored.ts";
import { expectedPrice, type Price } from "../../../messages/format.ts";

type VoiceTask = "speech" | "transcription";

const voiceModelsQuery = (projectId: string, task: VoiceTask) =>
  queryOptions({
    queryKey: keys.models(projectId, "voice", task),
    queryFn: ({ signal }) => call("listModels", { query: { projectId, task, limit: 200 }, signal }),
    staleTime: 60_000,
  });

/** A task's models, free ones first, and the one last used on this device. */
export function useVoiceModels(projectId: string, task: VoiceTask) {
  const query = useQuery(voiceModelsQuery(projectId, task));
  const [stored, setStored] = useStored(`${task}-model`, "");
  const own = fromStoredModel(stored);
  const isOwn = (model: ModelRef) => own !== null && isSameModel(model, own);
  // A model beyond a long list's first page is queried separately.
  const isBeyond = query.data !== undefined && !query.data.models.some(isOwn);
  const detail = useQuery(modelQuery(projectId, isBeyond ? own : null)).data;
  const beyond = detail && detail.status !== "gone" && detail.tasks.includes(task) ? detail : null;
  const rank = ({ prices }: Model): number => (isFree(prices) ? 0 : prices.length > 0 ? 1 : 2);
  const models = (query.data?.models ?? []).toSorted((a, b) => rank(a) - rank(b));
  return {
    task,
    isLoading: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
    chosen: models.find(isOwn) ?? beyond ?? models[0] ?? null,
    choose: (model: ModelRef) => setStored(toStoredModel(model)),
    /** The expected price of one run with this input. */
    priceOf: (model: Model, input: JsonObject): Price =>
      expectedPrice(withCeiling(model, estimateInput(model, input))),
  };
}
export type VoiceModels = ReturnType<typeof useVoiceModels>;
