import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import type { BlobStore } from "./blob-store.ts";

/** The bytes under a name do not match its hash. */
class WrongBytes extends Error {
  override readonly name = "WrongBytes";
}

async function* checked(
  source: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const sum = createHash("sha256");
  for await (const chunk of source) {
    sum.update(chunk);
    yield chunk;
  }
  if (sum.digest("hex") !== sha256) throw new WrongBytes(sha256);
}

/** Reads a stored file to its end. `damaged` means that its bytes don't match its name. */
export async function verifyBlob(
  store: BlobStore,
  sha256: string,
  bytes: number,
): Promise<"whole" | "missing" | "damaged"> {
  if ((await store.stat(sha256))?.bytes !== bytes)
    return (await store.stat(sha256)) ? "damaged" : "missing";
  try {
    for await (const _ of checked(await store.get(sha256), sha256));
    return "whole";
  } catch (error) {
    if (error instanceof WrongBytes) return "damaged";
    if (error instanceof Problem && error.code === "not_found") return "missing";
    throw error;
  }
}

/**
 * Copies a file, verified by its name, unless the target has it complete. A damaged source leaves
 * nothing in the target.
 * @returns `damaged` and `missing` refer to the source
 */
export async function copyBlob(
  from: BlobStore,
  to: BlobStore,
  sha256: string,
  bytes: number,
): Promise<"copied" | "present" | "missing" | "damaged"> {
  const found = await verifyBlob(to, sha256, bytes);
  if (found === "whole") return "present";
  if ((await from.stat(sha256)) === undefined) return "missing";
  if (found === "damaged") await to.delete(sha256);
  try {
    await to.put(checked(await from.get(sha256), sha256));
    return "copied";
  } catch (error) {
    if (error instanceof WrongBytes) return "damaged";
    if (error instanceof Problem && error.code === "not_found") return "missing";
    throw error;
  }
}

/**
 * Copies the files derived from a file.
 * @returns their hashes by name
 */
export async function copyVariants(
  from: BlobStore,
  to: BlobStore,
  sha256: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const copied: Record<string, string> = {};
  for (const name of names) {
    const bytes = await from.getVariant(sha256, name);
    if (!bytes) continue;
    const present = await to.getVariant(sha256, name);
    if (!present || Buffer.compare(present, bytes) !== 0) await to.putVariant(sha256, name, bytes);
    copied[name] = createHash("sha256").update(bytes).digest("hex");
  }
  return copied;
}
