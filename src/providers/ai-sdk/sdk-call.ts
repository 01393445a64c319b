import { APICallError } from "@ai-sdk/provider";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { answerBounds, bounded } from "../outbound/answer-bounds.ts";
import { type ErrorFields, isRecord, toErrorFields } from "../wire/error-fields.ts";
import {
  type Classify,
  type IsOwnShape,
  toHttpError,
  toWordedError,
  unlessPage,
} from "../wire/http-errors.ts";

/**
 * A call through a client of the AI SDK (`@ai-sdk/*`) that replaces the client's error handling:
 * refusals become ProviderErrors before it reads them, and a broken body ends cleanly for it and is
 * reported afterwards, because its queues discard everything received before an error.
 */
export type SdkCall = {
  /** The guarded fetch for the client, which sees only 2xx responses. */
  fetch: typeof globalThis.fetch;
  /** Throws the error that broke the response body, if any. Call once the client has finished. */
  throwIfBroken(): void;
  /**
   * Converts an error that the client threw or put in its stream to a ProviderError or the signal's
   * reason.
   */
  toError(error: unknown): unknown;
};

/** @param isOwn for a provider whose errors differ from the usual forms */
export function createSdkCall(
  context: CallContext,
  classify?: Classify,
  isOwn?: IsOwnShape,
): SdkCall {
  let broken: { reason: unknown } | null = null;
  let host = "";
  let wasAnswered = false;
  const { secret } = context.connection;

  const sdkFetch: typeof globalThis.fetch = async (input, init) => {
    const method = (init?.method ?? "GET").toUpperCase();
    host = new URL(input instanceof Request ? input.url : String(input)).host;
    const asked = { method, secret, now: context.clock.now() };
    const given = await context.fetch(input, init).catch((reason: unknown) => {
      // The client would wrap it in its own message.
      broken = { reason };
      throw reason;
    });
    if (!given.ok) throw await toHttpError(given, asked, classify, isOwn);
    wasAnswered = true;
    const response = await unlessPage(given, method);
    if (!response.body) return response;
    const isJson = /json/i.test(response.headers.get("content-type") ?? "");
    const { body } = isJson
      ? bounded(response, limits.providerJsonBytes, answerBounds, host)
      : response;
    const steady = endCleanly(body!, (reason) => {
      broken = { reason };
    });
    return new Response(steady, { status: response.status, headers: response.headers });
  };

  return {
    fetch: sdkFetch,
    throwIfBroken() {
      if (broken) throw broken.reason;
    },
    toError(error) {
      if (broken) return broken.reason;
      if (error instanceof ProviderError || context.signal.aborted) return error;
      // Nothing was answered yet, so the client refused the request itself.
      if (!wasAnswered)
        return new ProviderError(
          "provider_invalid_input",
          "no",
          { message: textOf(error) },
          { cause: error },
        );
      const errorFields = errorFieldsOf(error);
      if (!errorFields) {
        const message = sentences.answers.unreadablePart({ host });
        return new ProviderError("provider_protocol", "yes", { message }, { cause: error });
      }
      const status = Number(errorFields.code ?? Number.NaN);
      const worded = toWordedError(
        classify?.(errorFields, status) ?? "provider_interrupted",
        "yes",
        errorFields,
        { secret, host },
      );
      worded.detail.ownShape = true;
      return worded;
    },
  };
}

/**
 * Returns the provider's own words from an error inside a response; null if the error is the
 * client's (a parse failure).
 */
function errorFieldsOf(error: unknown): ErrorFields | null {
  if (error instanceof Error && !APICallError.isInstance(error)) return null;
  const errorFields = toErrorFields(
    APICallError.isInstance(error) ? (parsed(error.responseBody) ?? error.data) : error,
  );
  return errorFields.message || errorFields.code || errorFields.type ? errorFields : null;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : isRecord(error) ? JSON.stringify(error) : String(error);

/** Passes the bytes on. An error is reported to `onBreak`, and the stream ends cleanly. */
function endCleanly(
  body: ReadableStream<Uint8Array>,
  onBreak: (reason: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (reason) {
        onBreak(reason);
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
