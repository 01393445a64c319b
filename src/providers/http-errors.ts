import { type ErrorCode, errors, Problem } from "#contract/errors.ts";
import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { JsonBounds } from "#domain/json-scan.ts";
import { acceptedBy } from "#domain/repeat.ts";
import { type CallContext, ProviderError } from "./adapter.ts";
import { answerBounds, scanAnswer } from "./answer-bounds.ts";
import { type ErrorWords, readErrorWords, redact } from "./error-words.ts";
import { readRetryAfter, retryAfterOfHeaders } from "./retry-after.ts";

/** What is needed to judge an answer that is not the one hoped for. */
export type Asked = {
  method: string;
  /** The connection's secret, kept out of every message. */
  secret: string | null;
  /** Unix time in milliseconds, for a Retry-After that is a date. */
  now: number;
  /** As in CallContext. */
  parse?: CallContext["parseJson"] | undefined;
};

/** A provider's own name for what went wrong, where the status alone doesn't say it; undefined leaves it to the status. */
export type Classify = (words: ErrorWords, status: number) => ErrorCode | undefined;

export const isHtml = (response: Response) => /^\s*(text\/html|application\/xhtml)/i.test(response.headers.get("content-type") ?? "");

/** The error of an answer outside of 2xx. Reads the body (at most 64 KB), so that the provider's own words reach the person. */
export async function toHttpError(response: Response, asked: Asked, classify?: Classify): Promise<ProviderError> {
  const text = await readText(response, 64 * 1024).catch(() => "");
  const html = isHtml(response) || /^\s*<(!doctype|html)/i.test(text);
  const waitMs = html ? retryAfterOfHeaders(response.headers, asked.now) : readRetryAfter(response.headers, text, asked.now);
  const words: ErrorWords = html ? {} : { ...readErrorWords(text), ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  const { status } = response;
  const code = html ? htmlCode(status, asked.method) : (classify?.(words, status) ?? statusCode(status, asked.method));
  return toWordedError(code, acceptedBy({ method: asked.method, sent: true, status }), words, {
    secret: asked.secret,
    host: hostOf(response),
    httpStatus: status,
    retryAfterMs: waitMs,
  });
}

/** A ProviderError that carries the provider's own words beside ours. */
export function toWordedError(
  code: ErrorCode,
  taken: ProviderError["accepted"],
  words: ErrorWords,
  facts: { secret: string | null; host: string; httpStatus?: number; retryAfterMs?: number | undefined },
): ProviderError {
  const said = words.message ? redact(words.message, facts.secret).slice(0, 500) : undefined;
  return new ProviderError(code, taken, {
    ...(said && { message: `${errors[code].text} ${facts.host} says: ${said}`, providerMessage: said }),
    ...(words.field && { field: words.field }),
    ...(words.code && { providerCode: redact(words.code, facts.secret).slice(0, 100) }),
    ...(facts.httpStatus !== undefined && { httpStatus: facts.httpStatus }),
    ...(facts.retryAfterMs !== undefined && { retryAfterMs: facts.retryAfterMs }),
  });
}

/** An answer of 2xx that is a page: a mistyped address, or a network's sign-in portal. Nothing was made. */
export function htmlInstead(response: Response): ProviderError {
  const message = `${hostOf(response)} answered with a web page. Check the address: it often ends in /v1.`;
  return new ProviderError("provider_protocol", "no", { message, httpStatus: response.status });
}

/** The whole body as JSON. Throws ProviderError: HTML is a wrong address; broken JSON after a POST leaves the outcome unknown. */
export async function readJson(
  response: Response,
  asked: Asked,
  mostBytes: number = limits.providerJsonBytes,
  bounds: JsonBounds = answerBounds,
): Promise<Json> {
  if (isHtml(response)) {
    await response.body?.cancel();
    throw htmlInstead(response);
  }
  const bytes = await readBytes(response, mostBytes, bounds);
  if (/^\s*<(!doctype|html)/i.test(toText(bytes.subarray(0, 256)))) throw htmlInstead(response);
  try {
    return (await parseJson(bytes, asked.parse)) as Json;
  } catch (cause) {
    const message = `${hostOf(response)} answered with something that is not JSON.`;
    const taken = asked.method === "GET" ? "no" : "unknown";
    throw new ProviderError("provider_protocol", taken, { message, httpStatus: response.status }, { cause });
  }
}

/** The body as text, at most `mostBytes`, and as JSON within `bounds`; more throws ProviderError as it arrives. */
export async function readText(response: Response, mostBytes: number, bounds: JsonBounds = answerBounds): Promise<string> {
  return toText(await readBytes(response, mostBytes, bounds));
}

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Up to 1 MB is parsed here, more beside the server's own thread; a paid answer that finds no place there is parsed here all the same. */
async function parseJson(bytes: Uint8Array<ArrayBuffer>, parse: Asked["parse"]): Promise<unknown> {
  if (parse && bytes.length > limits.jsonHereBytes)
    try {
      return await parse(bytes);
    } catch (error) {
      if (!(error instanceof Problem && error.code === "unavailable")) throw error;
    }
  return JSON.parse(toText(bytes));
}

async function readBytes(response: Response, mostBytes: number, bounds: JsonBounds): Promise<Uint8Array<ArrayBuffer>> {
  const scan = scanAnswer(bounds, hostOf(response));
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) {
      // Leaving the loop cancels the stream and frees the socket.
      throw new ProviderError("provider_protocol", "unknown", { message: `${hostOf(response)} sent more than ${mostBytes} bytes.` });
    }
    scan.take(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function statusCode(status: number, method: string): ErrorCode {
  if (status === 401 || status === 403) return "provider_auth";
  if (status === 402) return "provider_quota";
  if (status === 404 || status === 405) return "provider_protocol";
  if (status === 429) return "provider_rate_limited";
  if (status === 408 || status === 504 || status === 524) return "provider_timeout";
  if (status === 503 || status === 529) return "provider_overloaded";
  if (status === 400 || status === 413 || status === 415 || status === 422) return "provider_invalid_input";
  if (method === "GET" || method === "HEAD") return status >= 500 ? "provider_overloaded" : "provider_protocol";
  return "outcome_unknown";
}

/** A page instead of an error: a gateway's own for 5xx, else an address where no such service is. */
function htmlCode(status: number, method: string): ErrorCode {
  return status >= 500 || status === 401 || status === 429 ? statusCode(status, method) : "provider_protocol";
}

const hostOf = (response: Response) => (URL.canParse(response.url) ? new URL(response.url).host : "the provider");
