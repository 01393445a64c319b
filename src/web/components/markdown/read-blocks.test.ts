import fc from "fast-check";
import { expect, it } from "vitest";
import { emptyDocument, type MarkdownDocument, readBlocks } from "./read-blocks.ts";

const shape = ({ blocks }: MarkdownDocument) =>
  blocks.map(({ start, token }) => [start, token.type, token.raw]);
const stream = (chunks: readonly string[]) => {
  let text = "";
  let document = emptyDocument;
  for (const chunk of chunks) {
    text += chunk;
    document = readBlocks(document, text);
  }
  return readBlocks(document, text, true);
};

const answer = [
  "# Tides\n\nA *paragraph* with **weight**\nover two lines.\n\n",
  "- one\n- two\n\n  still two\n- three\n\n",
  "```ts\nconst a = 1;\n\n- not a list\n```\n\n",
  "| a | b |\n|---|--:|\n| 1 | 2 |\n\n",
  "$$\nx^2\n$$\n\nInline \\(y\\) and $5.\n\n> quoted\n\nHeading\n===\n\n[ref] and [ref2][ref]\n\n[ref]: https://example.org\n",
].join("");

it("gives the same blocks for a text at once and in pieces", () => {
  const whole = shape(readBlocks(emptyDocument, answer, true));
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }),
      (sizes) => {
        const chunks: string[] = [];
        for (let at = 0, turn = 0; at < answer.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(answer.slice(at, at + size));
          at += size;
        }
        expect(shape(stream(chunks))).toEqual(whole);
      },
    ),
    { numRuns: 60 },
  );
});

it("keeps the token of a closed block while the text after it grows", () => {
  const first = readBlocks(emptyDocument, "One.\n\nTwo");
  const second = readBlocks(first, "One.\n\nTwo and\n\nthree");
  expect(second.blocks[0]?.token).toBe(first.blocks[0]?.token);
  expect(second.blocks).toHaveLength(3);
});

it("keeps a text's tokens when it turns out to be complete", () => {
  const streamed = readBlocks(emptyDocument, "One.\n\nTwo.");
  const complete = readBlocks(streamed, "One.\n\nTwo.", true);
  expect(complete.blocks.map(({ token }) => token)).toEqual(
    streamed.blocks.map(({ token }) => token),
  );
  expect(complete.blocks[0]?.token).toBe(streamed.blocks[0]?.token);
});

it("an earlier reference becomes a link when a later block defines it", () => {
  const before = readBlocks(emptyDocument, "See [the chart].\n\nMore");
  expect(JSON.stringify(before.blocks[0]?.token)).not.toContain('"link"');
  const after = readBlocks(
    before,
    "See [the chart].\n\nMore\n\n[the chart]: https://example.org/c\n\nEnd",
  );
  expect(JSON.stringify(after.blocks[0]?.token)).toContain("https://example.org/c");
});

it("a reference in a new block uses an earlier definition", () => {
  const before = readBlocks(emptyDocument, "[c]: https://example.org/c\n\nText\n\nmore");
  const after = readBlocks(before, `${before.text} and\n\nsee [c]`);
  expect(JSON.stringify(after.blocks.at(-1)?.token)).toContain("https://example.org/c");
});

it("reads a definition whose address arrives in pieces", () => {
  const text = "See [the chart].\n\n[the chart]: https://example.org/chart\n\nEnd";
  const pieces = [text.slice(0, 42), text.slice(42)];
  const document = pieces.reduce(
    (before, piece) => readBlocks(before, before.text + piece),
    emptyDocument,
  );
  expect(JSON.stringify(document.blocks[0]?.token)).toContain('"https://example.org/chart"');
});

it("keeps the blocks with links when the text turns out to be complete", () => {
  const streamed = readBlocks(emptyDocument, "See [c].\n\n[c]: https://example.org/c\n\nTwo.");
  const complete = readBlocks(streamed, streamed.text, true);
  expect(complete.blocks[0]).toBe(streamed.blocks[0]);
});

it("recognizes a formula right after its paragraph, and none in a later paragraph", () => {
  const types = (text: string) =>
    readBlocks(emptyDocument, text, true).blocks.map(({ token }) => token.type);
  expect(types("So it is:\n$$\nx^2\n$$\nand\n\nmore")).toEqual([
    "paragraph",
    "maths",
    "paragraph",
    "paragraph",
  ]);
  expect(types("So it is:\n\nand then\n$$\nx^2\n$$\n")).toEqual([
    "paragraph",
    "paragraph",
    "maths",
  ]);
});

it("starts over when the text is replaced", () => {
  const before = readBlocks(emptyDocument, "One.\n\nTwo");
  expect(shape(readBlocks(before, "Else.\n\nTwo"))).toEqual(
    shape(readBlocks(emptyDocument, "Else.\n\nTwo")),
  );
});

it.each([
  ["$x$", "x"],
  ["Let $a_1 + b$ be", "a_1 + b"],
  ["($\\alpha$), so", "\\alpha"],
  ["a cost of $\\$5$ each", "\\$5"],
])("renders a formula between single dollars: %s", (text, tex) => {
  const written = JSON.stringify(readBlocks(emptyDocument, text, true).blocks);
  expect(written).toContain(JSON.stringify({ tex }).slice(1, -1));
});

it.each([
  "between $5 and $6",
  "$5 a month or 10$",
  "US$5 and US$6",
  "$ 5 $",
  "$5-$10",
  "`$a$`",
  "$a",
  "\\$a\\$",
])("leaves money and code unchanged: %s", (text) => {
  expect(JSON.stringify(readBlocks(emptyDocument, text, true).blocks)).not.toContain('"maths"');
});

it("leaves an unclosed formula as text, and a single dollar as money", () => {
  expect(readBlocks(emptyDocument, "$$\nx^2").blocks[0]?.token.type).toBe("paragraph");
  expect(readBlocks(emptyDocument, "$$\nx^2\n$$").blocks[0]?.token).toMatchObject({
    type: "maths",
    tex: "x^2",
    isBlock: true,
  });
  expect(JSON.stringify(readBlocks(emptyDocument, "between $5 and $6").blocks)).not.toContain(
    "maths",
  );
});

it("counts a line break of two characters like the lexer", () => {
  const document = stream(["One.\r\n\r\nTwo", " more\r\n\r\nThree"]);
  expect(document.blocks.map(({ token }) => token.raw.trim())).toEqual([
    "One.",
    "Two more",
    "Three",
  ]);
});
