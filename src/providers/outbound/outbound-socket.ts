import { isIP, type LookupFunction } from "node:net";
import { type ClientOptions, type RawData, WebSocket } from "ws";
import type { ErrorCode } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type OpenSocket, ProviderError, type Socket } from "../adapter.ts";
import { refuseUnbounded } from "./answer-bounds.ts";
import { BlockedAddress, toProviderError } from "./outbound-failure.ts";
import { createCheckedLookup, type Lookup } from "./outbound-lookup.ts";
import { type AddressScope, refuseAddress, refuseUrl } from "./outbound-policy.ts";

const refusals: Readonly<Record<number, ErrorCode>> = {
  401: "provider_auth",
  403: "provider_forbidden",
};

type SocketOptions = {
  privateOrigins: readonly string[];
  connectTimeoutMs?: number;
  /** The largest frame. */
  mostBytes?: number;
};

/**
 * Opens sockets by the policy of the guarded fetch. The scope is that of the corresponding http
 * URL; a literal address is checked here, and a name resolves only to allowed addresses, one of
 * which the socket connects to. Redirects aren't followed, nothing is compressed, and frames are
 * limited to `mostBytes`.
 */
export function createOpenSocket(lookup: Lookup, options: SocketOptions): OpenSocket {
  const privateOrigins = new Set(options.privateOrigins.map((origin) => new URL(origin).origin));
  return (address, { headers = {}, signal }) => {
    const url = new URL(address);
    const twin = new URL(url.href.replace(/^ws/, "http"));
    const scope: AddressScope = privateOrigins.has(twin.origin) ? "private" : "public";
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const literal = isIP(host) === 0 ? null : refuseAddress(host, scope);
    const refusal = refuseUrl(twin, scope) ?? (literal === null ? null : `${host} ${literal}`);
    if (refusal !== null) return Promise.reject(failure(new BlockedAddress(refusal), url.host));
    return open(url, {
      headers,
      signal,
      timeoutMs: options.connectTimeoutMs ?? 10_000,
      mostBytes: options.mostBytes ?? limits.socketFrameBytes,
      lookup: createCheckedLookup(scope, lookup),
    });
  };
}

type Opening = {
  headers: Record<string, string>;
  signal: AbortSignal;
  timeoutMs: number;
  mostBytes: number;
  lookup: LookupFunction;
};

function open(
  url: URL,
  { headers, signal, timeoutMs, mostBytes, lookup }: Opening,
): Promise<Socket> {
  signal.throwIfAborted();
  // The types of `ws` lack both: `lookup` is passed to the socket's own connect.
  const options: ClientOptions & { lookup: LookupFunction; closeTimeout: number } = {
    lookup,
    headers: { "user-agent": "bottega", ...headers },
    handshakeTimeout: timeoutMs,
    maxPayload: mostBytes,
    perMessageDeflate: false,
    followRedirects: false,
    closeTimeout: 1_000,
  };
  const socket = new WebSocket(url, options);
  const inbox = createInbox(socket);
  const onAbort = () => {
    inbox.end(signal.reason);
    socket.terminate();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  socket.on("message", (data, isBinary) => {
    try {
      inbox.put(isBinary ? toBytes(data) : refuseUnbounded(String(data)));
    } catch (reason) {
      inbox.end(reason);
      socket.terminate();
    }
  });
  const stopPinging = keepAlive(socket);
  socket.on("close", (code) => {
    stopPinging();
    signal.removeEventListener("abort", onAbort);
    inbox.end(
      new ProviderError("provider_interrupted", "yes", {
        message: sentences.network.socketClosed({ host: url.host }),
        reason: String(code),
      }),
    );
  });
  return new Promise((resolve, reject) => {
    socket.on("error", (error) => {
      const reason = signal.aborted ? signal.reason : failure(error, url.host);
      inbox.end(reason);
      reject(reason);
    });
    socket.on("unexpected-response", (request, response) => {
      const { statusCode: httpStatus = 0 } = response;
      const code = refusals[httpStatus] ?? "provider_protocol";
      request.destroy();
      reject(
        new ProviderError(code, "yes", {
          message: sentences.network.socketRefused({ host: url.host, status: httpStatus }),
          httpStatus,
        }),
      );
    });
    socket.on("open", () =>
      resolve({
        send: (content) => socket.send(content),
        next: (waitMs) => inbox.take(waitMs),
        close: () => socket.close(1000),
      }),
    );
  });
}

/** A peer that answers no ping for this long is gone, even if its socket looks open. */
const pingMs = 20_000;

/** @returns a function that stops the pings */
function keepAlive(socket: WebSocket): () => void {
  let isAlive = true;
  const heard = (): void => {
    isAlive = true;
  };
  const pinging = setInterval(() => {
    if (socket.readyState !== socket.OPEN || socket.isPaused) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingMs).unref();
  socket.on("pong", heard).on("message", heard);
  return () => clearInterval(pinging);
}

/**
 * Queues frames in order of arrival, and pauses the sender when more are queued than a reader
 * needs.
 */
function createInbox(socket: Pick<WebSocket, "pause" | "resume" | "isPaused">) {
  const maxWaiting = 256;
  const waiting: (string | Uint8Array)[] = [];
  let end: { reason: unknown } | null = null;
  let wake: (() => void) | null = null;
  const notify = () => {
    wake?.();
    wake = null;
  };
  return {
    put(frame: string | Uint8Array) {
      waiting.push(frame);
      if (waiting.length >= maxWaiting) socket.pause();
      notify();
    },
    end(reason: unknown) {
      end ??= { reason };
      notify();
    },
    async take(waitMs?: number): Promise<string | Uint8Array | null> {
      if (waiting.length === 0 && end === null) {
        await new Promise<void>((resolve) => {
          const timer = waitMs === undefined ? undefined : setTimeout(resolve, waitMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const frame = waiting.shift();
      if (frame === undefined && end) throw end.reason;
      if (waiting.length === 0 && socket.isPaused) socket.resume();
      return frame ?? null;
    },
  };
}

const toBytes = (data: RawData): Uint8Array =>
  Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data as Buffer);

const failure = (error: unknown, host: string): ProviderError =>
  error instanceof BlockedAddress || !(error instanceof RangeError)
    ? toProviderError(error, { method: "GET", sent: false, status: null, host })
    : new ProviderError(
        "provider_protocol",
        "yes",
        { message: sentences.network.frameTooLarge({ host }) },
        { cause: error },
      );
