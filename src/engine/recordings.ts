import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ProducedFile } from "#providers/adapter.ts";

/** A recording that a provider is streaming to this process. */
export type Recording = {
  /** The attempt it belongs to; another attempt may produce a different recording. */
  attempt: number;
  mime: string | undefined;
  add(bytes: Uint8Array): Promise<void>;
  /** The bytes from a position, or some of them; undefined until any arrive. */
  read(from: number): Promise<Uint8Array | undefined>;
  /** The whole recording, to store before `end`. */
  whole(): { bytes: Uint8Array } | SpilledRecording;
  /** Frees its memory and its temporary file. */
  end(): Promise<void>;
};
type SpilledRecording = Required<Pick<ProducedFile, "size" | "sha256">> & {
  open(): Promise<AsyncIterable<Uint8Array>>;
};

const readBytes = 64 * 1024;

/**
 * The live recordings of a process, which together hold at most `mostBytes` in memory. Beyond that
 * a recording moves to a temporary file, and its listeners read it from there. If the disk is full,
 * it stays in memory, because it has been paid for.
 */
export function createRecordings({ folder, mostBytes }: { folder: string; mostBytes: number }) {
  let held = 0;

  return function begin(attempt: number, mime: string | undefined): Recording {
    const path = join(folder, `${process.pid}.${randomUUID()}`);
    const hash = createHash("sha256");
    /** The pieces that aren't in the file, in order, each with its position in the recording. */
    const pieces: { at: number; bytes: Uint8Array }[] = [];
    let file: FileHandle | undefined;
    let length = 0;
    let written = 0;
    let isOver = false;

    async function spill(): Promise<void> {
      file ??= await open(path, "wx+", 0o600);
      for (let next = pieces[0]; next; next = pieces[0]) {
        const { at, bytes } = next;
        for (let from = 0; from < bytes.byteLength; )
          from += (await file.write(bytes, from, bytes.byteLength - from, at + from)).bytesWritten;
        pieces.shift();
        written = at + bytes.byteLength;
        held -= bytes.byteLength;
      }
    }

    /**
     * Reads by the file handle: a sweep of the folder by another server's start removes the name
     * but not the bytes.
     */
    async function readFile(from: number): Promise<Uint8Array> {
      const { buffer, bytesRead } = await file!.read({
        buffer: new Uint8Array(Math.min(readBytes, written - from)),
        position: from,
      });
      if (bytesRead === 0) throw new Error("the temporary file of a recording is cut off");
      return buffer.subarray(0, bytesRead);
    }

    async function* everything(): AsyncGenerator<Uint8Array> {
      const end = written;
      for (let from = 0; from < end; ) {
        const bytes = await readFile(from);
        from += bytes.byteLength;
        yield bytes;
      }
      for (const { bytes } of pieces) yield bytes;
    }

    return {
      attempt,
      mime,
      async add(bytes) {
        hash.update(bytes);
        pieces.push({ at: length, bytes });
        length += bytes.byteLength;
        held += bytes.byteLength;
        if (file || held > mostBytes) await spill().catch(() => {});
      },
      async read(from) {
        if (isOver || from >= length) return undefined;
        const piece = pieces.findLast(({ at }) => at <= from);
        if (piece) return piece.bytes.subarray(from - piece.at);
        return readFile(from);
      },
      whole: () =>
        written === 0
          ? { bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)) }
          : { size: length, sha256: hash.copy().digest("hex"), open: async () => everything() },
      async end() {
        isOver = true;
        for (const { bytes } of pieces.splice(0)) held -= bytes.byteLength;
        if (!file) return;
        await file.close().catch(() => {});
        await rm(path, { force: true }).catch(() => {});
      },
    };
  };
}
