/** Some supported browsers lack `URL.parse`. */
export function parseUrl(href: string, base?: string): URL | null {
  try {
    return new URL(href, base);
  } catch {
    return null;
  }
}

const schemes = new Set(["http:", "https:", "mailto:"]);

/**
 * The target of a link in a model's text, or null: http(s), mailto and, with a base, our own
 * addresses. Control characters and spaces inside a scheme are how `java\nscript:` gets through;
 * the URL parser removes them before the check.
 */
export function safeLink(href: string, base?: string): string | null {
  const url = parseUrl(href, base);
  return url && schemes.has(url.protocol) ? url.href : null;
}
