/** `URL.parse` is younger than the browsers that Bottega runs in. */
export function parseUrl(href: string, base?: string): URL | null {
  try {
    return new URL(href, base);
  } catch {
    return null;
  }
}

const schemes = new Set(["http:", "https:", "mailto:"]);

/**
 * Where a link of a model's text may lead, or null: http(s), mailto, and, with a base, places of our own. Control characters and spaces
 * inside a scheme are how `java\nscript:` gets through; URL's own parser removes them before we look.
 */
export function safeLink(href: string, base?: string): string | null {
  const url = parseUrl(href, base);
  return url && schemes.has(url.protocol) ? url.href : null;
}
