import { untilReached } from "./again.ts";
import type { ApiClient } from "./api-client.ts";
import type { Pending } from "./pending.ts";
import type { RunSurroundings } from "./surroundings.ts";

/**
 * A language model's answer, written as it arrives. A broken stream is requested again and
 * continues where it was.
 */
export async function ask(
  api: ApiClient,
  { body, key, json }: Pending,
  { say, tell, write, waitsMs }: RunSurroundings & { write: (text: string) => void },
): Promise<number> {
  let written = "";
  const read = async () => {
    let text = "";
    let last: Record<string, unknown> = {};
    for await (const { payload } of api.chat(body, key)) {
      if (payload.error)
        return { text, last, failure: (payload.error as { message: string }).message };
      const [choice] = payload.choices as { delta?: { content?: string } }[];
      text += choice?.delta?.content ?? "";
      if (payload.bottega) last = payload.bottega as Record<string, unknown>;
      if (json || text.length <= written.length) continue;
      // After a crash the server may have lost a second of the text, and the model words it
      // differently.
      write(text.startsWith(written) ? text.slice(written.length) : `\n\n${text}`);
      written = text;
    }
    return { text, last, failure: undefined };
  };
  const { text, last, failure } = await untilReached(read, waitsMs);
  if (failure !== undefined) {
    tell(failure);
    return 1;
  }
  if (json)
    say(
      JSON.stringify(
        { runId: last.run_id, text, costMicros: last.cost_micros, warnings: last.warnings },
        null,
        2,
      ),
    );
  else write("\n");
  return 0;
}
