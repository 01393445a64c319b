import { createHash, type Hash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { createJsonScan } from "#domain/schemas/json-scan.ts";

/** Shorter ones stay in the JSON: most thumbnails. */
const fileBytesLeast = 64 * 1024;
const dataAddress = /^data:[^,"]{0,200};base64,/i;
/** Fields whose value is read as words, even where the words are a data address that somebody pasted. */
const wordsField = /"(?:text|content|input|output|arguments|prompt|instructions)"\s*:\s*"$/;
/** More than the longest of them with its punctuation. */
const fieldBytes = 64;

/** A file that left a body of JSON as it arrived. */
export type SentFile = { sha256: string; bytes: number; read(): AsyncIterable<Uint8Array> };

/**
 * Takes long `data:` addresses out of JSON that arrives in chunks: their bytes go to files of a folder, and in the JSON the base64 is
 * replaced by a name that nobody can guess. So 64 MB of pictures are a few KB to be parsed.
 */
export function createSentFiles(folder: string | undefined) {
  const found = new Map<string, { path: string; writer: FileWriter }>();
  /** The JSON as it will be parsed, in pieces. */
  let pieces: Uint8Array[] = [];
  /** The text that is open: where in `pieces` it begins, and its bytes so far; `writer` once it is a file. */
  let text: { at: number; bytes: number; writer?: FileWriter; isPlain?: boolean } | undefined;

  /** The last bytes before a text begins: its field's name, where it has one. */
  function before(at: number): string {
    let tail = Buffer.alloc(0);
    for (let i = at - 1; i >= 0 && tail.length < fieldBytes; i--)
      tail = Buffer.concat([pieces[i]!.subarray(-fieldBytes), tail]);
    return tail.toString("latin1");
  }

  async function become(file: NonNullable<typeof text>): Promise<void> {
    const head = Buffer.concat(pieces.slice(file.at));
    const prefix = dataAddress.exec(head.subarray(0, 300).toString("latin1"))?.[0];
    if (!prefix || folder === undefined || wordsField.test(before(file.at))) {
      file.isPlain = true;
      return;
    }
    const name = randomUUID();
    await mkdir(folder, { recursive: true });
    const path = join(folder, `sent-${name}`);
    file.writer = await openWriter(path);
    found.set(name, { path, writer: file.writer });
    pieces.length = file.at;
    pieces.push(Buffer.from(prefix + name));
    await file.writer.write(head.subarray(prefix.length));
  }

  async function takeText(
    part: Uint8Array,
    { begins, ends }: { begins: boolean; ends: boolean },
  ): Promise<void> {
    if (begins || !text) text = { at: pieces.length, bytes: 0 };
    text.bytes += part.length;
    if (text.writer) await text.writer.write(part);
    else {
      pieces.push(part);
      if (text.bytes > fileBytesLeast && !text.isPlain) await become(text);
    }
    if (!ends) return;
    await text.writer?.end();
    text = undefined;
  }

  return {
    /** @throws Problem that the scan throws */
    async take(chunk: Uint8Array, scan: ReturnType<typeof createJsonScan>): Promise<void> {
      if (folder === undefined) {
        scan.take(chunk);
        pieces.push(chunk);
        return;
      }
      const parts: { from: number; to: number; begins: boolean; ends: boolean }[] = [];
      scan.take(chunk, (part) => {
        // Short texts are no files: only what may be the beginning, the middle or the end of a long one is looked at.
        if (!part.begins || !part.ends || part.to - part.from > fileBytesLeast) parts.push(part);
      });
      let done = 0;
      for (const part of parts) {
        if (part.from > done) pieces.push(chunk.subarray(done, part.from));
        await takeText(chunk.subarray(part.from, part.to), part);
        done = part.to;
      }
      if (done < chunk.length) pieces.push(chunk.subarray(done));
    },
    /** What is left of the JSON. */
    text(): Uint8Array<ArrayBuffer> {
      const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
      let at = 0;
      for (const piece of pieces) {
        whole.set(piece, at);
        at += piece.length;
      }
      pieces = [];
      return whole;
    },
    /** The file whose place in the JSON this address has; undefined for an address that came as it is. */
    find(address: string): SentFile | undefined {
      const file = found.get(address.slice(address.indexOf(",") + 1));
      return file && { ...file.writer.facts(), read: () => createReadStream(file.path) };
    },
    async remove(): Promise<void> {
      for (const { path, writer } of found.values()) {
        // The end of the body may have broken the file too.
        await writer.end().catch(() => undefined);
        await rm(path, { force: true });
      }
    },
  };
}
export type SentFiles = ReturnType<typeof createSentFiles>;

type FileWriter = {
  write(base64: Uint8Array): Promise<void>;
  end(): Promise<void>;
  facts(): { sha256: string; bytes: number };
};

/** Writes what base64 says, as JSON has it: some programs escape its slashes and pluses, some break it into lines. */
async function openWriter(path: string): Promise<FileWriter> {
  const file: FileHandle = await open(path, "wx", 0o600);
  const hash: Hash = createHash("sha256");
  let bytes = 0;
  let held = "";
  let digest: string | undefined;
  async function put(base64: string): Promise<void> {
    const decoded = Buffer.from(base64, "base64");
    bytes += decoded.length;
    hash.update(decoded);
    await file.appendFile(decoded);
  }
  return {
    async write(part) {
      const given =
        held + Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString("latin1");
      const isPlain = !given.includes("\\");
      const cut = isPlain
        ? given.length
        : given.length - (/\\(?:u[0-9a-f]{0,3})?$/i.exec(given.slice(-5))?.[0].length ?? 0);
      const clean = isPlain ? given : unescapeJson(given.slice(0, cut));
      // Four characters are three bytes.
      const whole = clean.length - (clean.length % 4);
      held = clean.slice(whole) + given.slice(cut);
      await put(clean.slice(0, whole));
    },
    async end() {
      if (digest !== undefined) return;
      digest = "";
      await put(held);
      await file.close();
      digest = hash.digest("hex");
    },
    facts: () => ({ sha256: digest ?? "", bytes }),
  };
}

const unescapeJson = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/\\[nrt]|\\/g, "");
