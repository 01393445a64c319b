import { expect, it, onTestFinished, vi } from "vitest";
import { Problem } from "#contract/errors.ts";
import { readEvents } from "../wire/event-stream.ts";
import { readJson } from "../wire/http-errors.ts";
import { bounded, listBounds, refuseUnbounded } from "./answer-bounds.ts";

const asked = { method: "GET", secret: null, now: 0 };
const brackets = "[".repeat(2_000_000);

it.each([
  ["brackets", brackets, /nested more than 128 levels/],
  ["values", `[${"0,".repeat(1_000_000)}0]`, /more than 500,000 values/],
])("an answer of %s is refused while it arrives, before it is parsed", async (_, body, words) => {
  const parser = vi.spyOn(JSON, "parse");
  onTestFinished(() => parser.mockRestore());
  await expect(readJson(new Response(body), asked)).rejects.toMatchObject({
    code: "provider_protocol",
    message: expect.stringMatching(words),
  });
  expect(parser.mock.calls.filter(([text]) => text.length > 1_000)).toEqual([]);
});

it("a list of 200,000 models is refused, a list of 10,000 is read", async () => {
  const list = (count: number) =>
    new Response(
      JSON.stringify(Array.from({ length: count }, (_, i) => ({ id: `m${i}`, object: "model" }))),
    );
  await expect(readJson(list(200_000), asked, 1e9, listBounds)).rejects.toMatchObject({
    message: /more than 200,000 values/,
  });
  expect(await readJson(list(10_000), asked, 1e9, listBounds)).toHaveLength(10_000);
});

it("an endlessly nested event is refused, however its lines are split", async () => {
  for (const event of [`data: ${brackets}\n\n`, `${"data: [\n".repeat(200_000)}\n`]) {
    const read = async () => {
      for await (const _ of readEvents(new Response(event).body!));
    };
    await expect(read()).rejects.toMatchObject({ code: "provider_protocol" });
  }
  expect(() => refuseUnbounded(brackets)).toThrow(/nested more than/);
});

it("a response read by another library is cut off at its bounds", async () => {
  const bounds = { depth: 10, values: 100 };
  expect(await bounded(new Response('{"a":[1]}'), 1_000, bounds, "The server").json()).toEqual({
    a: [1],
  });
  await expect(
    bounded(new Response(brackets), 1e9, bounds, "The server").text(),
  ).rejects.toMatchObject({
    message: /^The server sent too much/,
  });
  await expect(
    bounded(new Response("x".repeat(2_000)), 1_000, bounds, "The server").text(),
  ).rejects.toMatchObject({
    message: /sent more than/,
  });
});

it("an answer over 1 MB is parsed by the context's parser, or inline if that is busy", async () => {
  const answer = { b64_json: "x".repeat(2_000_000) };
  const given = () => new Response(JSON.stringify(answer));
  const parse = vi.fn(async () => "parsed elsewhere" as unknown);
  expect(await readJson(given(), { ...asked, parse })).toBe("parsed elsewhere");
  expect(await readJson(new Response("[1]"), { ...asked, parse })).toEqual([1]);
  expect(parse).toHaveBeenCalledOnce();
  parse.mockRejectedValue(new Problem("unavailable"));
  expect(await readJson(given(), { ...asked, parse })).toEqual(answer);
});
