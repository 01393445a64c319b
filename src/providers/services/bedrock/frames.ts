import type { AwsFrame } from "../../aws/event-stream.ts";
import { toByteStream } from "../../wire/byte-stream.ts";
import { type ErrorFields, toErrorFields } from "../../wire/error-fields.ts";
import { toWordedError } from "../../wire/http-errors.ts";
import { classify } from "./errors.ts";

/**
 * Returns a fetch whose event streams pass on only complete and valid frames, and throw exception
 * frames as the errors they describe. The client knows five of the exceptions and ignores the
 * others, and loses text before a frame that it can't read.
 */
export const guardFrames =
  (fetch: typeof globalThis.fetch, secret: string | null): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (
      !response.ok ||
      !response.body ||
      !/eventstream/i.test(response.headers.get("content-type") ?? "")
    )
      return response;
    const host = new URL(String(input)).host;
    const body = toByteStream(rightFrames(response.body, secret, host));
    return new Response(body, { status: response.status, headers: response.headers });
  };

async function* rightFrames(
  body: AsyncIterable<Uint8Array>,
  secret: string | null,
  host: string,
): AsyncGenerator<Uint8Array> {
  const { readFrames } = await import("../../aws/event-stream.ts");
  for await (const frame of readFrames(body)) {
    if (frame.messageType === "event") yield frame.bytes;
    else throw toFrameError(frame, secret, host);
  }
}

function toFrameError(frame: AwsFrame, secret: string | null, host: string) {
  const errorFields: ErrorFields = { ...errorFieldsOf(frame), type: frame.name, code: frame.name };
  return toWordedError(
    classify(errorFields, Number.NaN) ?? "provider_interrupted",
    "yes",
    errorFields,
    {
      secret,
      host,
    },
  );
}

function errorFieldsOf({ payload, headers }: AwsFrame): ErrorFields {
  try {
    return toErrorFields(JSON.parse(Buffer.from(payload).toString("utf8")));
  } catch {
    const message = headers[":error-message"];
    return message ? { message } : {};
  }
}
