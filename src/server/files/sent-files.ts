import { createHash, type Hash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { createJsonScan } from "#domain/schemas/json-scan.ts";

/** Shorter data URLs, such as most thumbnails, stay in the JSON. */
const minFileBytes = 64 * 1024;
const dataAddress = /^data:[^,"]{0,200};base64,/i;
/** Fields whose value is text, even when somebody pasted a data URL into it. */
const wordsField = /"(?:text|content|input|output|arguments|prompt|instructions)"\s*:\s*"$/;
/** Longer than the longest of these names with its punctuation. */
const fieldBytes = 64;

/** A file extracted from a JSON body as it arrived. */
export type SentFile = { sha256: string; bytes: number; read(): AsyncIterable<Uint8Array> };

/**
 * Extracts long `data:` URLs from JSON that arrives in chunks. Their bytes are written to files in
 * a folder, and the base64 in the JSON is replaced by an unguessable name, so that 64 MB of
 * pictures leave only a few KB to parse.
 */
export function createSentFiles(folder: string | undefined) {
  const found = new Map<string, { path: string; writer: FileWriter }>();
  /** The JSON to parse, in pieces. */
  let pieces: Uint8Array[] = [];
  /**
   * The current string: its start in `pieces`, its bytes so far, and its `writer` once it is a
   * file.
   */
  let text: { at: number; bytes: number; writer?: FileWriter; isPlain?: boolean } | undefined;

  /** Returns the last bytes before a string starts, with its field's name, if it has one. */
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
      if (text.bytes > minFileBytes && !text.isPlain) await become(text);
    }
    if (!ends) return;
    await text.writer?.end();
    text = undefined;
  }

  return {
    /** @throws Problem thrown by the scan */
    async take(chunk: Uint8Array, scan: ReturnType<typeof createJsonScan>): Promise<void> {
      if (folder === undefined) {
        scan.take(chunk);
        pieces.push(chunk);
        return;
      }
      const parts: { from: number; to: number; begins: boolean; ends: boolean }[] = [];
      scan.take(chunk, (part) => {
        // Short strings aren't files. Only parts that may belong to a long one are checked.
        if (!part.begins || !part.ends || part.to - part.from > minFileBytes) parts.push(part);
      });
      let done = 0;
      for (const part of parts) {
        if (part.from > done) pieces.push(chunk.subarray(done, part.from));
        await takeText(chunk.subarray(part.from, part.to), part);
        done = part.to;
      }
      if (done < chunk.length) pieces.push(chunk.subarray(done));
    },
    /** Returns the remaining JSON. */
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
    /**
     * Returns the file that replaces this URL in the JSON; undefined for a URL that was left in
     * place.
     */
    find(address: string): SentFile | undefined {
      const file = found.get(address.slice(address.indexOf(",") + 1));
      return file && { ...file.writer.facts(), read: () => createReadStream(file.path) };
    },
    async remove(): Promise<void> {
      for (const { path, writer } of found.values()) {
        // The body's abort may have broken the file too.
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

/**
 * Writes decoded base64, as found in JSON: some programs escape its slashes and plus signs, some
 * break it into lines.
 */
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
      // Four characters encode three bytes.
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
