import { expect, it } from "vitest";
import { readEvents, type StreamedEvent } from "./read-events.ts";

/** A response whose body arrives in these pieces. */
function buildResponse(pieces: readonly Uint8Array[], init?: ResponseInit): Response {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body, init);
}
const bytes = (text: string) => new TextEncoder().encode(text);

async function collect(response: Response): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

it("events that arrive byte by byte, with characters of several bytes, are read whole", async () => {
  const text = `:\n\nevent: progress\ndata: {"status":"zieht größer"}\n\nevent: done\ndata: {}\n\n`;
  const events = await collect(
    buildResponse([...bytes(text)].map((byte) => new Uint8Array([byte]))),
  );
  expect(events).toEqual([
    { type: "progress", payload: { status: "zieht größer" } },
    { type: "done", payload: {} },
  ]);
});

it("a problem in the stream is thrown with its code after the events before it", async () => {
  const problem = {
    code: "provider_unreachable",
    detail: "Ollama is away.",
    advice: "",
    status: 502,
  };
  const response = buildResponse([
    bytes(
      `event: progress\ndata: {"done":1}\n\nevent: problem\ndata: ${JSON.stringify(problem)}\n\n`,
    ),
  ]);
  const events: StreamedEvent[] = [];
  const reading = (async () => {
    for await (const event of readEvents(response)) events.push(event);
  })();
  await expect(reading).rejects.toMatchObject({
    code: "provider_unreachable",
    message: "Ollama is away.",
  });
  expect(events).toHaveLength(1);
});

it("a problem in place of a stream is thrown as one", async () => {
  const response = buildResponse(
    [bytes('{"code":"forbidden","detail":"No.","advice":"","status":403}')],
    { status: 403 },
  );
  await expect(collect(response)).rejects.toMatchObject({ code: "forbidden" });
});
