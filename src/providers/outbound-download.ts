import { ProviderError } from "./adapter.ts";
import { isHtml } from "./http-errors.ts";

export type Download = {
  /** Without parameters; undefined when the server doesn't say. */
  mime: string | undefined;
  /** Length in bytes where the server says it. */
  bytes: number | null;
  stream: AsyncIterable<Uint8Array>;
};

/** A broken transfer goes on at most so often; one that brought nothing new ends it at once. */
const mostResumptions = 5;

/**
 * Opens an output at a provider's URL. The stream goes on with a Range request where the connection breaks and the server
 * can (RFC 9110, 14: same strong ETag, else same length); one that can't throws `provider_interrupted`. Throws `output_unavailable`
 * when it is gone, forbidden, or a page instead of media; what may pass (5xx, 429, network) keeps its own retryable code. No key is sent.
 */
export async function openDownload(options: {
  fetch: typeof globalThis.fetch;
  url: string;
  mostBytes: number;
  signal: AbortSignal;
}): Promise<Download> {
  const { url, mostBytes, signal } = options;
  const get = (headers: Record<string, string>) =>
    options.fetch(url, { signal, headers: { "accept-encoding": "identity", ...headers } }).catch((error) => {
      throw asMade(error);
    });
  const first = await get({});
  await refuse(first);
  const length = byteLength(first);
  if (length !== null && length > mostBytes) {
    await first.body?.cancel();
    throw unavailable(`The result is ${length} bytes, more than the ${mostBytes} that are kept.`, first.status);
  }
  const validator = strongValidator(first);
  const canResume = first.headers.get("accept-ranges")?.trim().toLowerCase() === "bytes" && (validator !== null || length !== null);

  async function* read(): AsyncGenerator<Uint8Array> {
    let response = first;
    let received = 0;
    for (let resumptions = 0; ; resumptions++) {
      const from = received;
      try {
        for await (const chunk of response.body ?? []) {
          received += chunk.byteLength;
          if (received > mostBytes) throw unavailable(`The result is more than the ${mostBytes} bytes that are kept.`, response.status);
          yield chunk;
        }
        if (length === null || received === length) return;
        throw new ProviderError("provider_interrupted", "yes", { message: `The result ended after ${received} of ${length} bytes.` });
      } catch (error) {
        const broken = error instanceof ProviderError && error.code === "provider_interrupted";
        if (!broken || !canResume || received === from || resumptions >= mostResumptions) throw asMade(error);
      }
      response = await get({ range: `bytes=${received}-`, ...(validator && { "if-range": validator }) });
      await refuseResumption(response, received, length, validator);
    }
  }
  return { mime: first.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() || undefined, bytes: length, stream: read() };
}

/** Whatever fails here, the result itself was made: nothing of it is to be sent again. */
function asMade(error: unknown): unknown {
  if (!(error instanceof ProviderError) || error.accepted === "yes") return error;
  return new ProviderError(error.code, "yes", error.detail, { cause: error });
}

async function refuse(response: Response): Promise<void> {
  const { status } = response;
  if (status >= 200 && status < 300 && !isHtml(response)) return;
  await response.body?.cancel();
  if (status >= 200 && status < 300) throw unavailable("The provider gave a web page in place of the result.", status);
  if (status === 429 || status >= 500) throw new ProviderError("provider_overloaded", "yes", { httpStatus: status });
  throw unavailable(`The provider no longer gives the result (${status}).`, status);
}

/** Anything but the same file's next bytes would make a file that never was. */
async function refuseResumption(response: Response, from: number, length: number | null, validator: string | null): Promise<void> {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
  const begins = range !== null && Number(range[1]) === from;
  const sameLength = length === null || range?.[2] === "*" || Number(range?.[2]) === length;
  const now = strongValidator(response);
  const sameFile = validator === null || now === null || now === validator;
  if (response.status === 206 && begins && sameLength && sameFile) return;
  await response.body?.cancel();
  throw new ProviderError("provider_interrupted", "yes", {
    message: "The result broke off and could not be continued.",
    httpStatus: response.status,
  });
}

const unavailable = (message: string, httpStatus: number) => new ProviderError("output_unavailable", "yes", { message, httpStatus });

function byteLength(response: Response): number | null {
  const value = response.headers.get("content-length");
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}

/** An ETag that promises the same bytes; a weak one does not (RFC 9110, 8.8.3). */
function strongValidator(response: Response): string | null {
  const etag = response.headers.get("etag");
  return etag?.startsWith('"') ? etag : null;
}
