import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { createTempFolder } from "../../../../test/support/temp.ts";
import { type FormFile, readMultipart } from "./form.ts";

const picture = Buffer.from([
  0,
  13,
  10,
  45,
  45,
  ...Array.from({ length: 5_000 }, (_, i) => i % 256),
  13,
  10,
]);

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(form: FormData, chunkBytes: number, folder = createTempFolder()) {
  const request = new Request("http://here", { method: "POST", body: form });
  const bytes = new Uint8Array(await request.arrayBuffer());
  return {
    folder,
    form: await readMultipart(
      request.headers.get("content-type")!,
      inChunks(bytes, chunkBytes),
      folder,
    ),
  };
}

async function bytesOf(file: FormFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it.each([1, 7, 64, 1_000, 100_000])(
  "fields and files are read as they were sent (chunks of %d bytes)",
  async (chunkBytes) => {
    const given = new FormData();
    given.append("model", "a/b");
    given.append("empty", "");
    given.append("prompt", "two\r\nlines, é, --and dashes");
    given.append("image[]", new File([picture], 'a "quoted" näme.png', { type: "image/png" }));
    given.append("image[]", new File([], "nothing.bin"));
    const { folder, form } = await read(given, chunkBytes);
    expect(
      form.fields.map(([name, value]) => [
        name,
        typeof value === "string" ? value : [value.name, value.bytes],
      ]),
    ).toEqual([
      ["model", "a/b"],
      ["empty", ""],
      ["prompt", "two\r\nlines, é, --and dashes"],
      ["image[]", ['a "quoted" näme.png', picture.length]],
      ["image[]", ["nothing.bin", 0]],
    ]);
    const file = form.fields[3]![1] as FormFile;
    expect((await bytesOf(file)).equals(picture)).toBe(true);
    expect(file.sha256).toBe(createHash("sha256").update(picture).digest("hex"));
    await form.remove();
    expect(readdirSync(folder)).toEqual([]);
  },
);

it.each([
  [
    '--x\r\ncontent-disposition: form-data; name="a"; filename="f"\r\n\r\nbroken off',
    "invalid_input",
  ],
  ["--x\r\nno name at all\r\n\r\n\r\n--x--", "invalid_input"],
  [`--x\r\n${"h".repeat(20_000)}`, "invalid_input"],
  ["no form", "invalid_input"],
  [
    `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(limits.formParts + 1)}--x--`,
    "too_large",
  ],
])("%j is refused, and none of its files stay", async (text, code) => {
  const folder = createTempFolder();
  await expect(
    readMultipart("multipart/form-data; boundary=x", inChunks(Buffer.from(text), 64), folder),
  ).rejects.toMatchObject({ code });
  expect(readdirSync(folder)).toEqual([]);
});
