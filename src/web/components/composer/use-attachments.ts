import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { formatBytes } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { assetName } from "../asset/asset-name.ts";
import { type Upload, useUploads } from "../asset/uploads/use-uploads.ts";
import { kindOfAsset, type Refusal, refusalOf } from "./attachment-kinds.ts";
import type { Draft, DraftFile } from "./message-draft.ts";

const sentences = {
  empty: (name: string) => t("chat.attach.empty", { name }),
  "too-large": (name: string) =>
    t("chat.attach.tooLarge", { name, most: formatBytes(limits.uploadBytes) }),
  "not-readable": (name: string) => t("chat.attach.notReadable", { name }),
  "too-many": (name: string) =>
    t("chat.attach.tooMany", { name, most: limits.attachmentsPerMessage }),
} as const satisfies Record<Refusal, (name: string) => string>;

/**
 * Adds files to the shown draft: each is refused with a sentence, or uploaded with its progress and then
 * attached.
 */
export function useAttachments(
  projectId: string,
  draftId: string,
  draft: Draft,
  change: (next: (before: Draft) => Draft) => void,
) {
  const { uploads: all, add, stop, dismiss: dismissUploads } = useUploads(projectId);
  // An upload continues, and ends in its own draft, while another draft is shown.
  const [draftOf] = useState(() => new WeakMap<File, string>());
  const isShown = ({ file }: Upload) => draftOf.get(file) === draftId;
  const uploads = all.filter(isShown);
  const dismiss = () => dismissUploads(isShown);
  const [refused, setRefused] = useState<{ draftId: string; reason: string } | null>(null);
  const setProblem = (reason: string | null) =>
    setRefused(reason === null ? null : { draftId, reason });
  const problem = refused?.draftId === draftId ? refused.reason : null;
  const nameOf = (file: File) => file.name || t("chat.attach.pasted");

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
    draftOf.set(file, draftId);
    const [asset] = await add([file]);
    if (asset) take(asset, nameOf(file));
  };
  const uploading = uploads.flatMap(({ id, file, state, share, held }) =>
    state === "waiting" || state === "sending"
      ? [{ id, name: nameOf(file), share, held, stop: () => stop(id) }]
      : [],
  );
  const room = limits.attachmentsPerMessage - draft.files.length - uploading.length;
  /** Attaches library files. Files already attached are skipped. */
  const attach = (assets: readonly Asset[]) => {
    setProblem(null);
    let left = room;
    for (const asset of assets) {
      if (draft.files.some(({ assetId }) => assetId === asset.id)) continue;
      if (left-- > 0) take(asset, assetName(asset));
      else setProblem(sentences["too-many"](assetName(asset)));
    }
  };
  const failed = uploads.find(({ state }) => state === "failed");
  return {
    uploading,
    attach,
    /** How many files still fit. */
    room,
    problem:
      problem ??
      (failed
        ? t("chat.attach.failed", { name: nameOf(failed.file), reason: failed.error ?? "" })
        : null),
    dismissProblem: () => {
      setProblem(null);
      dismiss();
    },
    add: async (files: readonly File[]) => {
      setProblem(null);
      dismiss();
      let held = draft.files.length + uploading.length;
      for (const file of files) {
        const refusal = await refusalOf(file, held);
        if (refusal) setProblem(sentences[refusal](nameOf(file)));
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
