import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { createJsonScan, requestBounds } from "#domain/schemas/json-scan.ts";
import { createTempFolder } from "../../../test/support/temp.ts";
import { createSentFiles } from "./sent-files.ts";

const picture = Buffer.alloc(100_000, 7).fill(0xfb, 500, 900);
const prefix = "data:image/png;base64,";
const asAddress = (bytes: Buffer) => prefix + bytes.toString("base64");

async function send(json: string, { chunkBytes = 64 * 1024, folder = createTempFolder() } = {}) {
  const files = createSentFiles(folder);
  const scan = createJsonScan(requestBounds);
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += chunkBytes)
    await files.take(bytes.subarray(at, at + chunkBytes), scan);
  return { files, folder, text: new TextDecoder().decode(files.text()) };
}

async function bytesOf(file: { read(): AsyncIterable<Uint8Array> } | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file!.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it.each([1_000, 4_099, 65_536, 1_000_000])(
  "a long data URL leaves the JSON as a file (chunks of %d bytes)",
  async (chunkBytes) => {
    const body = {
      before: "x".repeat(70_000),
      list: [asAddress(picture), "short", asAddress(Buffer.from("tiny"))],
      after: 'a "quote" \\',
    };
    const { files, folder, text } = await send(JSON.stringify(body), { chunkBytes });
    const left = JSON.parse(text);
    expect(left).toEqual({
      ...body,
      list: [
        expect.stringMatching(/^data:image\/png;base64,[0-9a-f-]{36}$/),
        ...body.list.slice(1),
      ],
    });
    const file = files.find(left.list[0]);
    expect(file).toMatchObject({
      bytes: picture.length,
      sha256: createHash("sha256").update(picture).digest("hex"),
    });
    expect((await bytesOf(file)).equals(picture)).toBe(true);
    expect(files.find(left.list[2])).toBeUndefined();
    await files.remove();
    expect(readdirSync(folder)).toEqual([]);
  },
);

it("base64 with other programs' escapes gives the same file", async () => {
  const base64 = picture.toString("base64");
  const spellings = [
    base64.replaceAll("/", "\\/"),
    base64.replaceAll("+", "\\u002B").replaceAll("/", "\\u002f"),
    base64.replace(/.{76}/g, "$&\\r\\n"),
  ];
  for (const spelling of spellings)
    for (const chunkBytes of [997, 65_536]) {
      const { files, text } = await send(`{"url":"${prefix.replaceAll("/", "\\/")}${spelling}"}`, {
        chunkBytes,
      });
      expect((await bytesOf(files.find(JSON.parse(text).url))).equals(picture)).toBe(true);
      await files.remove();
    }
});

it("a long text that isn't a data URL stays unchanged", async () => {
  const body = JSON.stringify({
    text: `data, not an address: ${"é,".repeat(60_000)}`,
    keys: { [`data:${"k".repeat(70_000)}`]: 1 },
  });
  const { text, folder } = await send(body);
  expect(text).toBe(body);
  expect(readdirSync(folder)).toEqual([]);
});

it.each([1_000, 1_000_000])(
  "a data URL in a message's text stays unchanged (chunks of %d bytes)",
  async (chunkBytes) => {
    const address = asAddress(picture);
    const body = {
      messages: [{ role: "user", content: address }],
      input: [{ type: "input_text", text: address, url: address }],
    };
    const { text, files } = await send(JSON.stringify(body), { chunkBytes });
    const left = JSON.parse(text);
    expect(left.messages).toEqual(body.messages);
    expect(left.input[0].text).toBe(address);
    expect((await bytesOf(files.find(left.input[0].url))).equals(picture)).toBe(true);
    await files.remove();
  },
);

it("a body that ends in the middle of a file leaves nothing behind", async () => {
  const { files, folder } = await send(`{"url":"${asAddress(picture).slice(0, 90_000)}`);
  expect(readdirSync(folder)).toHaveLength(1);
  await files.remove();
  expect(readdirSync(folder)).toEqual([]);
});
