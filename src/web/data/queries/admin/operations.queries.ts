import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../../client.ts";
import { keys, refreshAfter } from "../../keys.ts";

export type StorageUse = RouteOutput<"getStorageUse">;
export type BackupFacts = RouteOutput<"getBackups">;
export type Health = RouteOutput<"getHealth">;

export const storageUseQuery = queryOptions({
  queryKey: keys.storage("use"),
  queryFn: ({ signal }) => call("getStorageUse", { signal }),
});

/** Polled twice a minute while the page is open, because changes aren't announced. */
export const healthQuery = queryOptions({
  queryKey: keys.health(),
  queryFn: ({ signal }) => call("getHealth", { signal }),
  refetchInterval: 30_000,
});

/** Polled more often while a backup is being made. */
export const backupsQuery = queryOptions({
  queryKey: keys.storage("backups"),
  queryFn: ({ signal }) => call("getBackups", { signal }),
  refetchInterval: ({ state }) => (state.data?.standing.isUnderWay ? 2_000 : 30_000),
});

function useBackupMutation<Given>(mutationFn: (given: Given) => Promise<BackupFacts>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => refreshAfter(queryClient, "storage"),
  });
}
export const useSetBackups = () =>
  useBackupMutation((body: RouteInput<"setBackups", "body">) => call("setBackups", { body }));
export const useMakeBackup = () => useBackupMutation<void>(() => call("makeBackup"));
