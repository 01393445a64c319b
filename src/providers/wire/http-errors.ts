import { type ErrorCode, errors, Problem } from "#contract/errors.ts";
import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { acceptedBy } from "#domain/runs/repeat.ts";
import type { JsonBounds } from "#domain/schemas/json-scan.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { answerBounds, scanAnswer } from "../outbound/answer-bounds.ts";
import { isHtml } from "../outbound/outbound-body.ts";
import { toByteStream } from "./byte-stream.ts";
import { type ErrorFields, isOwnShape, readErrorFields, redact } from "./error-fields.ts";
import { readRetryAfter, retryAfterOfHeaders } from "./retry-after.ts";

/** How to read a response and classify its errors. */
export type ReadOptions = {
  method: string;
  /** The connection's secret, redacted from every message. */
  secret: string | null;
  /** Unix time in milliseconds, for a Retry-After that is a date. */
  now: number;
  /** As in CallContext. */
  parse?: CallContext["parseJson"] | undefined;
};

export const readOptions = (context: CallContext, method: string): ReadOptions => ({
  method,
  secret: context.connection.secret,
  now: context.clock.now(),
  parse: context.parseJson,
});

/** Maps a provider's own error name to a code. Undefined leaves it to the status. */
export type Classify = (fields: ErrorFields, status: number) => ErrorCode | undefined;

/** Whether a parsed error body is the provider's own and not a gateway's. */
export type IsOwnShape = (body: unknown, headers: Headers) => boolean;

/** Statuses of proxies that did not reach the server, which itself never sends them. */
const ofProxy = (status: number): boolean => status >= 520 && status <= 527;

/**
 * Builds the error of a response outside of 2xx. Reads at most 64 KB of the body, so that people
 * see the provider's own words. A 5xx counts as a refusal only if the body has the provider's own
 * form (`detail.ownShape`); otherwise it comes from an intermediary, and the requested result may
 * exist.
 * @param isOwn for a provider whose errors differ from the usual forms
 */
export async function toHttpError(
  response: Response,
  options: ReadOptions,
  classify?: Classify,
  isOwn: IsOwnShape = isOwnShape,
): Promise<ProviderError> {
  const text = await readText(response, 64 * 1024).catch(() => "");
  const html = isHtml(response) || isPage(text);
  const waitMs = html
    ? retryAfterOfHeaders(response.headers, options.now)
    : readRetryAfter(response.headers, text, options.now);
  const fields: ErrorFields = html
    ? {}
    : { ...readErrorFields(text), ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  const { status } = response;
  const own = !html && !ofProxy(status) && isOwn(parsed(text), response.headers);
  const named = html ? undefined : classify?.(fields, status);
  const code =
    named ?? (html ? htmlCode(status, options.method) : statusCode(status, options.method, own));
  const refused =
    own && status >= 500 ? "no" : acceptedBy({ method: options.method, sent: true, status });
  const host = hostOf(response);
  const overloaded =
    own && isOverload(status) && (named === "provider_overloaded" || waitMs !== undefined);
  const { detail } = toWordedError(code, refused, fields, {
    secret: options.secret,
    host,
    httpStatus: status,
    retryAfterMs: waitMs,
  });
  const isForeign = !own && status >= 500 && options.method === "POST";
  return new ProviderError(code, refused, {
    ...detail,
    ...(own && { ownShape: true }),
    ...(overloaded && { overloaded }),
    ...(isForeign && { message: foreignMessage(host, status, text, options.secret) }),
  });
}

/** 529 is Anthropic's 503. */
const isOverload = (status: number): boolean => status === 503 || status === 529;

/** Quotes a gateway's response: its status, and its page's title or first line. */
function foreignMessage(host: string, status: number, text: string, secret: string | null): string {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? /<h1[^>]*>([^<]*)/i.exec(text)?.[1];
  const said = redact(
    (isPage(text) ? (title ?? "") : text).trim().split("\n", 1)[0]!,
    secret,
  ).slice(0, 200);
  return sentences.answers.foreign({ host, status, said });
}

const isPage = (text: string): boolean => /^\s*</.test(text);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Builds a ProviderError with the provider's own words in addition to ours. */
export function toWordedError(
  code: ErrorCode,
  taken: ProviderError["accepted"],
  fields: ErrorFields,
  facts: {
    secret: string | null;
    host: string;
    httpStatus?: number;
    retryAfterMs?: number | undefined;
  },
): ProviderError {
  const said = fields.message ? redact(fields.message, facts.secret).slice(0, 500) : undefined;
  return new ProviderError(code, taken, {
    ...(said && {
      message: `${errors[code].text} ${facts.host} says: ${said}`,
      providerMessage: said,
    }),
    ...(fields.field && { field: fields.field }),
    ...(fields.code && { providerCode: redact(fields.code, facts.secret).slice(0, 100) }),
    ...(facts.httpStatus !== undefined && { httpStatus: facts.httpStatus }),
    ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }),
  });
}

/**
 * A 2xx response with a web page: a mistyped address, or a network's login portal. After a POST it
 * doesn't prove that nothing was made.
 */
function htmlInstead(response: Response, method: string): ProviderError {
  const message = sentences.answers.webPage({ host: hostOf(response) });
  return new ProviderError("provider_protocol", takenBy2xx(method), {
    message,
    httpStatus: response.status,
  });
}

/** Whether a 2xx with an unreadable answer was accepted. */
const takenBy2xx = (method: string) => (method === "POST" ? "unknown" : "no");

/**
 * Returns the response to be read from its start: a gateway that labels JSON or a stream as a page
 * still sends it.
 * @throws ProviderError when the body really is a page
 */
export async function unlessPage(response: Response, method: string): Promise<Response> {
  if (!isHtml(response) || !response.body) return response;
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  const begun = (): string => Buffer.concat(chunks).toString("utf8").trimStart();
  while (begun() === "") {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
  }
  if (isPage(begun())) {
    await reader.cancel();
    throw htmlInstead(response, method);
  }
  const { status, headers } = response;
  const read = new Response(toByteStream(rest(chunks, reader)), { status, headers });
  read.headers.delete("content-type");
  Object.defineProperty(read, "url", { value: response.url });
  return read;
}

async function* rest(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/**
 * Reads the whole body as JSON, regardless of its content type.
 * @throws ProviderError: an unreadable body leaves the outcome of a POST unknown
 */
export async function readJson(
  response: Response,
  options: ReadOptions,
  maxBytes: number = limits.providerJsonBytes,
  bounds: JsonBounds = answerBounds,
): Promise<Json> {
  const bytes = await readBytes(response, maxBytes, bounds);
  if (isPage(toText(bytes.subarray(0, 256)))) throw htmlInstead(response, options.method);
  try {
    return (await parseJson(bytes, options.parse)) as Json;
  } catch (cause) {
    const message = sentences.answers.hostNotJson({ host: hostOf(response) });
    throw new ProviderError(
      "provider_protocol",
      takenBy2xx(options.method),
      { message, httpStatus: response.status },
      { cause },
    );
  }
}

/**
 * Reads the body as text of at most `mostBytes`, and as JSON within `bounds`.
 * @throws ProviderError as soon as more arrives
 */
export async function readText(
  response: Response,
  maxBytes: number,
  bounds: JsonBounds = answerBounds,
): Promise<string> {
  return toText(await readBytes(response, maxBytes, bounds));
}

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * Parses up to 1 MB here, and larger bodies in a worker thread. A paid response that finds no free
 * worker is parsed here too.
 */
async function parseJson(
  bytes: Uint8Array<ArrayBuffer>,
  parse: ReadOptions["parse"],
): Promise<unknown> {
  if (parse && bytes.length > limits.jsonHereBytes)
    try {
      return await parse(bytes);
    } catch (error) {
      if (!(error instanceof Problem && error.code === "unavailable")) throw error;
    }
  return JSON.parse(toText(bytes));
}

async function readBytes(
  response: Response,
  maxBytes: number,
  bounds: JsonBounds,
): Promise<Uint8Array<ArrayBuffer>> {
  const scan = scanAnswer(bounds, hostOf(response));
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      // Leaving the loop cancels the stream and frees the socket.
      throw new ProviderError("provider_protocol", "unknown", {
        message: sentences.network.sentTooManyBytes({ host: hostOf(response), bytes: maxBytes }),
      });
    }
    scan.take(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function statusCode(status: number, method: string, own = false): ErrorCode {
  if (status === 401) return "provider_auth";
  if (status === 403) return "provider_forbidden";
  if (status === 402) return "provider_quota";
  if (status === 404 || status === 405) return "provider_protocol";
  if (status === 429) return "provider_rate_limited";
  if (status === 408 || status === 504 || status === 524) return "provider_timeout";
  if (status === 503 || status === 529) return "provider_overloaded";
  if (status === 400 || status === 413 || status === 415 || status === 422)
    return "provider_invalid_input";
  if (method === "GET" || method === "HEAD")
    return status >= 500 ? "provider_overloaded" : "provider_protocol";
  return own && status >= 500 ? "provider_failed" : "outcome_unknown";
}

/**
 * A page instead of an error: for 5xx a gateway's own, otherwise an address without such a service.
 */
function htmlCode(status: number, method: string): ErrorCode {
  return status >= 500 || status === 401 || status === 429
    ? statusCode(status, method)
    : "provider_protocol";
}

const hostOf = (response: Response) =>
  URL.canParse(response.url) ? new URL(response.url).host : "the provider";
