import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { SentFile } from "../../files/sent-files.ts";

/** A file of a form, which exists until the form is removed. */
export type FormFile = SentFile & { name: string };
export type Form = { fields: [name: string, value: string | FormFile][]; remove(): Promise<void> };

const maxHeaders = 16 * 1024;
const blank = Buffer.from("\r\n\r\n");
const unreadable = () => new Problem("invalid_input", { message: sentences.api.formUnreadable });

/**
 * Reads multipart/form-data (RFC 7578) as it arrives. Files are written to a folder; other fields
 * stay in memory.
 * @param folder where files are stored temporarily
 * @throws Problem unsupported_media, too_large, invalid_input
 */
export async function readMultipart(
  type: string,
  body: AsyncIterable<Uint8Array>,
  folder: string,
): Promise<Form> {
  const given = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  const boundary = given?.[1] ?? given?.[2];
  if (!/^multipart\/form-data\b/i.test(type) || !boundary)
    throw new Problem("unsupported_media", { message: sentences.api.formNeeded });
  const paths: string[] = [];
  const form: Form = {
    fields: [],
    remove: async () => void (await Promise.all(paths.map((path) => rm(path, { force: true })))),
  };
  const separator = Buffer.from(`\r\n--${boundary}`);
  let part: Part | undefined;
  let fieldBytes = 0;

  async function begin(headers: string): Promise<void> {
    if (form.fields.length >= limits.formParts) throw tooMany();
    const { name, file } = namesOf(headers);
    if (file === undefined) {
      part = createField(
        (value) => form.fields.push([name, value]),
        (bytes) => {
          fieldBytes += bytes;
          if (fieldBytes > limits.jsonBodyBytes)
            throw new Problem("too_large", { message: sentences.api.formFieldsTooLarge });
        },
      );
      return;
    }
    await mkdir(folder, { recursive: true });
    const path = join(folder, `sent-${randomUUID()}`);
    paths.push(path);
    part = await createFile(path, (facts) =>
      form.fields.push([name, { ...facts, name: file, read: () => createReadStream(path) }]),
    );
  }

  /** The first separator of a form lacks the line break that precedes the later ones. */
  let held: Buffer = Buffer.from("\r\n");
  let state: "preamble" | "headers" | "body" | "end" = "preamble";
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > limits.apiBodyBytes)
        throw new Problem("too_large", {
          message: sentences.api.formTooLarge({ megabytes: limits.apiBodyBytes / 1024 ** 2 }),
        });
      held =
        held.length > 0
          ? Buffer.concat([held, chunk])
          : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let more = true; more && state !== "end"; ) {
        if (state === "headers") {
          const end = held.indexOf(blank);
          if (held.subarray(0, 2).toString() === "--") state = "end";
          else if (end >= 0 && end <= maxHeaders) {
            await begin(held.subarray(0, end).toString());
            // A part without bytes ends with the line break of its own headers.
            held = held.subarray(end + 2);
            if (held.indexOf(separator) !== 0) held = held.subarray(2);
            state = "body";
          } else if (held.length > maxHeaders) throw unreadable();
          else more = false;
          continue;
        }
        const at = held.indexOf(separator);
        const sure = at >= 0 ? at : Math.max(0, held.length - separator.length + 1);
        await part?.take(held.subarray(0, sure));
        held = held.subarray(at >= 0 ? at + separator.length : sure);
        more = at >= 0;
        if (at < 0) continue;
        await part?.end();
        part = undefined;
        state = "headers";
      }
      // Copied, so that a retained slice doesn't retain its whole chunk.
      held = state === "end" ? Buffer.alloc(0) : Buffer.from(held);
    }
    if (state !== "end") throw unreadable();
    return form;
  } catch (error) {
    await part?.end().catch(() => undefined);
    await form.remove();
    throw error;
  }
}

const tooMany = () =>
  new Problem("too_large", { message: sentences.api.tooManyParts({ limit: limits.formParts }) });

type Part = { take(bytes: Uint8Array): Promise<void>; end(): Promise<void> };

function createField(done: (value: string) => void, count: (bytes: number) => void): Part {
  const chunks: Uint8Array[] = [];
  return {
    async take(bytes) {
      count(bytes.length);
      chunks.push(Buffer.from(bytes));
    },
    end: async () => done(Buffer.concat(chunks).toString()),
  };
}

async function createFile(
  path: string,
  done: (facts: { sha256: string; bytes: number }) => void,
): Promise<Part> {
  const file = await open(path, "wx", 0o600);
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    async take(chunk) {
      if (chunk.length === 0) return;
      bytes += chunk.length;
      hash.update(chunk);
      await file.appendFile(chunk);
    },
    async end() {
      await file.close();
      done({ sha256: hash.digest("hex"), bytes });
    },
  };
}

/**
 * Parses a part's Content-Disposition. `file` is present, though maybe empty, when the part is a
 * file. Quotes in names arrive as %22 or with a backslash.
 */
function namesOf(headers: string): { name: string; file?: string } {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? "";
  const parameterOf = (name: string): string | undefined => {
    const found = new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, "i").exec(
      disposition,
    );
    return (found?.[1] ?? found?.[2])
      ?.replace(/\\(.)/g, "$1")
      .replace(/%22/g, '"')
      .replace(/%0D|%0A/gi, " ");
  };
  const name = parameterOf("name");
  if (name === undefined) throw unreadable();
  const file = parameterOf("filename");
  return { name, ...(file !== undefined && { file }) };
}
