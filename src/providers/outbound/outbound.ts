import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { acceptedBy } from "#domain/runs/repeat.ts";
import { type OpenSocket, ProviderError } from "../adapter.ts";
import { toOutgoingBody } from "./outbound-body.ts";
import { type Exchange, exchange, type WireEvent } from "./outbound-exchange.ts";
import { BlockedAddress, toProviderError } from "./outbound-failure.ts";
import { createCheckedLookup, type Lookup } from "./outbound-lookup.ts";
import { type AddressScope, refuseAddress, refuseUrl } from "./outbound-policy.ts";
import { createOpenSocket } from "./outbound-socket.ts";
import { unpaidMark } from "./unpaid.ts";

export type { WireEvent } from "./outbound-exchange.ts";
export type { Lookup } from "./outbound-lookup.ts";
export { unpaid } from "./unpaid.ts";

export type OutboundOptions = {
  /**
   * Exact origins (scheme, host, port) on private or loopback addresses that an admin stored with
   * the connection.
   */
  privateOrigins: readonly string[];
  /** A paid attempt: a second POST throws and isn't sent. Free POSTs are marked with `unpaid`. */
  onePost?: boolean;
  /**
   * The most POSTs of a paid attempt that needs several, because its service accepts one input in
   * each.
   */
  mostPosts?: number;
  /**
   * Reports sent bytes of a request, and the status of the response. With `onePost`, only for the
   * paid POST.
   */
  onWire?: (event: WireEvent) => void;
  /**
   * Awaited before each request that may change something: the paid one, or a free one that prepares
   * it, such as an upload. A failure keeps the request from being sent.
   */
  beforeSending?: (isPaid: boolean) => Promise<void>;
  /** Receives each piece of a response body. With `onePost`, only for the paid POST. */
  onBody?: (chunk: Uint8Array) => void;
  connectTimeoutMs?: number;
  headersTimeoutMs?: number;
  /** The longest silence within a response. */
  idleTimeoutMs?: number;
  /** The most bytes of one response body, decompressed. */
  mostBytes?: number;
};

export type Outbound = {
  /**
   * Returns a fetch with this policy. It follows at most three redirects of a GET, and none of a
   * POST.
   * @throws ProviderError
   */
  open(options: OutboundOptions): typeof globalThis.fetch;
  /** Opens WebSockets with the same policy, without redirects. */
  openSocket(
    options: Pick<OutboundOptions, "privateOrigins" | "connectTimeoutMs" | "mostBytes">,
  ): OpenSocket;
  close(): Promise<void>;
};

const maxRedirects = 3;
const notAnAddress = "BOTTEGA_NOT_AN_ADDRESS";
/**
 * Whether an address is refused by its form or by the policy, so that a retry would change nothing.
 */
export const isRefusedAddress = (error: ProviderError): boolean =>
  error.detail.reason === notAnAddress || error.detail.reason === BlockedAddress.code;
/**
 * We close idle sockets before servers do (Node's default is 5 s, nginx's 75 s): a paid POST on a
 * socket that the server has just closed would be lost after bytes were sent.
 */
const keepAliveMs = 4_000;
/** Headers without credentials, the only ones sent when a redirect leaves the origin. */
const anonymousHeaders = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "if-range",
  "range",
  "user-agent",
]);
/** Headers of the connection itself, which we set. */
const connectionHeaders = [
  "connection",
  "expect",
  "host",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
  "proxy-authorization",
];

/**
 * Creates the program's only way out: one pool of sockets for public addresses, and one for those
 * that an admin entered.
 */
export function createOutbound(deps: { lookup?: Lookup } = {}): Outbound {
  const lookup: Lookup = deps.lookup ?? ((name) => systemLookup(name, { all: true }));
  const pools = { public: createPool("public", lookup), private: createPool("private", lookup) };
  return {
    open: (options) => createGuardedFetch(pools, options),
    openSocket: (options) => createOpenSocket(lookup, options),
    async close() {
      await Promise.all([pools.public.destroy(), pools.private.destroy()]);
    },
  };
}

/**
 * Creates a pool whose sockets connect only to addresses checked at that moment. HTTP/1.1 only:
 * there a request is the next bytes of one socket, so it is known whether any were sent.
 */
function createPool(scope: AddressScope, lookup: Lookup): Agent {
  const connect = buildConnector({
    allowH2: false,
    timeout: 60_000,
    lookup: createCheckedLookup(scope, lookup),
  });
  return new Agent({
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: 64 * 1024,
    connect(options, callback) {
      // A literal address is never looked up, so it is checked again here.
      const refusal = isIP(options.hostname) === 0 ? null : refuseAddress(options.hostname, scope);
      if (refusal === null) connect(options, callback);
      else callback(new BlockedAddress(`${options.hostname} ${refusal}`), null);
    },
  });
}

function createGuardedFetch(
  pools: Record<AddressScope, Dispatcher>,
  options: OutboundOptions,
): typeof globalThis.fetch {
  const privateOrigins = new Set(options.privateOrigins.map((origin) => new URL(origin).origin));
  let posts = 0;

  return async function guardedFetch(input, init) {
    const asked = input instanceof Request ? input : null;
    const method = (init?.method ?? asked?.method ?? "GET").toUpperCase();
    const signal = init?.signal ?? asked?.signal ?? null;
    const redirect = init?.redirect ?? asked?.redirect ?? "follow";
    let url = parse(asked ? asked.url : String(input));
    let headers = toHeaders(init?.headers ?? asked?.headers);
    signal?.throwIfAborted();

    const paid = method === "POST" && !(init && unpaidMark in init);
    if (paid && options.onePost && posts++ >= (options.mostPosts ?? 1)) {
      throw new ProviderError("internal", "unknown", {
        message: sentences.network.secondPaidRequest,
      });
    }
    if (method !== "GET" && method !== "HEAD") await options.beforeSending?.(paid);
    const { onWire, onBody } = options.onePost && !paid ? {} : options;
    const { content, contentType } = await toOutgoingBody(init?.body ?? asked?.body);
    if (contentType && !headers.has("content-type")) headers.set("content-type", contentType);
    if (!headers.has("accept")) headers.set("accept", "*/*");
    if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
    if (!headers.has("user-agent")) headers.set("user-agent", "bottega");

    for (let hop = 0; ; hop++) {
      const scope: AddressScope = privateOrigins.has(url.origin) ? "private" : "public";
      const refusal = refuseUrl(url, scope);
      if (refusal !== null)
        throw toProviderError(new BlockedAddress(refusal), {
          method,
          sent: false,
          status: null,
          host: url.host,
        });
      const response = await exchange(pools[scope], {
        ...toExchange(options),
        url,
        method,
        isUnpaid: !paid,
        headers,
        body: content,
        signal,
        onWire,
        onBody,
      });
      const next = redirectTarget(response, url);
      if (next === null || redirect === "manual") return response;
      await response.body?.cancel();
      if (method !== "GET" && method !== "HEAD")
        throw redirectedPost(method, response.status, next);
      if (redirect === "error" || hop >= maxRedirects) {
        throw new ProviderError("provider_protocol", "no", {
          message: sentences.network.tooManyRedirects({ host: url.host }),
        });
      }
      if (url.protocol === "https:" && next.protocol === "http:") {
        throw new ProviderError("provider_protocol", "no", {
          message: sentences.network.redirectsToHttp({ host: url.host }),
        });
      }
      if (next.origin !== url.origin)
        headers = new Headers([...headers].filter(([name]) => anonymousHeaders.has(name)));
      url = next;
    }
  };
}

function toExchange(
  options: OutboundOptions,
): Omit<
  Exchange,
  "url" | "method" | "isUnpaid" | "headers" | "body" | "signal" | "onWire" | "onBody"
> {
  return {
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    // A picture or long reasoning may take minutes before the first byte of the response.
    headersTimeoutMs: options.headersTimeoutMs ?? 600_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 300_000,
    mostBytes: options.mostBytes ?? limits.outputBytes,
  };
}

/**
 * Removes the connection's own headers. An invalid header, such as a key pasted with a stray
 * character, isn't repeated in the error.
 */
function toHeaders(given: HeadersInit | undefined): Headers {
  try {
    const headers = new Headers(given);
    for (const name of connectionHeaders) headers.delete(name);
    return headers;
  } catch {
    throw new ProviderError("provider_auth", "no", {
      message: sentences.connections.keyUnsendable,
    });
  }
}

function parse(address: string): URL {
  if (!URL.canParse(address))
    throw new ProviderError("provider_unreachable", "no", {
      message: sentences.connections.notAnAddress,
      reason: notAnAddress,
    });
  const url = new URL(address);
  url.hash = "";
  return url;
}

function redirectTarget(response: Response, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(response.status)) return null;
  const location = response.headers.get("location");
  return location !== null && URL.canParse(location, from)
    ? parse(new URL(location, from).href)
    : null;
}

/**
 * A redirected POST is never repeated: 303 means that it was accepted; the other statuses, that it
 * belongs elsewhere, which is for a person to configure.
 */
function redirectedPost(method: string, status: number, next: URL): ProviderError {
  const message = sentences.connections.redirected({ origin: next.origin });
  return new ProviderError("provider_protocol", acceptedBy({ method, sent: true, status }), {
    message,
    httpStatus: status,
  });
}
