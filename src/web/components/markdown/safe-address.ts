/** `URL.parse` is younger than the browsers that Bottega runs in. */
function parseUrl(href: string, origin: string): URL | null {
  try {
    return new URL(href, origin);
  } catch {
    return null;
  }
}

const schemes = new Set(["http:", "https:", "mailto:"]);

/**
 * Where a link of a model's text may lead, or null: http(s), mailto, and places of our own. Control characters and spaces
 * inside a scheme are how `java\nscript:` gets through; URL's own parser removes them before we look.
 */
export function safeLink(href: string, origin: string): string | null {
  const url = parseUrl(href, origin);
  return url && schemes.has(url.protocol) ? url.href : null;
}

const filePath = /^\/api\/v1\/assets\/[0-9a-f-]{36}\/(?:file|variants\/[a-z0-9.-]{1,40})$/;

/** A picture that may be shown without being asked for: one of our own files. Anything else would tell a stranger that it was read. */
export function ownPicture(href: string, origin: string): string | null {
  const url = parseUrl(href, origin);
  return url && url.origin === origin && filePath.test(url.pathname) && !url.username
    ? url.pathname + url.search
    : null;
}
