import { EventStreamCodec } from "@smithy/eventstream-codec";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "../adapter.ts";

/**
 * AWS's binary event stream
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html): frames with a
 * prelude (lengths and their CRC), headers, a payload and a CRC over all. Loaded lazily.
 */
export type AwsFrame = {
  /** The value of `:message-type`: event, exception or error. */
  messageType: string;
  /** The value of `:event-type`, `:exception-type` or `:error-code`. */
  name: string;
  payload: Uint8Array;
  /** The text headers. */
  headers: Readonly<Record<string, string>>;
  /** The raw frame. */
  bytes: Uint8Array;
};

/** AWS's limit for one frame: 128 KB of headers and 16 MB of payload. */
const frameBytes = 17 * 1024 ** 2;
const preludeBytes = 12;

/**
 * Yields every complete frame, in order.
 * @throws ProviderError ("yes") for a wrong checksum, an impossible length, or an end within a
 *   frame
 */
export async function* readFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<AwsFrame> {
  const codec = new EventStreamCodec(
    (text) => (typeof text === "string" ? text : Buffer.from(text).toString("utf8")),
    (text) => Buffer.from(text, "utf8"),
  );
  let waiting: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    waiting = waiting.length === 0 ? Buffer.from(chunk) : Buffer.concat([waiting, chunk]);
    let at = 0;
    while (waiting.length - at >= preludeBytes) {
      const bytes = waiting.readUInt32BE(at);
      if (bytes < preludeBytes + 4 || bytes > frameBytes)
        throw unreadable("a length that can’t be");
      if (waiting.length - at < bytes) break;
      yield decode(codec, waiting.subarray(at, at + bytes));
      at += bytes;
    }
    waiting = waiting.subarray(at);
  }
  if (waiting.length > 0)
    throw new ProviderError("provider_interrupted", "yes", {
      message: sentences.answers.endedInFrame,
    });
}

function decode(codec: EventStreamCodec, bytes: Uint8Array): AwsFrame {
  try {
    const { headers, body } = codec.decode(bytes);
    const texts = Object.entries(headers).flatMap(([name, { type, value }]) =>
      type === "string" ? [[name, value]] : [],
    );
    const said = Object.fromEntries(texts) as Record<string, string>;
    return {
      messageType: said[":message-type"] ?? "",
      name: said[":event-type"] ?? said[":exception-type"] ?? said[":error-code"] ?? "",
      payload: body,
      headers: said,
      bytes,
    };
  } catch (cause) {
    throw unreadable("a wrong checksum", cause);
  }
}

const unreadable = (what: string, cause?: unknown) =>
  new ProviderError(
    "provider_protocol",
    "yes",
    { message: sentences.answers.brokenFrame({ fault: what }) },
    { cause },
  );
