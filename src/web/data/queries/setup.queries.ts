import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

/** Services that the server detects by itself. A wrong code is refused with the field "code". */
export const lookAroundQuery = (code: string) =>
  queryOptions({
    queryKey: keys.lookAround(code),
    queryFn: ({ signal }) => call("lookAround", { body: { code }, signal }),
    enabled: code !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Creates the owner and signs them in. The frame then opens Home. */
export function useSetUp() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: RouteInput<"setUp", "body">) => {
      const answer = await call("setUp", { body });
      // Times use the person's own zone from the first day. A failure here is ignored.
      await call("updatePreferences", {
        body: { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      }).catch(() => undefined);
      return answer;
    },
    onSuccess: () => refreshAfter(queryClient, "account"),
  });
}
