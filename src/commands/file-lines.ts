import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

/** Written in large chunks, so that a million rows aren't a million writes. */
const chunkChars = 1 << 20;

/**
 * Writes a file of lines, fsynced.
 * @returns the numbers of rows and bytes, and the hash
 */
export async function writeLines(
  path: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<{ rows: number; bytes: number; sha256: string }> {
  const sum = createHash("sha256");
  const handle = await open(path, "wx", 0o600);
  let [rows, bytes, text] = [0, 0, ""];
  const flush = async (): Promise<void> => {
    const chunk = Buffer.from(text);
    text = "";
    sum.update(chunk);
    bytes += chunk.byteLength;
    await handle.writeFile(chunk);
  };
  try {
    for await (const line of lines) {
      text += `${line}\n`;
      rows++;
      if (text.length >= chunkChars) await flush();
    }
    await flush();
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { rows, bytes, sha256: sum.digest("hex") };
}

/** Splits only at line feeds: readline also splits at U+2028, which JSON doesn't escape. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(path, {
    encoding: "utf8",
    highWaterMark: chunkChars,
  })) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
