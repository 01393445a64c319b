import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { keys } from "../../../data/keys.ts";
import { uploadFile } from "../../../data/upload.ts";
import { formatBytes } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { describeError, describeHeld } from "../../../ui/describe-error.ts";

export type Upload = {
  id: number;
  file: File;
  state: "waiting" | "sending" | "done" | "failed";
  /** The part sent so far, 0 to 1. */
  share: number;
  /** The reason for the failure, as a sentence. */
  error?: string;
  /** The reason that the file isn't sent yet. */
  held?: string;
  /** Whether another try could succeed with the same file. */
  canRetry?: boolean;
  asset?: Asset;
};

/**
 * Two connections at a time. More would slow each other down, and thumbnails need connections as
 * well.
 */
const linesAtOnce = 2;

/** Returns the failures that can be known before anything is sent. */
export function refuseFile(file: Pick<File, "size">): string | undefined {
  if (file.size === 0) return t("upload.empty");
  if (file.size > limits.uploadBytes)
    return t("upload.tooLarge", {
      size: formatBytes(file.size),
      most: formatBytes(limits.uploadBytes),
    });
  return undefined;
}

/** Lets two uploads run at a time; the others wait in order. */
function openGate() {
  let free = linesAtOnce;
  const waiting: (() => void)[] = [];
  return {
    enter: async () => {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave: () => {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
}

/** Uploads into a project's library, two at a time, each with its progress or its error. */
export function useUploads(projectId: string) {
  const queryClient = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [gate] = useState(openGate);
  const nextId = useRef(1);
  const stops = useRef(new Map<number, AbortController>());
  const change = (id: number, facts: Partial<Upload>) =>
    setUploads((all) => all.map((upload) => (upload.id === id ? { ...upload, ...facts } : upload)));

  const send = async ({ id, file }: Upload): Promise<Asset | null> => {
    const stop = new AbortController();
    stops.current.set(id, stop);
    await gate.enter();
    try {
      stop.signal.throwIfAborted();
      change(id, { state: "sending", share: 0 });
      const asset = await uploadFile(projectId, file, {
        signal: stop.signal,
        onProgress: (share) => change(id, { share }),
        onHeld: (reason) => change(id, { held: describeHeld(reason) }),
      });
      change(id, { state: "done", share: 1, asset });
      return asset;
    } catch (error) {
      if (stop.signal.aborted) setUploads((all) => all.filter((upload) => upload.id !== id));
      else {
        const { title, advice, retryable } = describeError(error);
        change(id, { state: "failed", error: `${title} ${advice}`.trim(), canRetry: retryable });
      }
      return null;
    } finally {
      gate.leave();
      stops.current.delete(id);
      void queryClient.invalidateQueries({ queryKey: keys.assets(projectId) });
    }
  };

  return {
    uploads,
    /**
     * @returns the assets once all uploads have ended, in order, without failed and stopped ones
     */
    add: async (files: readonly File[]): Promise<Asset[]> => {
      const added = files.map((file): Upload => {
        const error = refuseFile(file);
        const state = error ? "failed" : "waiting";
        return { id: nextId.current++, file, state, share: 0, error };
      });
      setUploads((all) => [...all.filter(({ state }) => state !== "done"), ...added]);
      const sent = await Promise.all(
        added.filter(({ state }) => state === "waiting").map((upload) => send(upload)),
      );
      return sent.filter((asset) => asset !== null);
    },
    retry: async (id: number): Promise<Asset | null> => {
      const upload = uploads.find((one) => one.id === id);
      if (!upload) return null;
      change(id, { state: "waiting", share: 0, error: undefined });
      return send(upload);
    },
    stop: (id: number) => {
      stops.current.get(id)?.abort();
      setUploads((all) => all.filter((upload) => upload.id !== id || upload.state === "sending"));
    },
    /** Removes ended uploads, by default all of them. */
    dismiss: (isOne: (upload: Upload) => boolean = () => true) =>
      setUploads((all) =>
        all.filter((one) => one.state === "waiting" || one.state === "sending" || !isOne(one)),
      ),
  };
}
export type Uploads = ReturnType<typeof useUploads>;
