import type { ClientConnection } from "./client-connection.ts";

/**
 * Whether a request that changes something comes from our own pages. Every browser sends Origin or
 * Sec-Fetch-Site with it; a program that sends neither has no cookies of a person to misuse.
 */
export function isSameOrigin(
  headers: { origin: string | undefined; fetchSite: string | undefined },
  line: Pick<ClientConnection, "host" | "encrypted">,
  publicUrl: string | undefined,
): boolean {
  if (headers.fetchSite && headers.fetchSite !== "same-origin" && headers.fetchSite !== "none")
    return false;
  if (headers.origin === undefined) return true;
  const own = [
    `${line.encrypted ? "https" : "http"}://${line.host}`,
    ...(publicUrl ? [new URL(publicUrl).origin] : []),
  ];
  return own.includes(headers.origin);
}
