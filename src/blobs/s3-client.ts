import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { Agent, fetch as undiciFetch } from "undici";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { S3Location } from "./s3-location.ts";
import { tagText } from "./s3-xml.ts";

/**
 * Pauses before the second, third and fourth attempt of a repeatable call, each with up to the same
 * again at random.
 */
const retryDelaysMs = [100, 400, 1_600];

/** Timeouts for the head of an answer; its body may take longer. A PUT sends its bytes before, and a POST has an upload assembled. */
const answerTimeoutMs = { GET: 20_000, HEAD: 20_000, DELETE: 20_000, PUT: 60_000, POST: 60_000 };

/**
 * Node 24 includes an older undici, whose sockets throw from an event, where nothing can catch it,
 * if a server closes the connection while the reader is behind. The agent is passed explicitly,
 * because otherwise fetch would use Node's agent once anything has called Node's fetch.
 */
const agent = new Agent();
const packagedFetch = ((url: string, init: object) =>
  undiciFetch(url, { ...init, dispatcher: agent })) as unknown as typeof globalThis.fetch;

const repeatableStatus = new Set([429, 500, 502, 503, 504]);

type S3Call = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Without the location's prefix; "" is the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  /** The body's SHA-256, if it is already known. */
  bodySha256?: string;
  /** May be sent again after a lost or failed answer. */
  idempotent: boolean;
  /** Statuses returned to the caller. Any other throws. */
  expect: readonly number[];
  signal?: AbortSignal;
};

/**
 * Calls the storage.
 * @throws Problem("unavailable") or Problem("storage_full") for unexpected answers, the signal's
 *   reason if aborted
 */
export type S3Client = { prefix: string; call(call: S3Call): Promise<Response> };

/**
 * Signed calls to one bucket (AWS Signature Version 4, the body's hash included, so that the server refuses damaged bytes).
 * Only calls marked idempotent are repeated.
 */
export function openS3Client(
  location: S3Location,
  fetch: typeof globalThis.fetch = packagedFetch,
  delaysMs: readonly number[] = retryDelaysMs,
): S3Client {
  async function send(call: S3Call): Promise<Response> {
    const signed = await sign(location, call);
    const ended = new AbortController();
    const timeoutMs = answerTimeoutMs[call.method];
    const timer = setTimeout(
      () => ended.abort(new Error(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const signal = call.signal ? AbortSignal.any([call.signal, ended.signal]) : ended.signal;
    try {
      // Following a redirect would send the bytes on with a signature for another host.
      return await fetch(signed.url, {
        method: call.method,
        headers: signed.headers,
        body: call.body,
        signal,
        redirect: "manual",
      });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    prefix: location.prefix,
    async call(call) {
      for (let attempt = 0; ; attempt += 1) {
        const delayMs = call.idempotent ? delaysMs[attempt] : undefined;
        const outcome = await send(call).catch((error: unknown) => {
          call.signal?.throwIfAborted();
          if (delayMs === undefined)
            throw new Problem(
              "unavailable",
              { message: sentences.storage.unreachable },
              { cause: error },
            );
          return undefined;
        });
        if (outcome && call.expect.includes(outcome.status)) return outcome;
        if (outcome && (delayMs === undefined || !repeatableStatus.has(outcome.status)))
          throw await refused(outcome);
        await outcome?.body?.cancel().catch(() => {});
        await wait((delayMs ?? 0) * (1 + Math.random()), undefined, { signal: call.signal });
      }
    },
  };
}

async function sign(
  location: S3Location,
  call: S3Call,
): Promise<{ url: string; headers: Headers }> {
  const path = encodePath(call.key === "" ? "" : location.prefix + call.key);
  // Built by hand: URLSearchParams writes a space as "+", which S3 servers sign in different ways.
  const query = Object.entries(call.query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  const url = `${location.bucketUrl}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
  const bodySha256 =
    call.bodySha256 ??
    createHash("sha256")
      .update(call.body ?? "")
      .digest("hex");
  const signer = new AwsV4Signer({
    method: call.method,
    url,
    headers: { ...call.headers, "x-amz-content-sha256": bodySha256 },
    accessKeyId: location.accessKeyId,
    secretAccessKey: location.secretAccessKey,
    sessionToken: location.sessionToken,
    service: "s3",
    region: location.region,
  });
  return { url, headers: (await signer.sign()).headers };
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The storage's refusal. Its code ("SignatureDoesNotMatch") helps the admin and holds no secret. */
export async function refused(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => "");
  const code = tagText(text, "Code") ?? `HTTP ${response.status}`;
  // How MinIO and Ceph report it; AWS itself is never full.
  if (response.status === 507 || /StorageFull|QuotaExceeded/.test(code))
    return new Problem("storage_full", { storageCode: code });
  return new Problem("unavailable", {
    message: sentenceOf(code, response.status),
    storageCode: code,
  });
}

function sentenceOf(code: string, status: number): string {
  if (code === "NoSuchBucket") return sentences.storage.noBucket({ code });
  // Services that accept the bucket only in the host's name: Alibaba's, Tencent's.
  if (/SecondLevelDomainForbidden|PathStyleDomainForbidden/.test(code))
    return sentences.storage.bucketInHost({ code });
  if (status === 401 || status === 403) return sentences.storage.keyRefused({ code });
  return sentences.storage.failed({ code });
}
