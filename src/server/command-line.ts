import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import { type ClientConnection, readClientConnection } from "./client-connection.ts";
import type { Env } from "./env.ts";
import type { Settings } from "./settings.ts";

type CommandLine = {
  folder: string;
  version: string;
  settings: Parameters<typeof readClientConnection>[1];
};
type Answer = { bytes: Buffer; etag: string; type: string };

/** The string in src/commands/client/main.ts that is replaced with the server's URL. */
const placeholder = "BOTTEGA_SERVED_FROM";
/** A server has few URLs, but clients may send any name for this machine. */
const maxOrigins = 16;

/**
 * Serves the command line as a file for `node` and as a package for `npx`, each containing the URL
 * it was requested at. Neither contains a secret: a person's key comes from the environment.
 */
export function createCommandLine({ folder, version, settings }: CommandLine) {
  const made = new Map<string, Promise<Record<"cli.mjs" | "cli.tgz", Answer>>>();

  async function make(origin: string) {
    const source = await readFile(`${folder}/cli.mjs`, "utf8");
    // JSON-quoted for the script. An origin contains no quotes, but this file doesn't rely on that.
    const script = Buffer.from(source.replace(`"${placeholder}"`, () => JSON.stringify(origin)));
    const packed = await packCommand(script, version);
    return {
      "cli.mjs": answerOf(script, "text/javascript; charset=utf-8"),
      "cli.tgz": answerOf(packed, "application/gzip"),
    };
  }

  return async function answer(c: Context<Env>, name: "cli.mjs" | "cli.tgz") {
    const origin = originOf(readClientConnection(c.env.incoming, settings), settings.publicUrl);
    let making = made.get(origin);
    if (!making) {
      making = make(origin);
      made.set(origin, making);
      making.catch(() => made.delete(origin));
      if (made.size > maxOrigins) made.delete(made.keys().next().value!);
    }
    const { bytes, etag, type } = (await making)[name];
    const headers = {
      "content-type": type,
      etag,
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    };
    if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
    return c.body(new Uint8Array(bytes), 200, headers);
  };
}

/**
 * Returns the public URL when it has the requested host name; otherwise the URL of the request,
 * which also reaches the server.
 */
function originOf({ host, encrypted }: ClientConnection, publicUrl: Settings["publicUrl"]): string {
  const asked = new URL(`${encrypted ? "https" : "http"}://${host}`);
  const known = publicUrl && new URL(publicUrl);
  return known && known.hostname === asked.hostname ? known.href.replace(/\/+$/, "") : asked.origin;
}

const answerOf = (bytes: Buffer, type: string): Answer => ({
  bytes,
  etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
  type,
});

/**
 * Packs the script for npm. Equal scripts give equal bytes, on every server and at any time. The
 * version contains a hash of the content, so that npx uses no older package from its cache.
 */
async function packCommand(script: Buffer, version: string): Promise<Buffer> {
  const content = createHash("sha256").update(script).digest("hex").slice(0, 12);
  const manifest = {
    name: "bottega",
    version: `${version}-h${content}`,
    description: "The command line of a Bottega, from that Bottega.",
    license: "MIT",
    type: "module",
    bin: { bottega: "cli.mjs" },
    engines: { node: ">=18" },
  };
  const archive = Buffer.concat([
    ...tarEntry(
      "package/package.json",
      Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`),
      0o644,
    ),
    ...tarEntry("package/cli.mjs", script, 0o755),
    Buffer.alloc(2 * tarBlock),
  ]);
  const packed = await promisify(gzip)(archive, { level: 9 });
  // The header's byte for the operating system; 255 is "unknown".
  packed[9] = 255;
  return packed;
}

const tarBlock = 512;

/** Encodes a file for a POSIX tar archive (ustar), without time, owner and group. */
function tarEntry(name: string, bytes: Buffer, mode: number): Buffer[] {
  const header = Buffer.alloc(tarBlock);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  header.write(name, 0);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes.length, 11), 124);
  header.write(octal(0, 11), 136);
  // The checksum is computed with spaces in its own field.
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\u0000 `, 148, "latin1");
  return [header, bytes, Buffer.alloc((tarBlock - (bytes.length % tarBlock)) % tarBlock)];
}
