import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";

const full = new Set(["ENOSPC", "EDQUOT"]);
const failing = new Set([
  "EIO",
  "EFBIG",
  "EROFS",
  "EACCES",
  "EPERM",
  "ENOTDIR",
  "ESTALE",
  "EMFILE",
  "ENFILE",
]);

/** The system's own code of an error, "ENOENT", or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Turns a full or failing disk into a Problem with its cause. Other errors pass through. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (full.has(code)) throw new Problem("storage_full", {}, { cause: error });
    if (failing.has(code)) {
      throw new Problem(
        "unavailable",
        { message: sentences.storage.failed({ code }) },
        { cause: error },
      );
    }
    throw error;
  }
}
