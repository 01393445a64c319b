import { expect, it, onTestFinished, vi } from "vitest";
import { createJsonReader } from "./json-reader.ts";

// Real threads, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const encode = (text: string) => new TextEncoder().encode(text);

function openReader(options: Parameters<typeof createJsonReader>[0] = {}) {
  const reader = createJsonReader({ hereBytes: 100, ...options });
  onTestFinished(() => reader.close());
  return reader;
}

it("JSON over the limit is parsed in another thread, and smaller JSON inline", async () => {
  const reader = openReader();
  const parser = vi.spyOn(JSON, "parse");
  onTestFinished(() => parser.mockRestore());
  const long = JSON.stringify({ text: "x".repeat(200) });
  expect(await reader.read({ as: "answer", bytes: encode(long) })).toEqual({
    text: "x".repeat(200),
  });
  expect(parser).not.toHaveBeenCalled();
  expect(await reader.read({ as: "answer", bytes: encode('{"a":1}') })).toEqual({ a: 1 });
  expect(parser).toHaveBeenCalledOnce();
});

it.each([10, 1_000_000])(
  "a body gives the same result in either thread: validated, cleaned, with its header's key (bound %d)",
  async (hereBytes) => {
    const reader = openReader({ hereBytes });
    const read = (body: string, idempotencyKey?: string) =>
      reader.read({ as: "body", route: "createConversation", bytes: encode(body), idempotencyKey });
    const projectId = "0198f3a0-0000-7000-8000-000000000000";
    expect(await read(JSON.stringify({ projectId, title: "a\u0000" }), "k")).toMatchObject({
      projectId,
      title: "a\uFFFD",
    });
    await expect(read(JSON.stringify({ projectId: "none at all" }))).rejects.toMatchObject({
      code: "invalid_input",
      detail: { field: "projectId" },
    });
    await expect(read('{"projectId": ...............}')).rejects.toMatchObject({
      code: "invalid_input",
      message: "This is not valid JSON.",
    });
  },
);

it("chat results are reduced to their parts and calls, in either thread", async () => {
  for (const hereBytes of [10, 1_000_000]) {
    const reader = openReader({ hereBytes });
    const result = { parts: [{ type: "text", text: "a" }], toolCalls: [], logprobs: [{}] };
    const bytes = encode(JSON.stringify([result, null]));
    expect(await reader.read({ as: "results", bytes })).toEqual([
      { parts: result.parts, toolCalls: [] },
      {},
    ]);
  }
});

it("chat results with too many values are refused before they are parsed", async () => {
  const bytes = encode(`[${"[],".repeat(4_000_000)}[]]`);
  await expect(openReader().read({ as: "results", bytes })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("4,000,000 values"),
  });
});

it("JSON that takes too long is stopped with a sentence", async () => {
  const hasty = openReader({ timeLimitMs: 1 });
  await expect(
    hasty.read({ as: "answer", bytes: encode(`[${"1,".repeat(100_000)}1]`) }),
  ).rejects.toMatchObject({
    code: "too_large",
    message: /too much time/,
  });
});
