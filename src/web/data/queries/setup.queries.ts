import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

/** What the server finds by itself; refused with the field "code" when the code is not right. */
export const lookAroundQuery = (code: string) =>
  queryOptions({
    queryKey: keys.lookAround(code),
    queryFn: ({ signal }) => call("lookAround", { body: { code }, signal }),
    enabled: code !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Makes the owner and signs them in; the frame then leads to Home. */
export function useSetUp() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: RouteInput<"setUp", "body">) => {
      const answer = await call("setUp", { body });
      // Times are shown in the person's own zone from the first day on. Not worth failing for.
      await call("updateMe", {
        body: { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      }).catch(() => undefined);
      return answer;
    },
    onSuccess: () => refreshAfter(queryClient, "account"),
  });
}
