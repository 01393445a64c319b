import { randomUUID } from "node:crypto";
import type { InputFile } from "../adapter.ts";

/**
 * Builds a multipart/form-data body (RFC 7578) that is read from our store as it is sent, with a
 * known length: servers that refuse chunked uploads accept it, and a long recording is never
 * entirely in memory.
 */
export function createMultipart(
  parts: readonly (readonly [name: string, value: string | InputFile])[],
) {
  const boundary = `bottega-${randomUUID()}`;
  const pieces: (Buffer | InputFile)[] = [];
  for (const [name, value] of parts) {
    const file =
      typeof value === "string"
        ? ""
        : `; filename="${quote(value.name)}"\r\nContent-Type: ${value.mime}`;
    pieces.push(
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"${file}\r\n\r\n`,
      ),
    );
    pieces.push(typeof value === "string" ? Buffer.from(value) : value);
    pieces.push(Buffer.from("\r\n"));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  const length = pieces.reduce(
    (sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : piece.bytes),
    0,
  );
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(length),
    },
    body: toWebStream(read(pieces)),
  };
}

/**
 * Escapes names as browsers do (HTML, multipart/form-data encoding). Only these three characters
 * can break the header.
 */
const quote = (name: string) => name.replace(/\r\n|\r|\n/g, "%0D%0A").replaceAll('"', "%22");

async function* read(pieces: readonly (Buffer | InputFile)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    else yield* await piece.open();
  }
}

function toWebStream(source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await source.return(undefined);
    },
  });
}
