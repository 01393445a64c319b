import type { RunWarning } from "#contract/entities.ts";
import { findPassed, savedAboveLimit } from "#domain/files/storage-limit.ts";
import { lockStorageUse } from "#store/content/storage-limits.ts";
import type { Tx } from "#store/database/store.ts";
import type { EngineDeps } from "../deps.ts";

/**
 * Paid results are saved above a storage limit too. Their run says so, since the next upload will be refused.
 * @param bytes what this unit saves of the run; called before the unit saves them
 * @returns none where the results stay within every limit
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

/** A run says so once, with the newest numbers. */
export const withStorageWarning = (
  before: readonly RunWarning[],
  warning: readonly RunWarning[],
): RunWarning[] =>
  warning.length === 0
    ? [...before]
    : [...before.filter(({ type }) => type !== "storage-limit"), ...warning];

export const bytesOf = (assets: readonly { asset: { bytes: number } }[]): number =>
  assets.reduce((sum, { asset }) => sum + asset.bytes, 0);
