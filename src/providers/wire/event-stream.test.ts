import { expect, it } from "vitest";
import { createIncomingBody } from "../outbound/outbound-body.ts";
import { readEvents } from "./event-stream.ts";

/**
 * A body that yields these pieces and then ends, stays open, or breaks. `cancelled` is whether the
 * reader canceled it.
 */
function buildBody(pieces: (string | Uint8Array)[], end: "close" | "stay" | Error = "close") {
  const state = { cancelled: false };
  const waiting = pieces.map((piece) => Buffer.from(piece as string));
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = waiting.shift();
        if (piece) controller.enqueue(piece);
        else if (end === "close") controller.close();
        else if (end instanceof Error) controller.error(end);
        else return new Promise<void>(() => {});
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

async function collect(
  body: ReadableStream<Uint8Array>,
  options?: Parameters<typeof readEvents>[1],
) {
  const batches: string[][] = [];
  let error: unknown = null;
  try {
    for await (const events of readEvents(body, options))
      batches.push(events.map((event) => event.data));
  } catch (thrown) {
    error = thrown;
  }
  return { batches, error };
}

it("the events of one chunk come at once, and a cut event comes when it is whole", async () => {
  const { body } = buildBody(["data: a\n\ndata: b\n\nda", "ta: c\r\n\r\n", "data: lost"]);
  expect(await collect(body)).toEqual({ batches: [["a", "b"], ["c"]], error: null });
});

it("a character cut between two chunks is joined", async () => {
  const bytes = Buffer.from("data: é\n\n");
  const { body } = buildBody([bytes.subarray(0, 7), bytes.subarray(7)]);
  expect((await collect(body)).batches).toEqual([["é"]]);
});

it("events before an error are emitted before it", async () => {
  const { body } = buildBody(["data: a\n\n"], new Error("broken"));
  expect(await collect(body)).toEqual({ batches: [["a"]], error: new Error("broken") });
});

it("the last event ends the reading while the connection stays open, and doesn't close it at once", async () => {
  const { body, state } = buildBody(["data: a\n\ndata: [DONE]\n\n"], "stay");
  expect((await collect(body, { last: "[DONE]" })).batches).toEqual([["a", "[DONE]"]]);
  expect(state.cancelled).toBe(false);
});

it("a line over its limit is refused and its connection closed", async () => {
  const { body, state } = buildBody(["data: a\n\n", `data: ${"x".repeat(100)}`], "stay");
  const { batches, error } = await collect(body, { mostCharacters: 50 });
  expect(batches).toEqual([["a"]]);
  expect(error).toMatchObject({ code: "provider_protocol" });
  expect(state.cancelled).toBe(true);
});

it("a reader that leaves closes the connection to the server", async () => {
  const { body, state } = buildBody(["data: a\n\n"], "stay");
  for await (const _ of readEvents(body)) break;
  expect(state.cancelled).toBe(true);
});

it("data after the last event isn't read, even in the same chunk", async () => {
  const { body } = buildBody(["data: a\n\ndata: [DONE]\n\ndata: a\n\ndata: [DONE]\n\n"]);
  expect((await collect(body, { last: "[DONE]" })).batches).toEqual([["a", "[DONE]"]]);
});

it("waiting chunks of a socket give their events at once, including those cut between them", async () => {
  const incoming = createIncomingBody(
    { pause() {}, resume() {}, abort() {} },
    { mostBytes: 1_000, tooLarge: () => new Error("too large") },
  );
  const bytes = Buffer.from("data: a\n\ndata: é\n\ndata: c\n\nda");
  const cut = bytes.indexOf("é") + 1;
  incoming.push(bytes.subarray(0, cut));
  incoming.push(bytes.subarray(cut));
  const collected = collect(incoming.stream);
  await new Promise(setImmediate);
  incoming.push(Buffer.from("ta: d\n\ndata: lost"));
  incoming.fail(new Error("broken"));
  expect(await collected).toEqual({
    batches: [["a", "é", "c"], ["d"]],
    error: new Error("broken"),
  });
});
