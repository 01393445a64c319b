import { expect, it } from "vitest";
import { createIncomingBody, takeBody, toOutgoingBody } from "./outbound-body.ts";

function build(mostBytes = 1_000, highWaterMark = 100) {
  const calls: unknown[] = [];
  const heldBack: Buffer[] = [];
  const tap = {
    pause: () => void calls.push("pause"),
    resume() {
      calls.push("resume");
      for (const piece of heldBack.splice(0)) incoming.push(piece);
    },
    abort: (reason: unknown) => void calls.push(reason),
  };
  const incoming = createIncomingBody(tap, {
    mostBytes,
    highWaterMark,
    tooLarge: () => new Error("too large"),
  });
  return { calls, heldBack, incoming };
}

it("data before an error is read before the error", async () => {
  const { incoming } = build();
  incoming.push(Buffer.from("first "));
  incoming.push(Buffer.from("last"));
  incoming.fail(new Error("broken"));
  const reader = incoming.stream.getReader();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe("first ");
  expect(Buffer.from((await reader.read()).value!).toString()).toBe("last");
  await expect(reader.read()).rejects.toThrow("broken");
});

it("a sender is paused when too much is waiting, and resumed when half of it is read", async () => {
  const { incoming, calls } = build();
  incoming.push(Buffer.alloc(60));
  expect(calls).toEqual([]);
  incoming.push(Buffer.alloc(60));
  expect(calls).toEqual(["pause"]);
  const reader = incoming.stream.getReader();
  await reader.read();
  expect(calls).toEqual(["pause"]);
  await reader.read();
  expect(calls).toEqual(["pause", "resume"]);
});

it("one byte over the cap drops the connection", async () => {
  const { incoming, calls } = build(10);
  incoming.push(Buffer.alloc(10));
  expect(calls).toEqual([]);
  incoming.push(Buffer.alloc(1));
  expect(calls).toEqual([expect.objectContaining({ message: "too large" })]);
  await expect(new Response(incoming.stream).arrayBuffer()).rejects.toThrow("too large");
});

it("a reader that leaves drops the connection with its reason", async () => {
  const { incoming, calls } = build();
  await incoming.stream.cancel("enough");
  expect(calls).toEqual(["enough"]);
});

it("the only reader gets all waiting chunks at once, the sender continues, and an error follows them", async () => {
  const { incoming, calls, heldBack } = build();
  const body = takeBody(incoming.stream);
  const read = async () => (await body.read())?.map((piece) => Buffer.from(piece).toString());
  const first = read();
  incoming.push(Buffer.from("a"));
  expect(await first).toEqual(["a"]);
  incoming.push(Buffer.alloc(60, "b"));
  incoming.push(Buffer.alloc(60, "c"));
  expect(calls).toEqual(["pause"]);
  heldBack.push(Buffer.from("d"));
  expect(await read()).toEqual(["b".repeat(60), "c".repeat(60)]);
  expect(calls).toEqual(["pause", "resume"]);
  incoming.push(Buffer.from("last"));
  incoming.fail(new Error("broken"));
  expect(await read()).toEqual(["d", "last"]);
  await expect(read()).rejects.toThrow("broken");
});

it("the only reader gets the end after all chunks, and a second reader is refused", async () => {
  const { incoming } = build();
  const body = takeBody(incoming.stream);
  incoming.push(Buffer.from("a"));
  incoming.close();
  expect(await body.read()).toHaveLength(1);
  expect(await body.read()).toBeNull();
  expect(() => incoming.stream.getReader()).toThrow();
});

it("a reader that leaves while it waits drops the connection", async () => {
  const { incoming, calls } = build();
  const body = takeBody(incoming.stream);
  const waiting = body.read();
  await body.cancel();
  expect(calls).toEqual([expect.objectContaining({ name: "AbortError" })]);
  incoming.fail(calls[0]);
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

it("strings and bytes are sent unchanged, an empty body as nothing", async () => {
  expect(await toOutgoingBody("é")).toEqual({
    content: Buffer.from("é"),
    contentType: "text/plain;charset=UTF-8",
  });
  expect(await toOutgoingBody(new Uint8Array([1, 2, 3]).subarray(1))).toEqual({
    content: Buffer.from([2, 3]),
    contentType: null,
  });
  expect(await toOutgoingBody(null)).toEqual({ content: null, contentType: null });
});
