import type { EngineDeps } from "../deps.ts";
import { sniffType } from "./media/sniff.ts";

export type RemotePicture = { mime: string; bytes: Uint8Array };

const silenceMs = 15_000;
/** One that drips is given up, too. */
const wholeMs = 60_000;

/**
 * A picture from outside, for a browser that asks us and never the stranger: within the policy of addresses, with no key and no cookie.
 * It is drawn again, so that no byte of the stranger's reaches a browser: no metadata, no second file behind the picture.
 * @returns undefined where there is none
 * @throws ProviderError for an address that is refused or silent, and for too many bytes; TimeoutError for one that takes too long;
 *   Problem for a picture that is damaged or has too many pixels
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
  // SVG and what no browser shows are not read at all.
  const { kind, inline } = await sniffType(bytes);
  if (kind !== "image" || !inline) return undefined;
  return { mime: "image/webp", bytes: await media.redraw(bytes) };
}

/** Nothing in it runs, and no other site shows it. */
export const pictureHeaders = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "same-origin",
};
