import fc from "fast-check";
import { expect, it } from "vitest";
import { readJsonLines } from "./lines.ts";

async function* inPieces(bytes: Uint8Array, cuts: readonly number[]) {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
  yield bytes.subarray(from);
}

it("the documents are the same however the bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ text: fc.string({ unit: "binary" }) })),
      fc.array(fc.nat(400)),
      async (documents, cuts) => {
        const bytes = Buffer.from(
          documents.map((document) => `${JSON.stringify(document)}\n`).join(""),
        );
        const read = await Array.fromAsync(
          readJsonLines(
            inPieces(
              bytes,
              cuts.map((cut) => Math.min(cut, bytes.length)),
            ),
          ),
        );
        expect(read).toEqual(documents.map((document) => JSON.parse(JSON.stringify(document))));
      },
    ),
  );
});

it("an unterminated last line counts if it is whole, and is an interruption otherwise", async () => {
  expect(
    await Array.fromAsync(readJsonLines(inPieces(Buffer.from('{"a":1}\r\n\n{"b":2}'), []))),
  ).toEqual([{ a: 1 }, { b: 2 }]);
  await expect(
    Array.fromAsync(readJsonLines(inPieces(Buffer.from('{"a":1}\n{"b"'), []))),
  ).rejects.toMatchObject({
    code: "provider_interrupted",
  });
});

it("a line may have the maximum bytes and not one more", async () => {
  const line = JSON.stringify({ text: "x".repeat(100) });
  const pieces = (text: string) => inPieces(Buffer.from(text), [10, 20, 30]);
  expect(await Array.fromAsync(readJsonLines(pieces(`${line}\n`), line.length))).toHaveLength(1);
  await expect(
    Array.fromAsync(readJsonLines(pieces(`${line}x`), line.length)),
  ).rejects.toMatchObject({ code: "provider_protocol" });
});
