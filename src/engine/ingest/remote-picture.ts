import type { EngineDeps } from "../deps.ts";
import { sniffType } from "./media/sniff.ts";

export type RemotePicture = { mime: string; bytes: Uint8Array };

const silenceMs = 15_000;
/** The limit for a whole download, which also ends one that trickles. */
const wholeMs = 60_000;

/**
 * Fetches an external picture on behalf of a browser, within the address policy and without keys or
 * cookies. The picture is redrawn, so that no original byte reaches a browser: no metadata, no
 * second file hidden in the picture.
 * @returns undefined if there is no picture
 * @throws ProviderError for a forbidden or silent address, and for too many bytes
 * @throws TimeoutError for a download that takes too long
 * @throws Problem for a picture that is damaged or has too many pixels
 */
export async function fetchPicture(
  { outbound, media }: Pick<EngineDeps, "outbound" | "media">,
  from: { url: string; privateOrigins: readonly string[]; mostBytes: number },
): Promise<RemotePicture | undefined> {
  const { url, privateOrigins, mostBytes } = from;
  const fetch = outbound.open({
    privateOrigins,
    mostBytes,
    headersTimeoutMs: silenceMs,
    idleTimeoutMs: silenceMs,
  });
  const response = await fetch(url, {
    headers: { accept: "image/*" },
    signal: AbortSignal.timeout(wholeMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  // SVG and formats that browsers don't show aren't read.
  const { kind, inline } = await sniffType(bytes);
  if (kind !== "image" || !inline) return undefined;
  return { mime: "image/webp", bytes: await media.redraw(bytes) };
}

/** Keeps the picture from running scripts and other sites from embedding it. */
export const pictureHeaders = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "same-origin",
};
