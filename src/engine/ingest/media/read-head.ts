import type { EngineDeps } from "../../deps.ts";
import { sniffBytes } from "./sniff.ts";

/** Reads as many of a stored file's first bytes as sniffing needs. */
export async function readHead(
  deps: Pick<EngineDeps, "blobs">,
  sha256: string,
  bytes: number,
): Promise<Uint8Array> {
  if (bytes === 0) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  for await (const chunk of await deps.blobs.get(sha256, {
    start: 0,
    end: Math.min(bytes, sniffBytes) - 1,
  }))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}
