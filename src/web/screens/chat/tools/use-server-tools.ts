import { useQuery } from "@tanstack/react-query";
import { limits } from "#contract/limits.ts";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";

/** The tools of the servers available in this project, one page of them. */
export const useServerTools = (projectId: string) =>
  useQuery({
    queryKey: keys.models(projectId, "tools"),
    queryFn: async ({ signal }) =>
      (
        await call("listModels", {
          query: { projectId, task: "tool", limit: limits.pageSizeMost },
          signal,
        })
      ).models,
  });
