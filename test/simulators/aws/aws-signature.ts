import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * AWS Signature Version 4 as a server checks it, implemented from the published text without
 * sharing client code:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html and,
 * for the payload header,
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */

export type AwsRefusal = { status: number; code: string; message: string };

export type AwsKeys = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  region: string;
};
/**
 * The service named in the signature, and except for S3 the body's hash, which S3 has in a header.
 */
export type AwsService = { service: "s3" } | { service: string; bodySha256: string };

const skewMs = 15 * 60_000;
const authorizationPattern =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([a-z0-9;-]+),\s*Signature=([0-9a-f]{64})$/;

const sha256 = (value: string) => createHash("sha256").update(value, "utf8").digest("hex");
const hmac = (key: string | Buffer, value: string) =>
  createHmac("sha256", key).update(value, "utf8").digest();

/**
 * Undefined if the signature is correct. For S3, the caller compares the body's own hash once it is
 * read.
 */
export function checkSignature(
  request: Pick<IncomingMessage, "method" | "url" | "headers">,
  keys: AwsKeys,
  now: number,
  asked: AwsService = { service: "s3" },
): AwsRefusal | undefined {
  const { headers } = request;
  const isS3 = !("bodySha256" in asked);
  const authorization = headers.authorization;
  if (!authorization) return refusal(403, "AccessDenied", "no Authorization header");
  const match = authorizationPattern.exec(authorization);
  if (!match)
    return refusal(400, "AuthorizationHeaderMalformed", "not a Signature Version 4 header");
  const [, accessKeyId, date, region, service, signedList, signature] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];

  const amzDate = header(headers["x-amz-date"]);
  const at = amzDate && parseAmzDate(amzDate);
  if (!amzDate || !at) return refusal(403, "AccessDenied", "x-amz-date is missing or malformed");
  if (Math.abs(now - at) > skewMs)
    return refusal(403, "RequestTimeTooSkewed", "the clocks differ by more than 15 minutes");
  if (!amzDate.startsWith(date))
    return refusal(400, "AuthorizationHeaderMalformed", "the scope's date is not the request's");
  if (accessKeyId !== keys.accessKeyId)
    return refusal(403, "InvalidAccessKeyId", "this access key does not exist");
  if (region !== keys.region || service !== asked.service)
    return refusal(400, "AuthorizationHeaderMalformed", `expected ${keys.region}/${asked.service}`);
  if (header(headers["x-amz-security-token"]) !== keys.sessionToken)
    return refusal(
      403,
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    );

  const payload = isS3 ? header(headers["x-amz-content-sha256"]) : asked.bodySha256;
  if (!payload) return refusal(400, "MissingSecurityHeader", "x-amz-content-sha256 is missing");
  if (!/^[0-9a-f]{64}$/.test(payload))
    return refusal(
      400,
      "InvalidRequest",
      "this server wants the payload's hash in x-amz-content-sha256",
    );

  const signed = signedList.split(";");
  if (signed.join() !== [...signed].sort().join())
    return refusal(400, "AuthorizationHeaderMalformed", "SignedHeaders must be sorted");
  const mustBeSigned = [
    "host",
    ...Object.keys(headers).filter((name) => name.startsWith("x-amz-")),
  ];
  const unsigned = mustBeSigned.find((name) => !signed.includes(name));
  if (unsigned) return refusal(403, "AccessDenied", `header ${unsigned} is not signed`);
  const absent = signed.find((name) => headers[name] === undefined);
  if (absent) return refusal(403, "SignatureDoesNotMatch", `signed header ${absent} is not there`);

  const canonical = [
    request.method ?? "",
    canonicalPath(request.url ?? "/", isS3),
    canonicalQuery(request.url ?? "/"),
    ...signed.map((name) => `${name}:${(header(headers[name]) ?? "").trim().replace(/ +/g, " ")}`),
    "",
    signedList,
    payload,
  ].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const stringToSign = ["AWS4-HMAC-SHA256", amzDate, scope, sha256(canonical)].join("\n");
  const signingKey = [service, "aws4_request"].reduce(
    (key, part) => hmac(key, part),
    hmac(hmac(`AWS4${keys.secretAccessKey}`, date), region),
  );
  const expected = hmac(signingKey, stringToSign);
  if (timingSafeEqual(expected, Buffer.from(signature, "hex"))) return undefined;
  return refusal(403, "SignatureDoesNotMatch", "the signature is not the one we calculated");
}

function refusal(status: number, code: string, message: string): AwsRefusal {
  return { status, code, message };
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(",") : value;
}

/** "20261121T093000Z" */
function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The specification's UriEncode: everything except A-Z a-z 0-9 - . _ ~ becomes %XX. */
function uriEncode(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const character = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9\-._~]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

/**
 * S3 encodes each part of a path once; every other service encodes the request's encoded path
 * again.
 */
function canonicalPath(url: string, isS3: boolean): string {
  const path = url.split("?")[0]!;
  return path
    .split("/")
    .map((part) => uriEncode(isS3 ? decodeURIComponent(part) : part))
    .join("/");
}

function canonicalQuery(url: string): string {
  const query = url.split("?")[1] ?? "";
  if (query === "") return "";
  const pairs = query.split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [
      uriEncode(decodeURIComponent(name)),
      uriEncode(decodeURIComponent(value.join("="))),
    ] as const;
  });
  const byBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return pairs
    .sort((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}
