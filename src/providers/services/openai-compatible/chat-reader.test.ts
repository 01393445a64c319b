import { expect, it } from "vitest";
import { createChatReader } from "./chat-reader.ts";

/** Reads the calls of an answer, chunk by chunk. */
function read(chunks: readonly object[][], reason = "tool_calls") {
  const reader = createChatReader({ secret: null, host: "a.example" });
  const parts = chunks.flatMap((calls) =>
    reader.read({ choices: [{ delta: { tool_calls: calls } }] }),
  );
  reader.read({ choices: [{ delta: {}, finish_reason: reason }] });
  const calls = reader.end().filter((part) => part.type === "tool-call");
  const pieces = parts.filter((part) => part.type === "tool-call-piece");
  return {
    pieces: pieces.map(({ place, name, text }) => `${place} ${name}${text}`),
    calls: calls.map(
      ({ name, input, malformed }) => `${name}${malformed ?? JSON.stringify(input)}`,
    ),
  };
}

it("calls without a number, of several chunks, are all apart", () => {
  const call = (name: string) => ({ function: { name, arguments: `{"of":"${name}"}` } });
  expect(read([[call("a"), call("b")], [call("c")]])).toEqual({
    pieces: ['0 a{"of":"a"}', '1 b{"of":"b"}', '2 c{"of":"c"}'],
    calls: ['a{"of":"a"}', 'b{"of":"b"}', 'c{"of":"c"}'],
  });
});

it("a call keeps the name that its first piece told", () => {
  const chunks = [
    [{ index: 0, function: { name: "write", arguments: "{" } }],
    [{ index: 0, function: { name: "other", arguments: "}" } }],
  ];
  expect(read(chunks)).toEqual({ pieces: ["0 write{", "0 write}"], calls: ["write{}"] });
});

it("a call that breaks off before its arguments has none, not empty ones", () => {
  const chunks = [
    [{ index: 0, function: { name: "now", arguments: "" } }],
    [{ index: 1, function: { name: "write", arguments: "" } }],
  ];
  expect(read(chunks, "length").calls).toEqual(["now{}", "write"]);
  expect(read(chunks).calls).toEqual(["now{}", "write{}"]);
});
