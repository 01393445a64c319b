import { Problem } from "#contract/errors.ts";

/** Bytes stored under one limit. */
export type StorageUse = { of: "person" | "project"; storedBytes: number; limitBytes: number };

/** The bytes that all limits still allow. Infinity without a limit. */
export const bytesLeft = (uses: readonly StorageUse[]): number =>
  Math.min(...uses.map(({ storedBytes, limitBytes }) => Math.max(0, limitBytes - storedBytes)));

/** The first limit that `bytes` more would exceed. */
export const findPassed = (uses: readonly StorageUse[], bytes: number): StorageUse | undefined =>
  uses.find(({ storedBytes, limitBytes }) => storedBytes + bytes > limitBytes);

/** @throws Problem storage_limit if `bytes` more would exceed a limit */
export function refuseAboveLimit(uses: readonly StorageUse[], bytes: number): void {
  const passed = findPassed(uses, bytes);
  if (passed)
    throw new Problem("storage_limit", {
      message: `${storedOf(passed)} Delete files, or ask an admin.`,
    });
}

/** The sentences of a warning for a result that was saved above the limit. */
export const savedAboveLimit = (use: StorageUse): string =>
  `The results are saved above the storage limit. ${storedOf(use)}`;

const storedOf = ({ of, storedBytes, limitBytes }: StorageUse): string =>
  `${of === "person" ? "You have stored" : "This project stores"} ${inBytes(storedBytes)} of ${inBytes(limitBytes)}.`;

const units = ["bytes", "KB", "MB", "GB", "TB"] as const;
/** Decimal units, as on screen: "940 bytes", "9.8 GB". */
function inBytes(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  if (bytes === 1) return "1 byte";
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${units[power]}`;
}
