import { queryOptions } from "@tanstack/react-query";
import { call } from "../client.ts";
import { keys } from "../keys.ts";

/** The purpose of a one-time link. Read once, because each read counts against guessing. */
export const inviteQuery = (token: string) =>
  queryOptions({
    queryKey: keys.invite(token),
    queryFn: ({ signal }) => call("getInvite", { params: { token }, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
