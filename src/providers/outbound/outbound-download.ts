import { sentences } from "#contract/sentences/index.ts";
import { ProviderError } from "../adapter.ts";
import { isHtml } from "./outbound-body.ts";

export type Download = {
  /** The media type without parameters; undefined when the server doesn't send one. */
  mime: string | undefined;
  /** Length in bytes; null when the server doesn't send it. */
  bytes: number | null;
  stream: AsyncIterable<Uint8Array>;
};

/**
 * Without `mayGoOn`: a broken transfer resumes at most this often, and ends at once if a resumption
 * yields no new bytes.
 */
const maxResumptions = 5;

/**
 * Opens an output at a provider's URL. The stream resumes with a Range request if the connection
 * breaks and the server supports it (RFC 9110, 14: same strong ETag, otherwise same length);
 * otherwise it throws `provider_interrupted`. Transient errors (5xx, 429, network) keep their own
 * retryable code. No key is sent.
 * @throws `output_unavailable` when the file is gone, forbidden, or a page instead of media
 */
export async function openDownload(options: {
  fetch: typeof globalThis.fetch;
  url: string;
  mostBytes: number;
  /** The type announced by the provider: a web page is accepted only if it was announced. */
  mime?: string | undefined;
  signal: AbortSignal;
  /**
   * Called after each break with the number of consecutive attempts without new bytes. Waits for a
   * suitable time and returns whether to resume.
   */
  mayGoOn?: (failures: number) => Promise<boolean>;
}): Promise<Download> {
  const { url, mostBytes, signal } = options;
  const get = (headers: Record<string, string>) =>
    options
      .fetch(url, { signal, headers: { "accept-encoding": "identity", ...headers } })
      .catch((error) => {
        throw asMade(error);
      });
  const first = await get({});
  await refuse(first, options.mime);
  const length = byteLength(first);
  if (length !== null && length > mostBytes) {
    await first.body?.cancel();
    throw unavailable(
      sentences.runs.resultTooLarge({ bytes: length, limit: mostBytes }),
      first.status,
    );
  }
  const validator = strongValidator(first);
  const canResume =
    first.headers.get("accept-ranges")?.trim().toLowerCase() === "bytes" &&
    (validator !== null || length !== null);

  async function* read(): AsyncGenerator<Uint8Array> {
    let response: Response | null = first;
    let received = 0;
    let resumptions = 0;
    let failures = 0;
    for (;;) {
      const from = received;
      try {
        response ??= await resume(received);
        for await (const chunk of response.body ?? []) {
          received += chunk.byteLength;
          if (received > mostBytes)
            throw unavailable(
              sentences.runs.resultOverLimit({ limit: mostBytes }),
              response.status,
            );
          yield chunk;
        }
        if (length === null || received === length) return;
        throw new ProviderError("provider_interrupted", "yes", {
          message: sentences.runs.resultCutOff({ received, bytes: length }),
        });
      } catch (error) {
        failures = received > from ? 1 : failures + 1;
        const mayTry = options.mayGoOn
          ? () => options.mayGoOn?.(failures)
          : async () => received > from && resumptions++ < maxResumptions;
        if (!canResume || received === 0 || signal.aborted || !isBreak(error) || !(await mayTry()))
          throw asMade(error);
      }
      response = null;
    }
  }

  async function resume(received: number): Promise<Response> {
    const response = await get({
      range: `bytes=${received}-`,
      ...(validator && { "if-range": validator }),
    });
    const { status } = response;
    // The server itself is in trouble, and may serve the file again later.
    if (status === 429 || status >= 500) await refuse(response, options.mime);
    await refuseResumption(response, received, length, validator);
    return response;
  }
  return {
    mime: first.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() || undefined,
    bytes: length,
    stream: read(),
  };
}

/**
 * The connection broke, or the provider is temporarily unavailable: the bytes received so far stay
 * valid.
 */
const breaks = new Set([
  "provider_interrupted",
  "provider_unreachable",
  "provider_timeout",
  "provider_overloaded",
]);
const isBreak = (error: unknown): boolean =>
  error instanceof ProviderError && breaks.has(error.code) && error.detail.otherFile !== true;

/** The result already exists, so no failure here allows sending the run again. */
function asMade(error: unknown): unknown {
  if (!(error instanceof ProviderError) || error.accepted === "yes") return error;
  return new ProviderError(error.code, "yes", error.detail, { cause: error });
}

const webPage = /^\s*(text\/html|application\/xhtml)/i;

async function refuse(response: Response, promised: string | undefined): Promise<void> {
  const { status } = response;
  if (status >= 200 && status < 300 && (!isHtml(response) || webPage.test(promised ?? ""))) return;
  await response.body?.cancel();
  if (status >= 200 && status < 300) throw unavailable(sentences.runs.resultWebPage, status);
  if (status === 429 || status >= 500)
    throw new ProviderError("provider_overloaded", "yes", { httpStatus: status });
  throw unavailable(sentences.runs.resultGone({ status }), status);
}

/**
 * Throws unless the response continues the same file; anything else would produce a corrupt file.
 */
async function refuseResumption(
  response: Response,
  from: number,
  length: number | null,
  validator: string | null,
): Promise<void> {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
  const begins = range !== null && Number(range[1]) === from;
  const sameLength = length === null || range?.[2] === "*" || Number(range?.[2]) === length;
  const now = strongValidator(response);
  const sameFile = validator === null || now === null || now === validator;
  if (response.status === 206 && begins && sameLength && sameFile) return;
  await response.body?.cancel();
  throw new ProviderError("provider_interrupted", "yes", {
    message: sentences.runs.resultNotResumed,
    httpStatus: response.status,
    // Only a restart helps: the server ignores Range, or the file has changed.
    otherFile: true,
  });
}

const unavailable = (message: string, httpStatus: number) =>
  new ProviderError("output_unavailable", "yes", { message, httpStatus });

function byteLength(response: Response): number | null {
  const value = response.headers.get("content-length");
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}

/** Returns an ETag that guarantees equal bytes, which a weak one doesn't (RFC 9110, 8.8.3). */
function strongValidator(response: Response): string | null {
  const etag = response.headers.get("etag");
  return etag?.startsWith('"') ? etag : null;
}
