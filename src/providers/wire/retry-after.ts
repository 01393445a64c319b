import { isRecord } from "./error-fields.ts";

/**
 * Returns how long a provider asks us to wait, in ms: from its headers, or else from its message.
 */
export const readRetryAfter = (headers: Headers, body: string, now: number): number | undefined =>
  retryAfterOfHeaders(headers, now) ?? retryAfterOfBody(body);

/**
 * `retry-after-ms` (OpenAI), `x-ms-retry-after-ms` (Azure), or `retry-after` as seconds or as an
 * HTTP date (RFC 9110, 10.2.3), relative to the response's own date if it has one, because clocks
 * differ.
 */
export function retryAfterOfHeaders(headers: Headers, now: number): number | undefined {
  for (const name of ["retry-after-ms", "x-ms-retry-after-ms"]) {
    const precise = toNumber(headers.get(name));
    if (precise !== undefined) return precise;
  }
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  if (Number.isFinite(Number(value))) return inMs(toNumber(value), 1_000);
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const since = Date.parse(headers.get("date") ?? "");
  return Math.max(0, until - (Number.isNaN(since) ? now : since));
}

/**
 * A field of the body or of its `error`, `retryDelay: "34.07s"` among an error's details
 * (google.rpc.RetryInfo), or a sentence: "Please try again in 6m0s." (OpenAI, Groq), "Please retry
 * after 24 seconds." (Azure).
 */
export function retryAfterOfBody(text: string): number | undefined {
  const body = parse(text);
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const details: unknown[] = Array.isArray(error.details) ? error.details : [];
  for (const place of [body, error, ...details]) {
    const found = isRecord(place) ? ofFields(place) : undefined;
    if (found !== undefined) return found;
  }
  const said = /\b(?:try again|retry) (?:in|after)\s+((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)/i.exec(
    text,
  )?.[1];
  return said === undefined ? undefined : readDuration(said);
}

function ofFields(place: Record<string, unknown>): number | undefined {
  return (
    toNumber(place.retry_after_ms) ??
    inMs(
      toNumber(place.retry_after) ??
        toNumber(place.retry_after_seconds) ??
        toNumber(place.retryAfter),
      1_000,
    ) ??
    (typeof place.retryDelay === "string" ? readDuration(place.retryDelay) : undefined)
  );
}

const unitsMs: readonly [name: RegExp, ms: number][] = [
  [/^(ms|millis|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, 1_000],
  [/^(m|mins?|minutes?)$/, 60_000],
  [/^(h|hrs?|hours?)$/, 60 * 60_000],
];

/** "1.2s", "6m0s", "1h2m3s", "24 seconds". Stops at the first word that isn't a unit. */
function readDuration(text: string): number | undefined {
  let ms: number | undefined;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const unitMs = unitsMs.find(([name]) => name.test(unit.toLowerCase()))?.[1];
    if (unitMs === undefined) break;
    ms = (ms ?? 0) + Number(amount) * unitMs;
  }
  return inMs(ms, 1);
}

const inMs = (count: number | undefined, unitMs: number): number | undefined =>
  count === undefined ? undefined : Math.ceil(Number((count * unitMs).toFixed(3)));

/** Parses a number of at least zero, also from text. */
function toNumber(value: unknown): number | undefined {
  const count =
    typeof value === "number" || (typeof value === "string" && value.trim() !== "")
      ? Number(value)
      : Number.NaN;
  return Number.isFinite(count) && count >= 0 ? count : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
