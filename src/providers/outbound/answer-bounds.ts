import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { createJsonScan, type JsonBounds } from "#domain/schemas/json-scan.ts";
import { ProviderError } from "../adapter.ts";

/**
 * Limits for one response of a provider: enough for the words and times of a ten-hour recording,
 * and little enough to be parsed quickly.
 */
export const answerBounds: JsonBounds = { depth: 128, values: 500_000 };
/** Limits for a list of models: nobody finds one among more than 10,000. */
export const listBounds: JsonBounds = { depth: 128, values: 200_000 };

/** Shorter text can't block anything. */
const harmlessCharacters = 64 * 1024;

/** Counts a response's JSON as it arrives. `take` throws ProviderError beyond a bound. */
export function scanAnswer(bounds: JsonBounds, host: string): { take(chunk: Uint8Array): void } {
  const scan = createJsonScan(bounds);
  return {
    take(chunk) {
      try {
        scan.take(chunk);
      } catch (cause) {
        if (!(cause instanceof Problem)) throw cause;
        throw new ProviderError(
          "provider_protocol",
          "unknown",
          { message: sentences.answers.tooMuchToRead({ host, reason: cause.message }) },
          { cause },
        );
      }
    },
  };
}

/** Checks the text of one event or line before it is parsed. */
export function refuseUnbounded(text: string): string {
  if (text.length > harmlessCharacters)
    scanAnswer(answerBounds, "The provider").take(new TextEncoder().encode(text));
  return text;
}

/** Returns a response that throws ProviderError when read beyond its bounds. */
export function bounded(
  response: Response,
  maxBytes: number,
  bounds: JsonBounds,
  who: string,
): Response {
  if (!response.body) return response;
  const scan = scanAnswer(bounds, who);
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes)
        throw new ProviderError("provider_protocol", "yes", {
          message: sentences.network.sentTooManyMegabytes({
            host: who,
            megabytes: maxBytes / 1024 ** 2,
          }),
        });
      scan.take(chunk);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(count), { status, statusText, headers });
}
