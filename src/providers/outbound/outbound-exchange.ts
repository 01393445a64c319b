import type { Dispatcher } from "undici";
import { sentences } from "#contract/sentences/index.ts";
import { acceptedBy } from "#domain/runs/repeat.ts";
import { ProviderError } from "../adapter.ts";
import { createIncomingBody, type OutgoingBody, type Tap } from "./outbound-body.ts";
import { type Progress, toProviderError } from "./outbound-failure.ts";

export type WireEvent =
  /**
   * The request was passed to a connected socket; `bytes` counts its body so far. From the first
   * such event on, a lost response is unconfirmed.
   */
  { type: "sent"; bytes: number } | { type: "response"; status: number };

export type Exchange = {
  url: URL;
  method: string;
  /** For any method (an upload is a PUT): its acceptance proves nothing about a paid request. */
  isUnpaid: boolean;
  headers: Headers;
  body: OutgoingBody["content"];
  signal: AbortSignal | null;
  connectTimeoutMs: number;
  headersTimeoutMs: number;
  idleTimeoutMs: number;
  mostBytes: number;
  onWire?: ((event: WireEvent) => void) | undefined;
  onBody?: ((chunk: Uint8Array) => void) | undefined;
};

/**
 * Sends one request and reads its response over one socket, without redirects and retries. Resolves
 * with the response's head.
 * @throws ProviderError, or the signal's reason when the caller aborted (then `onWire` tells
 *   whether anything was sent)
 */
export function exchange(dispatcher: Dispatcher, request: Exchange): Promise<Response> {
  const { url, method, signal } = request;
  const progress: Progress = {
    method: request.isUnpaid ? "GET" : method,
    sent: false,
    status: null,
    host: url.host,
  };
  return new Promise<Response>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let incoming: ReturnType<typeof createIncomingBody> | null = null;
    /**
     * Set when we end the exchange ourselves, so that the caller gets this reason and not the
     * socket's resulting error.
     */
    let ended: { reason: unknown } | null = null;
    let bodyBytes = 0;

    const cleanUp = () => {
      clearTimeout(connectTimer);
      signal?.removeEventListener("abort", onAbort);
    };
    const give = (reason: unknown) => {
      if (ended) return;
      ended = { reason };
      cleanUp();
      incoming?.fail(reason);
      reject(reason);
      // Before the socket is assigned there is nothing to abort: `onRequestStart` then refuses, and
      // no byte is written.
      controller?.abort(asError(reason));
    };
    const onAbort = () => give(signal?.reason);
    const connectTimer = setTimeout(
      () =>
        give(
          toProviderError(
            Object.assign(new Error("connect timeout"), { code: "UND_ERR_CONNECT_TIMEOUT" }),
            progress,
          ),
        ),
      request.connectTimeoutMs,
    );
    if (signal?.aborted) {
      give(signal.reason);
      return;
    }
    signal?.addEventListener("abort", onAbort, { once: true });

    const tap: Tap = {
      pause: () => controller?.pause(),
      resume: () => {
        if (controller?.paused) controller.resume();
      },
      abort: (reason) => give(reason),
    };

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        if (ended) {
          started.abort(asError(ended.reason));
          return;
        }
        controller = started;
        clearTimeout(connectTimer);
        progress.sent = true;
        request.onWire?.({ type: "sent", bytes: 0 });
      },
      onBodySent(chunk: Buffer) {
        bodyBytes += chunk.byteLength;
        request.onWire?.({ type: "sent", bytes: bodyBytes });
      },
      onResponseStart(_controller, status, headers, statusText) {
        if (status < 200 || ended) return;
        progress.status = status;
        request.onWire?.({ type: "response", status });
        incoming = createIncomingBody(tap, {
          mostBytes: request.mostBytes,
          tooLarge: () => tooLarge(request, progress),
        });
        try {
          resolve(toResponse(url, status, statusText ?? "", headers, incoming.stream, request));
        } catch (error) {
          give(toProviderError(error, progress));
        }
      },
      onResponseData(_controller, chunk) {
        request.onBody?.(chunk);
        incoming?.push(chunk);
      },
      onResponseEnd() {
        cleanUp();
        incoming?.close();
      },
      onResponseError(_controller, error) {
        cleanUp();
        if (ended) return;
        ended = { reason: error };
        const failure = toProviderError(error, progress);
        incoming?.fail(failure);
        reject(failure);
      },
    };
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers: [...request.headers].flat(),
          // undici accepts any async iterable, though its types don't say so.
          body: request.body as Buffer | null,
          headersTimeout: request.headersTimeoutMs,
          bodyTimeout: request.idleTimeoutMs,
        },
        handler,
      );
    } catch (error) {
      give(toProviderError(error, progress));
    }
  });
}

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)));

function tooLarge(request: Exchange, progress: Progress): ProviderError {
  const message = sentences.network.sentTooManyBytes({
    host: progress.host,
    bytes: request.mostBytes,
  });
  return new ProviderError("provider_protocol", acceptedBy(progress), { message });
}

function toResponse(
  url: URL,
  status: number,
  statusText: string,
  rawHeaders: Record<string, string | string[] | undefined>,
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  request: Exchange,
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(rawHeaders)) {
    for (const one of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, one);
  }
  const bodiless = status === 204 || status === 205 || status === 304 || request.method === "HEAD";
  const body = bodiless ? null : decode(stream, headers, request);
  const response = new Response(body, { status, statusText, headers });
  // A constructed Response has no URL of its own, but redirects and downloads read it.
  Object.defineProperty(response, "url", { value: url.href });
  return response;
}

/**
 * We request no compression, because it delays small pieces of a stream, but decode it if a server
 * compresses anyway.
 */
function decode(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  headers: Headers,
  request: Exchange,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "" || encoding === "identity") return stream;
  if (encoding !== "gzip" && encoding !== "deflate" && encoding !== "x-gzip") {
    const message = sentences.network.unknownEncoding({ host: request.url.host, encoding });
    throw new ProviderError("provider_protocol", "unknown", { message });
  }
  headers.delete("content-encoding");
  headers.delete("content-length");
  let bytes = 0;
  const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > request.mostBytes) {
        throw new ProviderError("provider_protocol", "unknown", {
          message: sentences.network.unpacksTooLarge({
            host: request.url.host,
            bytes: request.mostBytes,
          }),
        });
      }
      controller.enqueue(chunk);
    },
  });
  return stream
    .pipeThrough(new DecompressionStream(encoding === "deflate" ? "deflate" : "gzip"))
    .pipeThrough(limit);
}
