import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { type Bucket, openBucket, type PartList } from "./s3-bucket.ts";
import { checkSignature, type S3Keys, type S3Refusal } from "./s3-signature.ts";

export type S3Operation =
  | "PutObject"
  | "GetObject"
  | "HeadObject"
  | "DeleteObject"
  | "ListObjectsV2"
  | "CreateMultipartUpload"
  | "UploadPart"
  | "CompleteMultipartUpload"
  | "AbortMultipartUpload";

/**
 * refuse: answers the status and does nothing. lost-reply: does the work, then drops the line without an answer.
 * error-in-200: answers 200 whose body is an error, as CompleteMultipartUpload may, and does nothing.
 * cut: sends the first half of the body, then drops the line.
 */
export type S3Failure = {
  operation?: S3Operation;
  mode: "refuse" | "lost-reply" | "error-in-200" | "cut";
  status?: number;
  code?: string;
  times?: number;
};

export type S3Request = { operation: S3Operation | "unknown"; key: string; status: number; code?: string };

export type S3Simulator = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `s3://bucket?endpoint=...&region=...` */
  url: string;
  /** What came, with what it got, in order of arrival at the end. */
  requests: S3Request[];
  failNext(failure: S3Failure): void;
  keys(): string[];
  openUploads(): number;
  stop(): Promise<void>;
};

/** A strict S3 of one bucket on 127.0.0.1: path style, Signature Version 4 checked, the payload's hash compared. */
export async function startS3(options: { now?: () => number; pageKeys?: number } = {}): Promise<S3Simulator> {
  const keys: S3Keys = { accessKeyId: "AKIDSIMULATOR", secretAccessKey: "secret/of+the=simulator", region: "eu-test-1" };
  const { now = Date.now, pageKeys = 1_000 } = options;
  const bucketName = "bottega-test";
  const bucket = await openBucket();
  const requests: S3Request[] = [];
  const failures: S3Failure[] = [];

  function takeFailure(operation: S3Request["operation"]): S3Failure | undefined {
    const index = failures.findIndex((failure) => !failure.operation || failure.operation === operation);
    const failure = failures[index];
    if (!failure) return undefined;
    failure.times = (failure.times ?? 1) - 1;
    if (failure.times <= 0) failures.splice(index, 1);
    return failure;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = readCall(request, bucketName);
    const entry: S3Request = { operation: call.operation, key: call.key, status: 0 };
    const body = await readBody(request);
    const refused = checkSignature(request, keys, now()) ?? checkBody(request, body) ?? checkCall(call);
    const failure = refused ? undefined : takeFailure(call.operation);
    let answer: S3Answer;
    if (refused) answer = errorAnswer(refused);
    else if (failure?.mode === "refuse")
      answer = errorAnswer({ status: failure.status ?? 500, code: failure.code ?? "InternalError", message: "injected" });
    else if (failure?.mode === "error-in-200") answer = { ...errorAnswer({ status: 200, code: "InternalError", message: "injected" }) };
    else answer = await answerCall(bucket, call, { request, body, pageKeys });
    requests.push({ ...entry, status: answer.status, code: answer.code });
    if (failure?.mode === "lost-reply") request.socket.destroy();
    else await send(response, answer, { isHead: request.method === "HEAD", isCut: failure?.mode === "cut" });
  }

  const server = createServer((request, response) => {
    // A client that goes away in the middle is no fault of the server; anything else must be seen.
    handle(request, response).catch((error: unknown) => {
      if (!request.socket.destroyed) response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    bucket: bucketName,
    ...keys,
    url: `s3://${bucketName}?endpoint=${encodeURIComponent(endpoint)}&region=${keys.region}`,
    requests,
    failNext: (failure) => failures.push({ ...failure }),
    keys: bucket.keys,
    openUploads: bucket.openUploads,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await bucket.remove();
    },
  };
}

type S3CallSeen = { operation: S3Request["operation"]; key: string; isOurBucket: boolean; query: URLSearchParams };

function readCall(request: IncomingMessage, bucketName: string): S3CallSeen {
  const url = new URL(request.url ?? "/", "http://s3.invalid");
  const [, name, ...rest] = url.pathname.split("/");
  const key = decodeURIComponent(rest.join("/"));
  const query = url.searchParams;
  return { operation: operationOf(request.method ?? "", key, query), key, isOurBucket: name === bucketName, query };
}

function operationOf(method: string, key: string, query: URLSearchParams): S3Request["operation"] {
  const isUpload = query.has("uploadId");
  if (key === "") return method === "GET" && query.get("list-type") === "2" ? "ListObjectsV2" : "unknown";
  if (method === "PUT") return isUpload && query.has("partNumber") ? "UploadPart" : query.size === 0 ? "PutObject" : "unknown";
  if (method === "POST") return query.has("uploads") ? "CreateMultipartUpload" : isUpload ? "CompleteMultipartUpload" : "unknown";
  if (method === "DELETE") return isUpload ? "AbortMultipartUpload" : "DeleteObject";
  if (query.size > 0) return "unknown";
  return method === "GET" ? "GetObject" : method === "HEAD" ? "HeadObject" : "unknown";
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function checkBody(request: IncomingMessage, body: Buffer): S3Refusal | undefined {
  if (request.method === "PUT" && request.headers["content-length"] === undefined) {
    return { status: 411, code: "MissingContentLength", message: "a PUT needs its length" };
  }
  const hash = createHash("sha256").update(body).digest("hex");
  if (hash === request.headers["x-amz-content-sha256"]) return undefined;
  return { status: 400, code: "XAmzContentSHA256Mismatch", message: "the body is not what was signed" };
}

function checkCall(call: S3CallSeen): S3Refusal | undefined {
  if (!call.isOurBucket) return { status: 404, code: "NoSuchBucket", message: "no such bucket" };
  if (call.operation === "unknown") return { status: 501, code: "NotImplemented", message: "not an operation of this server" };
  return Buffer.byteLength(call.key) > 1024
    ? { status: 400, code: "KeyTooLongError", message: "a key has at most 1,024 bytes" }
    : undefined;
}

type S3Answer = {
  status: number;
  code?: string;
  headers?: Record<string, string>;
  text?: string;
  file?: { path: string; start: number; end: number; bytes: number };
};

function errorAnswer(refusal: S3Refusal): S3Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${refusal.code}</Code><Message>${escapeXml(refusal.message)}</Message></Error>`;
  return { status: refusal.status, code: refusal.code, headers: { "content-type": "application/xml" }, text };
}

function codeAnswer(code: string): S3Answer {
  return errorAnswer({ status: code.startsWith("NoSuch") ? 404 : 400, code, message: code });
}

function xmlAnswer(root: string, inside: string): S3Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inside}</${root}>`;
  return { status: 200, headers: { "content-type": "application/xml" }, text };
}

const escapeXml = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

async function answerCall(
  bucket: Bucket,
  call: S3CallSeen,
  seen: { request: IncomingMessage; body: Buffer; pageKeys: number },
): Promise<S3Answer> {
  const { key, query } = call;
  const mime = seen.request.headers["content-type"] ?? "binary/octet-stream";
  const uploadId = query.get("uploadId") ?? "";
  switch (call.operation) {
    case "PutObject":
      return { status: 200, headers: { etag: await bucket.putObject(key, mime, seen.body) } };
    case "GetObject":
    case "HeadObject":
      return readObject(bucket, key, seen.request.headers.range);
    case "DeleteObject":
      await bucket.drop(key);
      return { status: 204 };
    case "ListObjectsV2":
      return listObjects(bucket, query, seen.pageKeys);
    case "CreateMultipartUpload":
      return xmlAnswer(
        "InitiateMultipartUploadResult",
        `<Key>${escapeXml(key)}</Key><UploadId>${bucket.createUpload(key, mime)}</UploadId>`,
      );
    case "UploadPart": {
      const put = await bucket.putPart(uploadId, key, Number(query.get("partNumber")), seen.body);
      return "code" in put ? codeAnswer(put.code) : { status: 200, headers: { etag: put.etag } };
    }
    case "CompleteMultipartUpload": {
      const done = await bucket.completeUpload(uploadId, key, readPartList(seen.body.toString("utf8")));
      return "code" in done ? codeAnswer(done.code) : xmlAnswer("CompleteMultipartUploadResult", `<ETag>${escapeXml(done.etag)}</ETag>`);
    }
    case "AbortMultipartUpload":
      return (await bucket.dropUpload(uploadId)) ? { status: 204 } : codeAnswer("NoSuchUpload");
    default:
      return codeAnswer("NotImplemented");
  }
}

function readPartList(xml: string): PartList {
  const parts = [...xml.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g)];
  return parts.map((part) => ({ partNumber: Number(part[1]), etag: part[2]!.replaceAll("&quot;", '"') }));
}

function readObject(bucket: Bucket, key: string, range: string | undefined): S3Answer {
  const object = bucket.find(key);
  if (!object) return errorAnswer({ status: 404, code: "NoSuchKey", message: "no such key" });
  const headers = { etag: object.etag, "content-type": object.mime, "accept-ranges": "bytes" };
  const whole = { path: object.path, start: 0, end: object.bytes - 1, bytes: object.bytes };
  if (range === undefined) return { status: 200, headers, file: whole };
  const match = /^bytes=(\d+)-(\d*)$/.exec(range);
  const start = Number(match?.[1]);
  const end = Math.min(match?.[2] ? Number(match[2]) : object.bytes - 1, object.bytes - 1);
  if (!match || start >= object.bytes || end < start) return errorAnswer({ status: 416, code: "InvalidRange", message: "no such range" });
  return {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end}/${object.bytes}` },
    file: { path: object.path, start, end, bytes: end - start + 1 },
  };
}

function listObjects(bucket: Bucket, query: URLSearchParams, pageKeys: number): S3Answer {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? "";
  const found = bucket.keys().filter((key) => key.startsWith(prefix) && key > after);
  const page = found.slice(0, Math.min(pageKeys, Number(query.get("max-keys") ?? 1_000)));
  const contents = page.map((key) => `<Contents><Key>${escapeXml(key)}</Key><Size>${bucket.find(key)!.bytes}</Size></Contents>`).join("");
  const isCut = page.length < found.length;
  const next = isCut ? `<NextContinuationToken>${escapeXml(page.at(-1)!)}</NextContinuationToken>` : "";
  return xmlAnswer("ListBucketResult", `<IsTruncated>${isCut}</IsTruncated>${next}<KeyCount>${page.length}</KeyCount>${contents}`);
}

async function send(response: ServerResponse, answer: S3Answer, how: { isHead: boolean; isCut: boolean }): Promise<void> {
  const bytes = answer.file?.bytes ?? Buffer.byteLength(answer.text ?? "");
  const length: Record<string, string> = answer.status === 204 ? {} : { "content-length": String(bytes) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  if (how.isHead || bytes === 0) return void response.end();
  if (!answer.file) return void response.end(answer.text);
  const { path, start, end } = answer.file;
  if (!how.isCut) return pipeline(createReadStream(path, { start, end }), response);
  await pipeline(createReadStream(path, { start, end: start + Math.floor(bytes / 2) }), response, { end: false });
  response.socket?.destroySoon();
}
