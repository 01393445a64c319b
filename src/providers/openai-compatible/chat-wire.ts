import { limits } from "#contract/limits.ts";
import { ProviderError, type RunContext } from "../adapter.ts";
import { isRecord } from "../error-words.ts";
import { htmlInstead, isHtml, readJson, toHttpError } from "../http-errors.ts";
import { answerer, asked } from "./access.ts";
import { classify, unexpectedBody } from "./errors.ts";

/**
 * The fetch that the client is given. It mends what the client can't: an error status becomes our error with its words; a
 * broken body ends cleanly, so that what came before it isn't dropped with the client's queues, and the reason waits in
 * `failure()`; a page and an endless line are refused; a server that ignores `stream` is understood.
 */
export function createChatWire(context: RunContext): { fetch: typeof globalThis.fetch; failure(): unknown } {
  let failed: { reason: unknown } | null = null;
  const fail = (reason: unknown) => {
    failed ??= { reason };
    return reason;
  };
  return {
    failure: () => failed?.reason,
    async fetch(input, init) {
      try {
        const response = await context.fetch(input, init);
        if (!response.ok) throw await toHttpError(response, asked(context, "POST"), classify);
        if (isHtml(response)) {
          await response.body?.cancel();
          throw htmlInstead(response);
        }
        const json = /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
        const body = json ? await toEvents(response, context) : untilBroken(response, fail);
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      } catch (error) {
        throw fail(error);
      }
    },
  };
}

/** A whole answer as the one event of a stream. Throws ProviderError where the body is an error or no answer. */
async function toEvents(response: Response, context: RunContext): Promise<string> {
  const body = await readJson(response, asked(context, "POST"));
  const choices = isRecord(body) && !body.error && Array.isArray(body.choices) ? body.choices : null;
  if (!choices) throw unexpectedBody(body, answerer(context));
  const streamed = choices.map((choice: unknown) => (isRecord(choice) ? { ...choice, delta: choice.message } : choice));
  return `data: ${JSON.stringify({ ...(body as object), choices: streamed })}\n\n`;
}

function untilBroken(response: Response, fail: (reason: unknown) => unknown): ReadableStream<Uint8Array> | null {
  const reader = response.body?.getReader();
  if (!reader) return null;
  let lineBytes = 0;
  let begun = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          if (!begun) refusePage(response, value);
          begun = true;
          const firstBreak = value.indexOf(10);
          const longest = lineBytes + (firstBreak === -1 ? value.length : firstBreak);
          if (longest > limits.streamLineBytes) {
            throw new ProviderError("provider_protocol", "yes", { message: "The answer held a line that is longer than any answer." });
          }
          lineBytes = firstBreak === -1 ? longest : value.length - value.lastIndexOf(10) - 1;
          controller.enqueue(value);
        } catch (error) {
          fail(error);
          controller.close();
          await reader.cancel(error).catch(() => {});
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A page that doesn't say so in its head. */
function refusePage(response: Response, first: Uint8Array): void {
  if (/^\s*<(!doctype|html)/i.test(new TextDecoder("latin1").decode(first.subarray(0, 200)))) throw htmlInstead(response);
}
