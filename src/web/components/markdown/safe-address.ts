import { parseUrl } from "#domain/markdown/safe-link.ts";

const filePath = /^\/api\/v1\/assets\/[0-9a-f-]{36}\/(?:file|variants\/[a-z0-9.-]{1,40})$/;

/**
 * The address of a picture that may load without a click: one of this server's files. Any other
 * would reveal to its host that the text was read.
 */
export function ownPicture(href: string, origin: string): string | null {
  const url = parseUrl(href, origin);
  return url && url.origin === origin && filePath.test(url.pathname) && !url.username
    ? url.pathname + url.search
    : null;
}
