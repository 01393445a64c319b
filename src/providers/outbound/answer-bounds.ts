import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { createJsonScan, type JsonBounds } from "#domain/schemas/json-scan.ts";
import { ProviderError } from "../adapter.ts";

/** What one answer of a provider may hold: the words of a recording of ten hours with their times, and no more than can be parsed in a blink. */
export const answerBounds: JsonBounds = { depth: 128, values: 500_000 };
/** A list of models: past 10,000 of them nobody finds one. */
export const listBounds: JsonBounds = { depth: 128, values: 200_000 };

/** Shorter text can't hold up anything. */
const harmlessCharacters = 64 * 1024;

/** Counts an answer's JSON as it arrives. `take` throws ProviderError past a bound. */
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

/** The same for the text of one event or one line, before it is parsed. */
export function refuseUnbounded(text: string): string {
  if (text.length > harmlessCharacters)
    scanAnswer(answerBounds, "The provider").take(new TextEncoder().encode(text));
  return text;
}

/** No reader gets an answer past its bounds: reading further throws ProviderError. */
export function bounded(
  response: Response,
  mostBytes: number,
  bounds: JsonBounds,
  who: string,
): Response {
  if (!response.body) return response;
  const scan = scanAnswer(bounds, who);
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > mostBytes)
        throw new ProviderError("provider_protocol", "yes", {
          message: sentences.network.sentTooManyMegabytes({
            host: who,
            megabytes: mostBytes / 1024 ** 2,
          }),
        });
      scan.take(chunk);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(count), { status, statusText, headers });
}
