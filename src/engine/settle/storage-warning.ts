import type { RunWarning } from "#contract/entities.ts";
import { findPassed, savedAboveLimit } from "#domain/files/storage-limit.ts";
import { lockStorageUse } from "#store/content/storage-limits.ts";
import type { Tx } from "#store/database/store.ts";
import type { EngineDeps } from "../deps.ts";

/**
 * Warns that results exceed a storage limit. Paid results are saved regardless, but the next upload
 * will be refused.
 * @param bytes the size of the results that this unit saves; call before it saves them
 * @returns an empty list if the results stay within every limit
 */
export async function warnOfStorage(
  { store }: Pick<EngineDeps, "store">,
  tx: Tx,
  owner: { userId: string; projectId: string },
  bytes: number,
): Promise<RunWarning[]> {
  if (bytes === 0) return [];
  const use = findPassed(await lockStorageUse(store, tx, owner), bytes);
  if (use === undefined) return [];
  const message = savedAboveLimit({ ...use, storedBytes: use.storedBytes + bytes });
  return [{ type: "storage-limit", feature: "storage", message }];
}

/** Replaces an earlier storage warning, so that a run has one with the latest numbers. */
export const withStorageWarning = (
  before: readonly RunWarning[],
  warning: readonly RunWarning[],
): RunWarning[] =>
  warning.length === 0
    ? [...before]
    : [...before.filter(({ type }) => type !== "storage-limit"), ...warning];

export const bytesOf = (assets: readonly { asset: { bytes: number } }[]): number =>
  assets.reduce((sum, { asset }) => sum + asset.bytes, 0);
