import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type StorageFacts = RouteOutput<"getStorage">;

/** Whether backups are missing, or lack files. */
export const hasBackupTrouble = (
  backup: StorageFacts["backup"],
): backup is StorageFacts["backup"] & { state: "old" | "failed" | "incomplete" } =>
  backup.state !== "ok" && backup.state !== "off";

/** Whether an admin has to act. */
export const needsAdmin = ({ files, trouble, backup }: StorageFacts): boolean =>
  trouble !== null || files === "copy" || hasBackupTrouble(backup);

/** For admins. Polled every minute, because changes aren't announced. */
export const storageQuery = queryOptions({
  queryKey: keys.storage(),
  queryFn: ({ signal }) => call("getStorage", { signal }),
  refetchInterval: 60_000,
});

export function useUpdateStorageLimits() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"updateStorageLimits", "body">) =>
      call("updateStorageLimits", { body }),
    onSuccess: () => refreshAfter(queryClient, "storage"),
  });
}
