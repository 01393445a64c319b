import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ProjectImport } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { call, routePath } from "../data/client.ts";
import { keys, refreshAfter } from "../data/keys.ts";
import { sendFile } from "../data/upload.ts";
import { formatBytes } from "../messages/format.ts";
import { t } from "../messages/t.ts";

const lookMs = 1_000;
type Sending = { file: File; share: number };

/**
 * A person's imports: the upload in this tab, and the server's imports, whichever tab started them.
 * @param onHere called when an import that this tab saw in progress is complete
 */
export function useProjectImport(onHere: (done: ProjectImport) => void) {
  const queryClient = useQueryClient();
  const [sending, setSending] = useState<Sending | null>(null);
  const stop = useRef<AbortController>(null);
  const listed = useInfiniteQuery({
    queryKey: keys.imports(),
    queryFn: ({ pageParam, signal }) =>
      call("listImports", { query: { cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    // An active import is always the newest.
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.imports.some(({ state }) => state === "open") ? lookMs : false,
  });
  const imports = useMemo(
    () => listed.data?.pages.flatMap((page) => page.imports) ?? [],
    [listed.data],
  );
  const refresh = () => refreshAfter(queryClient, "import");

  const send = useMutation({
    mutationFn: async (file: File) => {
      await refuseOther(file);
      const aborter = new AbortController();
      stop.current = aborter;
      setSending({ file, share: 0 });
      const onProgress = (share: number) => setSending({ file, share });
      return sendFile(routePath("importProject"), file, { signal: aborter.signal, onProgress });
    },
    onSettled: async () => {
      await refresh();
      setSending(null);
    },
  });
  const remove = useMutation({
    mutationFn: (importId: string) => call("removeImport", { params: { importId } }),
    onSettled: refresh,
  });
  useArrivals(imports, onHere);

  const isAborted = send.error instanceof DOMException && send.error.name === "AbortError";
  return {
    imports,
    listed,
    sending,
    isBusy: send.isPending || imports.some(({ state }) => state === "open"),
    error: (isAborted ? null : send.error) ?? remove.error,
    send: (file: File) => send.mutate(file),
    stopSending: () => stop.current?.abort(),
    /** Stops an active import, or dismisses the notice of an ended one. */
    remove: (importId: string) => remove.mutateAsync(importId),
  };
}

/** Refuses files that are recognizably wrong before uploading many gigabytes. */
async function refuseOther(file: File): Promise<void> {
  if (file.size === 0) throw wrong(t("project.import.empty"));
  if (file.size > limits.archiveBytes)
    throw wrong(t("project.import.tooLarge", { most: formatBytes(limits.archiveBytes) }));
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (String.fromCharCode(...head) !== "PK") throw wrong(t("project.import.notZip"));
}

const wrong = (detail: string) =>
  Object.assign(new Error(detail), { code: "unsupported_media", detail });

/** Reports each import once that was active and is now complete. */
function useArrivals(
  imports: readonly ProjectImport[],
  onHere: (done: ProjectImport) => void,
): void {
  const open = useRef(new Set<string>());
  const tell = useRef(onHere);
  tell.current = onHere;
  useEffect(() => {
    for (const one of imports) {
      if (one.state === "open") open.current.add(one.id);
      else if (open.current.delete(one.id) && one.state === "done") tell.current(one);
    }
  }, [imports]);
}
