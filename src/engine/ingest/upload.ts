import type { Asset, Visibility } from "#contract/entities.ts";
import { cleanText } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { bytesLeft, refuseAboveLimit } from "#domain/files/storage-limit.ts";
import { insertKeptAsset, insertUpload } from "#store/content/assets.ts";
import { listStorageUse, refuseStoring } from "#store/content/storage-limits.ts";
import type { EngineDeps } from "../deps.ts";
import { refuseWhenFull } from "../room.ts";
import { readHead } from "./media/read-head.ts";
import { sniffType } from "./media/sniff.ts";
import { storeBytes } from "./store-bytes.ts";

/**
 * Saves a person's file: streams it to storage while hashing, detects its type from its bytes, and
 * inserts it as an asset of the project.
 * @param upload.assetId an id reserved before the upload
 * @throws Problem too_large, unsupported_media (empty, damaged, too many pixels), storage_full,
 *   storage_limit
 */
export async function saveUpload(
  deps: EngineDeps,
  upload: {
    projectId: string;
    userId: string;
    name: string;
    visibility?: Visibility;
    source: Iterable<never> | AsyncIterable<Uint8Array>;
    assetId?: string;
  },
): Promise<Asset> {
  const uses = await listStorageUse(deps.store.read, upload);
  refuseAboveLimit(uses, 1);
  const leftBytes = bytesLeft(uses);
  const { sha256, bytes } = await storeStream(
    deps,
    upload.source,
    Math.min(limits.uploadBytes, leftBytes),
  ).catch((error) => {
    if (error instanceof Problem && error.code === "too_large" && leftBytes < limits.uploadBytes)
      refuseAboveLimit(uses, leftBytes + 1);
    throw error;
  });
  if (bytes === 0)
    throw new Problem("unsupported_media", {
      message: sentences.files.quotedEmpty({ file: upload.name }),
    });
  const type = await sniffType(await readHead(deps, sha256, bytes), upload.name);
  const facts = await deps.media.describe(sha256, type);
  const uploadId = deps.ids();
  const title = cleanText(upload.name).normalize("NFC").slice(0, limits.nameCharacters);
  return deps.commit(async (unit) => {
    await refuseStoring(deps.store, unit.tx, upload, bytes);
    await insertUpload(unit.tx, {
      id: uploadId,
      projectId: upload.projectId,
      userId: upload.userId,
      name: title,
      bytes,
      sha256,
      at: unit.at,
    });
    return insertKeptAsset(unit, {
      id: upload.assetId ?? deps.ids(),
      projectId: upload.projectId,
      visibility: upload.visibility ?? "project",
      runId: null,
      outputIndex: null,
      uploadId,
      createdBy: upload.userId,
      sha256,
      kind: type.kind,
      mime: type.mime,
      bytes,
      ...facts,
      title,
      promptText: "",
      modelName: "",
      createdAt: unit.at,
    });
  });
}

/**
 * Stores a stream that can be read only once. Nothing refers to the bytes yet, so they last for the
 * collector's grace period.
 * @throws Problem too_large, storage_full, unavailable
 */
export async function storeStream(
  deps: EngineDeps,
  source: Iterable<never> | AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ sha256: string; bytes: number }> {
  const roomBytes = await refuseWhenFull(deps);
  let read = false;
  const open = async (): Promise<AsyncIterable<Uint8Array>> => {
    // An upload can be read only once; a second read would give an empty file.
    if (read)
      throw new Problem("unavailable", {
        message: sentences.files.equalDeleted,
      });
    read = true;
    return source as AsyncIterable<Uint8Array>;
  };
  return storeBytes(deps, open, { mostBytes: Math.min(maxBytes, roomBytes) }).catch((error) => {
    // The file is within the size limit but exceeds the free space.
    throw roomBytes < maxBytes && error instanceof Problem && error.code === "too_large"
      ? new Problem("storage_full")
      : error;
  });
}
