import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Context } from "hono";
import type { Env } from "./env.ts";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".map": "application/json",
  ".txt": "text/plain; charset=utf-8",
};
const compressible = new Set([".html", ".js", ".css", ".svg", ".json", ".webmanifest"]);

/**
 * Allows only our own files to run or load, and one named Trusted Types policy, for worker URLs.
 */
const pageHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types bottega",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // With "no-referrer", a form of our own page would have no origin.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(self), geolocation=(), microphone=(self)",
};

/**
 * Headers of the frame that draws diagrams. `sandbox` removes its origin wherever it is opened, and
 * with it access to cookies, storage and our pages. It runs only our scripts, which style their
 * drawings inline, and loads nothing else.
 */
const diagramHeaders = {
  ...pageHeaders,
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ].join("; "),
  "x-frame-options": "SAMEORIGIN",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};
const diagramPage = "diagram.html";

type Page = { bytes: Buffer; etag: string; type: string; encoded: Map<string, Buffer> };

/**
 * Serves the built browser app from its folder. Hashed files are cached forever, the page itself is
 * revalidated. Each file is compressed once, in memory.
 */
export function createPages(folder: string) {
  const pages = new Map<string, Page>();

  async function load(path: string): Promise<Page | undefined> {
    const known = pages.get(path);
    if (known) return known;
    const file = join(folder, path);
    if (!(await stat(file).catch(() => undefined))?.isFile()) return undefined;
    const bytes = await readFile(file);
    const page = {
      bytes,
      etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
      type: types[extname(path)] ?? "application/octet-stream",
      encoded: new Map<string, Buffer>(),
    };
    pages.set(path, page);
    return page;
  }

  async function encode(
    page: Page,
    accepted: string,
    extension: string,
  ): Promise<{ bytes: Buffer; encoding?: string }> {
    const encoding = !compressible.has(extension)
      ? undefined
      : /\bbr\b/.test(accepted)
        ? "br"
        : /\bgzip\b/.test(accepted)
          ? "gzip"
          : undefined;
    if (!encoding) return { bytes: page.bytes };
    const known = page.encoded.get(encoding);
    if (known) return { bytes: known, encoding };
    const bytes =
      encoding === "br"
        ? await promisify(brotliCompress)(page.bytes, {
            params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
          })
        : await promisify(gzip)(page.bytes);
    page.encoded.set(encoding, bytes);
    return { bytes, encoding };
  }

  /**
   * Returns the file at this path, or the app's page for any path that is a screen. Undefined for a
   * file that doesn't exist.
   */
  return async function answerPage(c: Context<Env>): Promise<Response | undefined> {
    const path = normalize(decode(c.req.path) ?? "..").replace(/^[/\\]+/, "");
    if (path.startsWith("..")) return undefined;
    const isFile = extname(path) !== "" && !path.endsWith(".html");
    const page =
      (path ? await load(path) : undefined) ??
      (isFile && path.startsWith("assets/") ? undefined : await load("index.html"));
    if (!page) return undefined;
    const isAsset = path.startsWith("assets/");
    const headers: Record<string, string> = {
      ...(path === diagramPage ? diagramHeaders : pageHeaders),
      // A sandboxed frame has no origin, so its script requests are cross-origin. The scripts are
      // the same for everyone.
      ...(isAsset && { "access-control-allow-origin": "*" }),
      "content-type": page.type,
      etag: page.etag,
      vary: "accept-encoding",
      "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
    };
    if (c.req.header("if-none-match") === page.etag) return c.body(null, 304, headers);
    const { bytes, encoding } = await encode(
      page,
      c.req.header("accept-encoding") ?? "",
      extname(path) || ".html",
    );
    return c.body(new Uint8Array(bytes), 200, {
      ...headers,
      ...(encoding && { "content-encoding": encoding }),
    });
  };
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // Invalid UTF-8: not a page.
    return undefined;
  }
}
