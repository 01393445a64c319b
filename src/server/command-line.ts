import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import type { Env } from "./env.ts";
import { type Line, readLine } from "./line.ts";
import type { Settings } from "./settings.ts";

type CommandLine = { folder: string; version: string; settings: Parameters<typeof readLine>[1] };
type Answer = { bytes: Buffer; etag: string; type: string };

/** Where src/commands/client/main.ts has the server that it came from. */
const placeholder = "BOTTEGA_SERVED_FROM";
/** A server is known by few addresses, and a client may write any name of this machine. */
const originsMost = 16;

/**
 * The command line as a file for `node` and as a package for `npx`, with the address that it was asked for in it. Neither has a secret
 * or needs one: a key is the person's own, and comes from the environment.
 */
export function createCommandLine({ folder, version, settings }: CommandLine) {
  const made = new Map<string, Promise<Record<"cli.mjs" | "cli.tgz", Answer>>>();

  async function make(origin: string) {
    const source = await readFile(`${folder}/cli.mjs`, "utf8");
    // As a string of the script: an origin has no quote, but that is another module's rule.
    const script = Buffer.from(source.replace(`"${placeholder}"`, () => JSON.stringify(origin)));
    const packed = await packCommand(script, version);
    return {
      "cli.mjs": answerOf(script, "text/javascript; charset=utf-8"),
      "cli.tgz": answerOf(packed, "application/gzip"),
    };
  }

  return async function answer(c: Context<Env>, name: "cli.mjs" | "cli.tgz") {
    const origin = originOf(readLine(c.env.incoming, settings), settings.publicUrl);
    let making = made.get(origin);
    if (!making) {
      making = make(origin);
      made.set(origin, making);
      making.catch(() => made.delete(origin));
      if (made.size > originsMost) made.delete(made.keys().next().value!);
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

/** The public address where it was asked for by that name; else the address of the request, which reaches the server as well. */
function originOf({ host, encrypted }: Line, publicUrl: Settings["publicUrl"]): string {
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
 * The script as a package of npm: the same bytes for the same script, on every server and at every time. Its version names the content,
 * so that npx takes no older one from its cache.
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
  // The header's byte for the system on which it was packed; 255 is "unknown".
  packed[9] = 255;
  return packed;
}

const tarBlock = 512;

/** A file in an archive of POSIX tar (ustar): without a time, an owner or a group. */
function tarEntry(name: string, bytes: Buffer, mode: number): Buffer[] {
  const header = Buffer.alloc(tarBlock);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  header.write(name, 0);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes.length, 11), 124);
  header.write(octal(0, 11), 136);
  // The sum is taken with blanks in its own place.
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\u0000 `, 148, "latin1");
  return [header, bytes, Buffer.alloc((tarBlock - (bytes.length % tarBlock)) % tarBlock)];
}
