import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "../../adapter.ts";
import { refuseUnbounded } from "../../outbound/answer-bounds.ts";

/**
 * Yields the JSON documents of an NDJSON body, one per line. Lines are split at bytes, never within
 * a character. A line longer than `mostBytes`, or one that isn't JSON, throws
 * ProviderError("provider_protocol"). A last line without a line break counts if it is complete.
 */
export async function* readJsonLines(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number = limits.streamLineBytes,
): AsyncGenerator<Json> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      pieces.push(chunk.subarray(from, at));
      const line = decode(pieces);
      pieces = [];
      size = 0;
      from = at + 1;
      if (line !== "") yield parse(line);
    }
    const rest = chunk.subarray(from);
    size += rest.byteLength;
    if (size > maxBytes)
      throw new ProviderError("provider_protocol", "yes", {
        message: sentences.answers.lineTooLong({ bytes: maxBytes }),
      });
    if (rest.byteLength > 0) pieces.push(rest);
  }
  const last = decode(pieces);
  if (last === "") return;
  try {
    yield parse(last);
  } catch (cause) {
    throw new ProviderError(
      "provider_interrupted",
      "yes",
      { message: sentences.answers.endedInLine },
      { cause },
    );
  }
}

const newline = 0x0a;
const decode = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString("utf8").trim();

function parse(line: string): Json {
  refuseUnbounded(line);
  try {
    return JSON.parse(line) as Json;
  } catch (cause) {
    throw new ProviderError(
      "provider_protocol",
      "yes",
      { message: sentences.answers.lineNotJson },
      { cause },
    );
  }
}
