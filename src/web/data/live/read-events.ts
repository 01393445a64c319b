import type { ProblemBody } from "#contract/errors.ts";
import { readAnswer, ServerProblem } from "../client.ts";

/** A server-sent event: its type and its parsed JSON. */
export type StreamedEvent = { type: string; payload: unknown };

/**
 * Reads a `text/event-stream` answer (WHATWG HTML, "Server-sent events") to a POST, which
 * EventSource can't send. Comments are keep-alives and are skipped.
 * @throws ServerProblem if the server answered an error in place of the stream, or as its last
 *   event; TypeError if the connection broke
 */
export async function* readEvents(response: Response): AsyncGenerator<StreamedEvent> {
  if (!response.ok || !response.body) return void (await readAnswer(response));
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const blocks = (rest + next.value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event?.type === "problem") throw new ServerProblem(event.payload as ProblemBody);
        if (event) yield event;
      }
    }
  } finally {
    // A reader that stops early also cancels the work on the server.
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): StreamedEvent | null {
  let type = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) type = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length > 0 ? { type, payload: JSON.parse(data.join("\n")) } : null;
}
