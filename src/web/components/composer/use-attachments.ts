import { useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { uploadFile } from "../../data/upload.ts";
import { formatBytes } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { describeError, sayHeld } from "../../ui/describe-error.ts";
import { kindOfAsset, type Refusal, refusalOf } from "./attachment-kinds.ts";
import type { Draft, DraftFile } from "./draft-store.ts";

/** A file on its way to the server. */
export type Uploading = {
  id: number;
  name: string;
  share: number;
  held?: string;
  stop: () => void;
};

const sentences = {
  empty: (name: string) => t("chat.attach.empty", { name }),
  "too-large": (name: string) =>
    t("chat.attach.tooLarge", { name, most: formatBytes(limits.uploadBytes) }),
  "not-readable": (name: string) => t("chat.attach.notReadable", { name }),
  "too-many": (name: string) =>
    t("chat.attach.tooMany", { name, most: limits.attachmentsPerMessage }),
} as const satisfies Record<Refusal, (name: string) => string>;

/** Takes files into a draft: refused with a sentence, or uploaded with their progress and then part of the draft. */
export function useAttachments(
  projectId: string,
  draft: Draft,
  change: (next: (before: Draft) => Draft) => void,
) {
  const [uploading, setUploading] = useState<readonly Uploading[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const nextId = useRef(1);

  const take = (asset: Asset, name: string) => {
    if (kindOfAsset(asset) === null) return setProblem(sentences["not-readable"](name));
    const file: DraftFile = {
      assetId: asset.id,
      name: asset.title || name,
      mime: asset.mime,
      kind: asset.kind,
    };
    change((before) => ({ ...before, files: [...before.files, file] }));
  };
  const upload = async (file: File) => {
    const id = nextId.current++;
    const aborter = new AbortController();
    const name = file.name || t("chat.attach.pasted");
    setUploading((before) => [...before, { id, name, share: 0, stop: () => aborter.abort() }]);
    const tell = (facts: Partial<Uploading>) =>
      setUploading((before) =>
        before.map((entry) => (entry.id === id ? { ...entry, ...facts } : entry)),
      );
    try {
      const asset = await uploadFile(projectId, file, {
        signal: aborter.signal,
        onProgress: (share) => tell({ share }),
        onHeld: (reason) => tell({ held: sayHeld(reason) }),
      });
      take(asset, name);
    } catch (error) {
      if (!aborter.signal.aborted)
        setProblem(t("chat.attach.failed", { name, reason: describeError(error).title }));
    } finally {
      setUploading((before) => before.filter((entry) => entry.id !== id));
    }
  };
  return {
    uploading,
    problem,
    dismissProblem: () => setProblem(null),
    add: async (files: readonly File[]) => {
      setProblem(null);
      let held = draft.files.length + uploading.length;
      for (const file of files) {
        const refusal = await refusalOf(file, held);
        if (refusal) setProblem(sentences[refusal](file.name || t("chat.attach.pasted")));
        else {
          held++;
          void upload(file);
        }
      }
    },
    remove: (assetId: string) =>
      change((before) => ({
        ...before,
        files: before.files.filter((file) => file.assetId !== assetId),
      })),
  };
}
