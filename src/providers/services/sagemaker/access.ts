import type { CallContext, RunContext } from "../../adapter.ts";
import { type SignedIn, signIn } from "../../aws/signed-fetch.ts";
import { toByteStream } from "../../wire/byte-stream.ts";
import { type ErrorFields, toErrorFields } from "../../wire/error-fields.ts";
import { toWordedError, unlessPage } from "../../wire/http-errors.ts";
import { classify, throwUnlessOk } from "./errors.ts";

export const signInToSageMaker = <Context extends CallContext>(
  context: Context,
): Promise<SignedIn & { context: Context }> => signIn(context, "sagemaker");

export type Operation = "invocations" | "invocations-response-stream" | "async-invocations";

export const endpointUrl = (
  { connection }: CallContext,
  name: string,
  operation: Operation,
): string =>
  `${(connection.addresses.api ?? "").replace(/\/+$/, "")}/endpoints/${encodeURIComponent(name)}/${operation}`;

/**
 * Makes the one paid POST of a run, through a signed-in context. The response is 2xx and not a web
 * page.
 * @throws ProviderError
 */
export async function invoke(
  context: RunContext,
  name: string,
  operation: Operation,
  request: { body?: string; headers?: Record<string, string> },
): Promise<Response> {
  const response = await context.fetch(endpointUrl(context, name, operation), {
    method: "POST",
    headers: request.headers ?? {},
    body: request.body ?? "",
    signal: context.signal,
  });
  await throwUnlessOk(response, context, "POST");
  return unlessPage(response, "POST");
}

/**
 * Returns the container's own stream, from PayloadPart frames that may split it anywhere
 * (API_runtime_InvokeEndpointWithResponseStream).
 * @throws ProviderError for an unreadable frame and for an exception
 */
export function unwrap(response: Response, { connection }: CallContext): Response {
  // A stream whose label was lost on the way is still a stream.
  if (!response.body || /json|event-stream/i.test(response.headers.get("content-type") ?? ""))
    return response;
  const parts = payloads(response.body, connection.secret, new URL(response.url).host);
  const unwrapped = new Response(toByteStream(parts), {
    headers: {
      "content-type": response.headers.get("x-amzn-sagemaker-content-type") ?? "text/event-stream",
    },
  });
  Object.defineProperty(unwrapped, "url", { value: response.url });
  return unwrapped;
}

async function* payloads(
  body: AsyncIterable<Uint8Array>,
  secret: string | null,
  host: string,
): AsyncGenerator<Uint8Array> {
  const { readFrames } = await import("../../aws/event-stream.ts");
  for await (const frame of readFrames(body)) {
    if (frame.messageType === "event") {
      if (frame.name === "PayloadPart") yield frame.payload;
      continue;
    }
    const errorFields: ErrorFields = { ...errorFieldsOf(frame.payload), type: frame.name };
    throw toWordedError(
      classify(errorFields, Number.NaN) ?? "provider_interrupted",
      "yes",
      errorFields,
      {
        secret,
        host,
      },
    );
  }
}

function errorFieldsOf(payload: Uint8Array): ErrorFields {
  try {
    const responseBody = JSON.parse(Buffer.from(payload).toString("utf8")) as Record<
      string,
      unknown
    >;
    return toErrorFields({
      message: responseBody.Message ?? responseBody.message,
      code: responseBody.ErrorCode,
    });
  } catch {
    return {};
  }
}
