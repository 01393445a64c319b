import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { checkSignature } from "../../test/simulators/aws/aws-signature.ts";
import { type S3Simulator, startS3 } from "../../test/simulators/s3/s3.ts";
import type { S3Operation } from "../../test/simulators/s3/s3-calls.ts";
import { openS3Store } from "./s3.ts";
import { parseS3Url } from "./s3-location.ts";

// Uses real files, threads and programs on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

const mebibyte = 1024 ** 2;
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let folder: string;
let s3: S3Simulator;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bottega-s3-test-"));
  s3 = await startS3();
});
afterEach(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}

function openStore(
  options: {
    url?: string;
    accessKeyId?: string;
    secretAccessKey?: string;
    fetch?: typeof globalThis.fetch;
  } = {},
) {
  const env = {
    AWS_ACCESS_KEY_ID: options.accessKeyId ?? s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: options.secretAccessKey ?? s3.secretAccessKey,
  };
  const location = parseS3Url(options.url ?? s3.url, env);
  return openS3Store({
    location,
    spoolFolder: folder,
    fetch: options.fetch,
    retryDelaysMs: [1, 1, 1],
  });
}

const countOf = (operation: S3Operation) =>
  s3.requests.filter((request) => request.operation === operation).length;

it("a wrong secret and an unknown key are refused and distinguished", async () => {
  const wrongSecret = openStore({ secretAccessKey: "another" });
  await expect(wrongSecret.put(once(Buffer.from("a")))).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("key"),
  });
  // A HEAD's answer has no body, so the reason is visible only on other calls.
  await expect(wrongSecret.get("0".repeat(64))).rejects.toMatchObject({
    detail: { storageCode: "SignatureDoesNotMatch" },
  });
  const wrongKey = openStore({ accessKeyId: "AKIDOTHER" });
  await expect(wrongKey.get("0".repeat(64))).rejects.toMatchObject({
    detail: { storageCode: "InvalidAccessKeyId" },
  });
  expect(s3.keys()).toEqual([]);
});

it("a missing bucket, or one that must be in the host name, is reported with the setting to change", async () => {
  const sentence = (url: string) =>
    openStore({ url })
      .put(once(Buffer.from("a")))
      .then(String, (error: Error) => error.message);
  s3.failNext({
    operation: "PutObject",
    mode: "refuse",
    status: 403,
    code: "SecondLevelDomainForbidden",
  });
  expect(await sentence(s3.url)).toContain("Add &style=virtual to BLOB_URL");
  // A HEAD's answer has no text, so the first call with a body reports it.
  expect(await sentence(s3.url.replace("bottega-test", "another"))).toBe(
    "The file storage has no such bucket (NoSuchBucket). Check BLOB_URL.",
  );
});

it("a server whose clock differs by more than 15 minutes refuses requests", async () => {
  const ahead = await startS3({ now: () => Date.now() + 16 * 60_000 });
  try {
    await expect(openStore({ url: ahead.url }).get("0".repeat(64))).rejects.toMatchObject({
      detail: { storageCode: "RequestTimeTooSkewed" },
    });
  } finally {
    await ahead.stop();
  }
});

it("accepts a key prefix of any characters", async () => {
  const url = s3.url.replace("bottega-test?", "bottega-test/Studio%20Due+é/a?");
  const store = openStore({ url });
  const { sha256 } = await store.put(once(Buffer.from("under a prefix")));
  await store.putVariant(sha256, "thumb-320.webp", Buffer.from("thumb"));
  expect(s3.keys()).toEqual([
    `Studio Due+é/a/blobs/${sha256}`,
    `Studio Due+é/a/variants/${sha256}/thumb-320.webp`,
  ]);
  const listed = [];
  for await (const blob of store.list()) listed.push(blob);
  expect(listed).toEqual([{ sha256, bytes: 14 }]);
  await store.delete(sha256);
  expect(s3.keys()).toEqual([]);
});

it("retries a PUT that got 500 or whose answer was lost, and stores it", async () => {
  s3.failNext({ operation: "PutObject", mode: "refuse", status: 500 });
  s3.failNext({ operation: "PutObject", mode: "lost-reply" });
  const store = openStore();
  const { sha256 } = await store.put(once(Buffer.from("small")));
  expect(await store.stat(sha256)).toEqual({ bytes: 5 });
  expect(countOf("PutObject")).toBe(3);
});

it("gives up as unavailable after four tries, and reports storage_full at once", async () => {
  s3.failNext({ operation: "PutObject", mode: "refuse", status: 503, code: "SlowDown", times: 9 });
  await expect(openStore().put(once(Buffer.from("x")))).rejects.toMatchObject({
    code: "unavailable",
    detail: { storageCode: "SlowDown" },
  });
  expect(countOf("PutObject")).toBe(4);
  const full = await startS3();
  try {
    full.failNext({
      operation: "PutObject",
      mode: "refuse",
      status: 507,
      code: "XMinioStorageFull",
    });
    await expect(openStore({ url: full.url }).put(once(Buffer.from("x")))).rejects.toMatchObject({
      code: "storage_full",
    });
    expect(full.requests.filter((request) => request.operation === "PutObject").length).toBe(1);
  } finally {
    await full.stop();
  }
});

it("a provider's unusual content type doesn't break the upload", async () => {
  const { sha256 } = await openStore().put(once(Buffer.from("typed")), {
    mime: "image/png\r\nx-amz-acl: public-read",
  });
  expect(await openStore().stat(sha256)).toEqual({ bytes: 5 });
});

it("retries a failed part and stores the upload whole", async () => {
  s3.failNext({ operation: "UploadPart", mode: "refuse", status: 500 });
  s3.failNext({ operation: "UploadPart", mode: "lost-reply" });
  const bytes = randomBytes(17 * mebibyte);
  const { sha256 } = await openStore().put(once(bytes));
  const read: Uint8Array[] = [];
  for await (const chunk of await openStore().get(sha256)) read.push(chunk);
  expect(sha256Of(Buffer.concat(read))).toBe(sha256Of(bytes));
  expect(countOf("UploadPart")).toBe(5);
});

it("finds an upload stored although its last answer was lost", async () => {
  s3.failNext({ operation: "CompleteMultipartUpload", mode: "lost-reply" });
  const bytes = randomBytes(9 * mebibyte);
  const { sha256 } = await openStore().put(once(bytes));
  expect(await openStore().stat(sha256)).toEqual({ bytes: bytes.byteLength });
  expect(s3.openUploads()).toBe(0);
});

it("treats a 200 whose body is an error as a failure, stores nothing and leaves no upload", async () => {
  s3.failNext({ operation: "CompleteMultipartUpload", mode: "error-in-200", times: 9 });
  await expect(openStore().put(once(randomBytes(9 * mebibyte)))).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(s3.keys()).toEqual([]);
  expect(s3.openUploads()).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

it("starts an upload only once even if the answer to its start was lost", async () => {
  s3.failNext({ operation: "CreateMultipartUpload", mode: "lost-reply" });
  await expect(openStore().put(once(randomBytes(9 * mebibyte)))).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(countOf("CreateMultipartUpload")).toBe(1);
});

it("an abort in mid-upload ends it and removes its parts", async () => {
  const controller = new AbortController();
  const store = openStore({
    fetch: (input, init) => {
      if (String(input).includes("partNumber=2")) controller.abort(new Error("the person left"));
      return fetch(input, init);
    },
  });
  await expect(
    store.put(once(randomBytes(17 * mebibyte)), { signal: controller.signal }),
  ).rejects.toThrow("the person left");
  expect(s3.keys()).toEqual([]);
  expect(s3.openUploads()).toBe(0);
  expect(await readdir(folder)).toEqual([]);
});

it("reports unavailable when a file stops in the middle, and when nothing answers", async () => {
  const store = openStore();
  const { sha256 } = await store.put(once(randomBytes(500_000)));
  s3.failNext({ operation: "GetObject", mode: "cut" });
  const reading = async () => {
    for await (const _ of await store.get(sha256));
  };
  await expect(reading()).rejects.toMatchObject({ code: "unavailable" });
  const silent = await startS3();
  const gone = openStore({ url: silent.url });
  await silent.stop();
  await expect(gone.stat(sha256)).rejects.toMatchObject({ code: "unavailable" });
});

it("the storage refuses bytes that were damaged on the way", async () => {
  const store = openStore({
    fetch: (input, init) =>
      fetch(input, init?.method === "PUT" ? { ...init, body: Buffer.from("damage") } : init),
  });
  const failed = store.put(once(Buffer.from("intact")));
  await expect(failed).rejects.toMatchObject({
    detail: { storageCode: "XAmzContentSHA256Mismatch" },
  });
  expect(s3.keys()).toEqual([]);
});

it.each([
  ["no address", "bucket/prefix"],
  ["another scheme", "https://bucket"],
  ["no bucket", "s3:///prefix"],
  ["credentials in it", "s3://key:secret@bucket"],
  ["an unknown setting", "s3://bucket?acl=public"],
  ["an endpoint that is no web address", "s3://bucket?endpoint=ftp://host"],
])("refuses a BLOB_URL with %s, in a sentence", (_, url) => {
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  expect(() => parseS3Url(url, env)).toThrow(/BLOB_URL/);
});

it("refuses a BLOB_URL without credentials, and accepts AWS and other endpoints", () => {
  expect(() => parseS3Url("s3://bucket", {})).toThrow(/AWS_ACCESS_KEY_ID/);
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  expect(parseS3Url("s3://bucket/some/where/?region=eu-south-1", env)).toMatchObject({
    bucketUrl: "https://bucket.s3.eu-south-1.amazonaws.com/",
    prefix: "some/where/",
  });
  expect(parseS3Url("s3://bucket?endpoint=http://127.0.0.1:9000/s3/", env)).toMatchObject({
    bucketUrl: "http://127.0.0.1:9000/s3/bucket/",
    prefix: "",
  });
  expect(
    parseS3Url("s3://bucket/some?endpoint=https://oss.example.org:8443&style=virtual", env),
  ).toMatchObject({
    bucketUrl: "https://bucket.oss.example.org:8443/",
    prefix: "some/",
  });
  expect(() => parseS3Url("s3://bucket?endpoint=https://oss.example.org&style=other", env)).toThrow(
    /path or virtual/,
  );
});

it("the simulator accepts Amazon's published example and refuses it with one character changed", () => {
  // "Example: GET Object" of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  const keys = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
  };
  const signedAt = Date.UTC(2013, 4, 24);
  const headers = {
    host: "examplebucket.s3.amazonaws.com",
    range: "bytes=0-9",
    "x-amz-content-sha256": sha256Of(Buffer.alloc(0)),
    "x-amz-date": "20130524T000000Z",
    authorization:
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  };
  const check = (changed: Record<string, string | undefined>, url = "/test.txt") =>
    checkSignature({ method: "GET", url, headers: { ...headers, ...changed } }, keys, signedAt)
      ?.code;
  expect(check({})).toBeUndefined();
  expect(check({}, "/tesd.txt")).toBe("SignatureDoesNotMatch");
  expect(check({ range: "bytes=0-8" })).toBe("SignatureDoesNotMatch");
  expect(check({ "x-amz-acl": "public-read" })).toBe("AccessDenied");
  expect(check({ authorization: undefined })).toBe("AccessDenied");
  expect(check({ "x-amz-content-sha256": undefined })).toBe("MissingSecurityHeader");
});
