import { expect, it } from "vitest";
import { textInTornJson } from "./torn-json.ts";

it.each([
  ["as soon as it has come", '{"status":"IN_QUEUE","id":"a-1"', "a-1"],
  ["in what is no JSON behind it", '{"id": "a-1"}{"id": "b-2"}', "a-1"],
  ["with its escapes", '{"id":"a\\u002d1\\"",', 'a-1"'],
  ["not before its end", '{"id":"a-1', undefined],
  ["not out of a field within another", '{"input":{"id":"x"},"id":"a-1"}', undefined],
  ["not out of another field's text", '{"prompt":"\\"id\\":\\"x\\"', undefined],
  ["not where it is no text", '{"id":7,"name":"a"}', undefined],
  ["not out of a web page", '<html>"id":"x"', undefined],
])("a field of torn JSON is read %s", (_, json, found) => {
  expect(textInTornJson(json, "id")).toBe(found);
});
