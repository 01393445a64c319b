import type { ErrorCode } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { openSigned } from "../wire/open-file.ts";
import { type SignedIn, signedFetch } from "./signed-fetch.ts";

/**
 * An object in a bucket. Its URL has the bucket in the path, which every compatible server
 * understands.
 */
export type S3Place = { bucket: string; key: string };

/**
 * Parses "s3://bucket/a/b", with the key stripped of slashes at its ends; undefined for anything
 * else.
 */
export function parseS3Uri(uri: unknown): S3Place | undefined {
  const match =
    typeof uri === "string"
      ? /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(uri.trim())
      : null;
  return match ? { bucket: match[1]!, key: (match[2] ?? "").replace(/^\/+|\/+$/g, "") } : undefined;
}

export const toS3Uri = ({ bucket, key }: S3Place): string => `s3://${bucket}${key && `/${key}`}`;

/**
 * Downloads an object, retrying once in the bucket's own region.
 * @throws ProviderError
 */
export const openObject = (
  place: S3Place,
  signedIn: SignedIn,
  context: CallContext,
): AsyncIterable<Uint8Array> =>
  openSigned(
    objectUrl(place, context, signedIn.region),
    context,
    async () => (_url, init) => callS3(place, signedIn, context, init),
  );

/**
 * Uploads a small object, which is not part of a run's cost.
 * @throws ProviderError
 */
export async function putObject(
  place: S3Place,
  body: Uint8Array,
  mime: string,
  signedIn: SignedIn,
  context: CallContext,
): Promise<void> {
  const init = {
    method: "PUT",
    headers: { "content-type": mime },
    body: body as Uint8Array<ArrayBuffer>,
    signal: context.signal,
  };
  const response = await callS3(place, signedIn, context, init);
  await response.body?.cancel();
  if (!response.ok) throw refusal(place, response.status);
}

/**
 * Sends a request for one object, and sends it again to the bucket's own region if S3 names
 * another.
 * @throws ProviderError
 */
export async function callS3(
  place: S3Place,
  { region, credentials }: SignedIn,
  context: CallContext,
  init: RequestInit = {},
): Promise<Response> {
  const ask = (at: string) => {
    const send = signedFetch(context, "s3", at, credentials);
    return send(
      objectUrl(place, context, region, at),
      Object.assign(init, { redirect: "manual" as const }),
    );
  };
  const response = await ask(region);
  const other = response.headers.get("x-amz-bucket-region");
  if (response.ok || !other || other === region || !/^[a-z0-9-]+$/.test(other)) return response;
  await response.body?.cancel();
  return ask(other);
}

/** S3's statuses about the key or the file. */
const refusals: Readonly<Record<number, readonly [code: ErrorCode, why: string]>> = {
  // A HEAD has no body, so an expired session token looks like this.
  400: ["provider_auth", "did not accept the key. Its session may have ended"],
  401: ["provider_auth", "denied access with this key"],
  403: ["provider_forbidden", "denied access with this key"],
  404: ["output_unavailable", "does not contain the file"],
  429: ["provider_rate_limited", "limits the rate of requests"],
};

export function refusal({ bucket }: S3Place, status: number): ProviderError {
  const passing: ErrorCode = status >= 500 ? "provider_overloaded" : "provider_protocol";
  const [code, why] = refusals[status] ?? [passing, `answered ${status}`];
  return new ProviderError(code, "yes", {
    message: sentences.cloud.bucketFailed({ bucket, fault: why }),
    httpStatus: status,
  });
}

function objectUrl(
  { bucket, key }: S3Place,
  { connection }: CallContext,
  region: string,
  at = region,
): string {
  const address = (connection.addresses.s3 ?? "").replace(/\/+$/, "");
  return `${at === region ? address : address.replace(region, at)}/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
}
