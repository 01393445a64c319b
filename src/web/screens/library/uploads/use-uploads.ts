import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { uploadFile } from "../../../data/upload.ts";
import { formatBytes } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { describeError, sayHeld } from "../../../ui/describe-error.ts";

export type Upload = {
  id: number;
  file: File;
  state: "waiting" | "sending" | "done" | "failed";
  /** Sent so far, 0 to 1. */
  share: number;
  /** Why it failed, in a sentence. */
  error?: string;
  /** Why it is not sent yet. */
  held?: string;
  /** Whether the same file may be taken at another try. */
  canRetry?: boolean;
  asset?: Asset;
};

/** Two lines at once: more only make each slower, and thumbnails need lines too. */
const linesAtOnce = 2;

/** What can be known to fail before anything is sent. */
export function refuseFile(file: Pick<File, "size">): string | undefined {
  if (file.size === 0) return t("upload.empty");
  if (file.size > limits.uploadBytes)
    return t("upload.tooLarge", {
      size: formatBytes(file.size),
      most: formatBytes(limits.uploadBytes),
    });
  return undefined;
}

/** Files on their way into a project's library, two at a time, each with its progress or what went wrong with it. */
export function useUploads(projectId: string) {
  const queryClient = useQueryClient();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const nextId = useRef(1);
  const stops = useRef(new Map<number, AbortController>());
  const change = useCallback(
    (id: number, facts: Partial<Upload>) =>
      setUploads((all) =>
        all.map((upload) => (upload.id === id ? { ...upload, ...facts } : upload)),
      ),
    [],
  );

  useEffect(() => {
    const sending = uploads.filter(({ state }) => state === "sending").length;
    const waiting = uploads.find(({ state }) => state === "waiting");
    if (!waiting || sending >= linesAtOnce) return;
    const stop = new AbortController();
    stops.current.set(waiting.id, stop);
    change(waiting.id, { state: "sending", share: 0 });
    uploadFile(projectId, waiting.file, {
      signal: stop.signal,
      onProgress: (share) => change(waiting.id, { share }),
      onHeld: (reason) => change(waiting.id, { held: sayHeld(reason) }),
    })
      .then(
        (asset) => change(waiting.id, { state: "done", share: 1, asset }),
        (error) => {
          if (stop.signal.aborted)
            return setUploads((all) => all.filter(({ id }) => id !== waiting.id));
          const { title, advice, retryable } = describeError(error);
          change(waiting.id, { state: "failed", error: `${title} ${advice}`, canRetry: retryable });
        },
      )
      .finally(() => {
        stops.current.delete(waiting.id);
        void queryClient.invalidateQueries({ queryKey: ["assets", projectId] });
      });
  }, [uploads, projectId, queryClient, change]);

  return {
    uploads,
    add: (files: readonly File[]) =>
      setUploads((all) => [
        ...all.filter(({ state }) => state !== "done"),
        ...files.map((file): Upload => {
          const error = refuseFile(file);
          return {
            id: nextId.current++,
            file,
            state: error ? "failed" : "waiting",
            share: 0,
            error,
          };
        }),
      ]),
    retry: (id: number) => change(id, { state: "waiting", share: 0, error: undefined }),
    stop: (id: number) => {
      stops.current.get(id)?.abort();
      setUploads((all) => all.filter((upload) => upload.id !== id || upload.state === "sending"));
    },
    dismiss: () =>
      setUploads((all) => all.filter(({ state }) => state === "waiting" || state === "sending")),
  };
}
export type Uploads = ReturnType<typeof useUploads>;
