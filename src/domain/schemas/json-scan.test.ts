import { expect, it, vi } from "vitest";
import { Problem } from "#contract/errors.ts";
import { createJsonScan, type JsonBounds, parseBounded } from "./json-scan.ts";

const bounds: JsonBounds = { depth: 3, values: 10 };
const encode = (text: string) => new TextEncoder().encode(text);
const scan = (text: string, given = bounds) => createJsonScan(given).take(encode(text));

it.each([
  ["[[[[]]]]", "levels deep as allowed"],
  ["[1,2,3,4,5,6,7,8,9]", "ten values with the array itself"],
  ['{"a":1,"b":[],"c":{},"d":"x","e":null,"f":true,"g":[2]}', "keys are no values"],
  [
    '["[[[[[[", "{{{{{", ",,,,,,,,,,,,,", "\\"[[[[[", "\\\\"]',
    "brackets and commas in texts are text",
  ],
  ["[] [] [] []", "what is no JSON is the parser's to refuse"],
])("%s passes: %s", (text) => {
  expect(() => scan(text)).not.toThrow();
});

it.each([
  ["[[[[[]]]]]", "nested more than 3 levels"],
  ['{"a":{"a":{"a":{"a":{}}}}}', "nested more than 3 levels"],
  ["[1,2,3,4,5,6,7,8,9,10]", "more than 10 values"],
  ["[[],[],[],[],[],[],[],[],[],[]]", "more than 10 values"],
  [",,,,,,,,,,", "more than 10 values"],
  ["]]]]]]]][[[[[", "nested more than 3 levels"],
  ['"\n[[[[[', "nested more than 3 levels"],
])("%s is refused: %s", (text, words) => {
  expect(() => scan(text)).toThrow(Problem);
  expect(() => scan(text)).toThrow(words);
});

it("the count is the same wherever the chunks split", () => {
  const text = encode('{"a":"x\\"[[[[","b":[1,[2,"é, {"]],"c":3,"d":4,"e":5}');
  const scanCutAt = (cut: number, values: number) => {
    const scanner = createJsonScan({ depth: 3, values });
    scanner.take(text.subarray(0, cut));
    scanner.take(text.subarray(cut));
  };
  for (let cut = 0; cut <= text.length; cut++) {
    expect(() => scanCutAt(cut, 10)).not.toThrow();
    expect(() => scanCutAt(cut, 9)).toThrow(Problem);
  }
});

it("texts are reported part by part, without quotes", () => {
  const text = encode('["abc","d\\"e"]');
  for (let cut = 0; cut <= text.length; cut++) {
    const scanner = createJsonScan(bounds);
    const texts: string[] = [];
    for (const chunk of [text.subarray(0, cut), text.subarray(cut)])
      scanner.take(chunk, ({ from, to, begins }) => {
        const part = new TextDecoder().decode(chunk.subarray(from, to));
        if (begins) texts.push(part);
        else texts[texts.length - 1] += part;
      });
    expect(texts).toEqual(["abc", 'd\\"e']);
  }
});

it("no byte past a bound reaches the parser", () => {
  const parser = vi.spyOn(JSON, "parse");
  try {
    expect(() => parseBounded(encode("[".repeat(100)), bounds)).toThrow(Problem);
    expect(parser).not.toHaveBeenCalled();
    expect(parseBounded(encode("[1]"), bounds)).toEqual([1]);
  } finally {
    parser.mockRestore();
  }
});
