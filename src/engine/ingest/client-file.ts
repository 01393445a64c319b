import type { Asset } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { ProviderError } from "#providers/adapter.ts";
import { openDownload } from "#providers/outbound/outbound-download.ts";
import { findUpload } from "#store/content/assets.ts";
import type { EngineDeps } from "../deps.ts";
import { saveUpload } from "./upload.ts";

export type ClientFile = {
  projectId: string;
  userId: string;
  name: string;
  sha256: string;
  read(): AsyncIterable<Uint8Array>;
};

/**
 * Saves a file that a client sends with a request. Clients resend the same file with each turn, so
 * an existing upload is reused.
 */
export async function saveClientFile(
  deps: EngineDeps,
  { sha256, read, ...file }: ClientFile,
): Promise<Asset> {
  const known = await findUpload(deps.store.read, { ...file, sha256 });
  return known ?? saveUpload(deps, { ...file, source: read() });
}

/**
 * Downloads a public address from a client's request through the outbound guard, which refuses
 * addresses of this network.
 * @throws Problem invalid_input with the reason
 */
export async function readAddress(
  deps: EngineDeps,
  url: string,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    const { stream } = await openDownload({
      fetch: deps.outbound.open({ privateOrigins: [], mostBytes }),
      url,
      mostBytes,
      signal,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Problem(
      "invalid_input",
      { message: `The file at this address could not be fetched. ${error.message}` },
      { cause: error },
    );
  }
}
