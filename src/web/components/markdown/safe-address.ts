import { parseUrl } from "#domain/markdown/safe-link.ts";

const filePath = /^\/api\/v1\/assets\/[0-9a-f-]{36}\/(?:file|variants\/[a-z0-9.-]{1,40})$/;

/** A picture that may be shown without being asked for: one of our own files. Anything else would tell a stranger that it was read. */
export function ownPicture(href: string, origin: string): string | null {
  const url = parseUrl(href, origin);
  return url && url.origin === origin && filePath.test(url.pathname) && !url.username
    ? url.pathname + url.search
    : null;
}
