import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ModelDetail, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../../../data/client.ts";
import { sendOnce } from "../../../data/idempotency-key.ts";
import { keys } from "../../../data/keys.ts";
import { type PartState, stateOfPart } from "./reading-plan.ts";

type Readings = RouteOutput<"listReadings">;
/** The live feed reports changes immediately; polling covers a lost connection. */
const pollMs = 3_000;

/** Uses the key of the project's runs, so that the live feed refreshes it. */
const readingsQuery = (projectId: string, messageId: string) =>
  queryOptions({
    queryKey: keys.runs(projectId, "readings", messageId),
    queryFn: ({ signal }) => call("listReadings", { params: { messageId }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.runs.some(({ finishedAt }) => finishedAt === null) && pollMs,
  });

/**
 * A message's recordings, and a function that buys more. Each part is bought once, however often it
 * is requested.
 */
export function useReading(projectId: string, messageId: string) {
  const queryClient = useQueryClient();
  const options = readingsQuery(projectId, messageId);
  const query = useQuery(options);
  const asked = useRef(new Set<string>());
  const [error, setError] = useState<unknown>(null);
  return {
    isLoading: query.isPending,
    error: error ?? query.error,
    retry: () => {
      setError(null);
      void query.refetch();
    },
    stateOf: (model: ModelDetail, input: JsonObject): PartState =>
      query.data ? stateOfPart(model, input, query.data) : { is: "none" },
    async buy({ connectionId, modelId }: ModelDetail, input: JsonObject): Promise<void> {
      const body = { model: { connectionId, modelId }, input };
      const name = JSON.stringify(body);
      if (asked.current.has(name)) return;
      asked.current.add(name);
      setError(null);
      try {
        const { run } = await sendOnce([messageId, body], (idempotencyKey) =>
          call("createReading", { params: { messageId }, body: { ...body, idempotencyKey } }),
        );
        const add = (before: Readings | undefined): Readings => ({
          assets: before?.assets ?? [],
          runs: withRun(before?.runs ?? [], run),
        });
        queryClient.setQueryData(options.queryKey, add);
        void queryClient.invalidateQueries({ queryKey: options.queryKey });
      } catch (thrown) {
        setError(thrown);
      } finally {
        asked.current.delete(name);
      }
    },
  };
}

const withRun = (runs: readonly Run[], run: Run): Run[] => [
  run,
  ...runs.filter(({ id }) => id !== run.id),
];
