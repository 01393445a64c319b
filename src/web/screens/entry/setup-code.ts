/**
 * The one-time code in an address's fragment ("#code=…"), or undefined. The fragment is never sent
 * to a server or a log.
 */
export function readCode(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code") || undefined;
}
