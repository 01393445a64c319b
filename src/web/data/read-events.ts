import type { ProblemBody } from "#contract/errors.ts";
import { readAnswer, ServerProblem } from "./client.ts";

/** One server-sent event: its type and its JSON. */
export type StreamedEvent = { type: string; payload: unknown };

/**
 * Reads an answer of `text/event-stream` (WHATWG HTML, "Server-sent events") that came from a POST, which EventSource can't
 * send. Comments keep the line alive and are skipped.
 * @throws ServerProblem what the server answered in place of a stream, or wrote as its last event; TypeError when the line broke
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
    // Whoever stops reading wants the work at the other end to stop as well.
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
