import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../client.ts";
import { keys } from "../../keys.ts";

/** Renames, merges or deletes a tag. */
export function useChangeTag(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (
      change:
        | { tagId: string; name: string }
        | { tagId: string; into: string }
        | { tagId: string; isRemoved: true },
    ): Promise<void> => {
      const params = { tagId: change.tagId };
      if ("name" in change) await call("updateTag", { params, body: { name: change.name } });
      else if ("into" in change) await call("mergeTag", { params, body: { into: change.into } });
      else await call("removeTag", { params });
    },
    onSettled: async () => {
      const stale = [keys.tags(projectId), keys.assets(projectId), keys.asset()];
      await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
}
