import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { type AwsKeys, type AwsRefusal, checkSignature } from "../aws/aws-signature.ts";
import { createInterruptions, type Interruption } from "../kit/interrupt.ts";
import { answerCall, errorAnswer, type S3Answer } from "./s3-answers.ts";
import { openBucket } from "./s3-bucket.ts";
import { checkCall, readCall, type S3Operation } from "./s3-calls.ts";

/**
 * refuse: answers the status and does nothing. lost-reply: does the work, then drops the connection
 * without an answer. error-in-200: answers 200 with an error as its body, like
 * CompleteMultipartUpload can, and does nothing. cut: sends the first half of the body, then drops
 * the connection.
 */
type S3Failure = {
  operation?: S3Operation;
  mode: "refuse" | "lost-reply" | "error-in-200" | "cut";
  status?: number;
  code?: string;
  times?: number;
};

type S3Request = {
  operation: S3Operation | "unknown";
  key: string;
  status: number;
  code?: string;
};

export type S3Simulator = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `s3://bucket?endpoint=...&region=...` */
  url: string;
  /** The requests with their answers, ordered by completion. */
  requests: S3Request[];
  failNext(failure: S3Failure): void;
  /** Removes all pending failures. */
  stopFailing(): void;
  /** Interrupts the next request. */
  interrupt(next: Interruption): void;
  /**
   * From now on a missing object is answered with 403, like for a key that may not list the bucket.
   */
  hideMissing(): void;
  keys(): string[];
  /** Writes an object like another service of the account. */
  put(key: string, mime: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object like another service of the account. */
  read(key: string): Promise<Buffer | undefined>;
  openUploads(): number;
  stop(): Promise<void>;
};

/**
 * A strict S3 with one bucket on 127.0.0.1: path style, Signature Version 4 checked, the payload's
 * hash compared, conditional writes. `ignoresConditions` is an older server that ignores If-Match.
 */
export async function startS3(
  options: { now?: () => number; pageKeys?: number; ignoresConditions?: boolean } = {},
): Promise<S3Simulator> {
  const keys: AwsKeys = {
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "secret/of+the=simulator",
    region: "eu-test-1",
  };
  const { now = Date.now, pageKeys = 1_000, ignoresConditions = false } = options;
  const bucketName = "bottega-test";
  const bucket = await openBucket();
  const requests: S3Request[] = [];
  const failures: S3Failure[] = [];
  const interruptions = createInterruptions();
  let isHidden = false;

  function takeFailure(operation: S3Request["operation"]): S3Failure | undefined {
    const index = failures.findIndex(
      (failure) => !failure.operation || failure.operation === operation,
    );
    const failure = failures[index];
    if (!failure) return undefined;
    failure.times = (failure.times ?? 1) - 1;
    if (failure.times <= 0) failures.splice(index, 1);
    return failure;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (interruptions.meet(response)) return;
    const call = readCall(request, bucketName);
    const entry: S3Request = { operation: call.operation, key: call.key, status: 0 };
    const body = await readBody(request);
    const refused =
      checkSignature(request, keys, now()) ?? checkBody(request, body) ?? checkCall(call);
    const failure = refused ? undefined : takeFailure(call.operation);
    let answer: S3Answer;
    if (refused) answer = errorAnswer(refused);
    else if (failure?.mode === "refuse")
      answer = errorAnswer({
        status: failure.status ?? 500,
        code: failure.code ?? "InternalError",
        message: "injected",
      });
    else if (failure?.mode === "error-in-200")
      answer = { ...errorAnswer({ status: 200, code: "InternalError", message: "injected" }) };
    else answer = await answerCall(bucket, call, { request, body, pageKeys, ignoresConditions });
    if (isHidden && answer.code === "NoSuchKey")
      answer = errorAnswer({ status: 403, code: "AccessDenied", message: "Access Denied" });
    requests.push({ ...entry, status: answer.status, code: answer.code });
    // S3 names the bucket's region to a client that used another one.
    if (answer.code === "AuthorizationHeaderMalformed")
      answer = { ...answer, headers: { ...answer.headers, "x-amz-bucket-region": keys.region } };
    if (failure?.mode === "lost-reply") request.socket.destroy();
    else
      await send(response, answer, {
        isHead: request.method === "HEAD",
        isCut: failure?.mode === "cut",
      });
  }

  const server = createServer((request, response) => {
    // A client that disconnects isn't a fault of the server; any other error must be visible.
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
    stopFailing: () => void failures.splice(0),
    interrupt: interruptions.interrupt,
    hideMissing: () => {
      isHidden = true;
    },
    keys: bucket.keys,
    async read(key) {
      const object = bucket.find(key);
      return object && readFile(object.path);
    },
    put: async (key, mime, bytes) => void (await bucket.putObject(key, mime, bytes)),
    openUploads: bucket.openUploads,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await bucket.remove();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function checkBody(request: IncomingMessage, body: Buffer): AwsRefusal | undefined {
  if (request.method === "PUT" && request.headers["content-length"] === undefined) {
    return { status: 411, code: "MissingContentLength", message: "a PUT needs its length" };
  }
  const hash = createHash("sha256").update(body).digest("hex");
  if (hash === request.headers["x-amz-content-sha256"]) return undefined;
  return {
    status: 400,
    code: "XAmzContentSHA256Mismatch",
    message: "the body is not what was signed",
  };
}

async function send(
  response: ServerResponse,
  answer: S3Answer,
  how: { isHead: boolean; isCut: boolean },
): Promise<void> {
  const bytes = answer.file?.bytes ?? Buffer.byteLength(answer.text ?? "");
  const length: Record<string, string> =
    answer.status === 204 ? {} : { "content-length": String(bytes) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  if (how.isHead || bytes === 0) return void response.end();
  if (!answer.file) return void response.end(answer.text);
  const { path, start, end } = answer.file;
  if (!how.isCut) return pipeline(createReadStream(path, { start, end }), response);
  await pipeline(createReadStream(path, { start, end: start + Math.floor(bytes / 2) }), response, {
    end: false,
  });
  response.socket?.destroySoon();
}
