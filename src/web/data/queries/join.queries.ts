import { queryOptions } from "@tanstack/react-query";
import { call } from "../client.ts";
import { keys } from "../keys.ts";

/** What a one-time link is for. Asked for once: each ask counts against guessing. */
export const inviteQuery = (token: string) =>
  queryOptions({
    queryKey: keys.invite(token),
    queryFn: ({ signal }) => call("getInvite", { params: { token }, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
