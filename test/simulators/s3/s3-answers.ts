import type { IncomingMessage } from "node:http";
import type { AwsRefusal } from "../aws/aws-signature.ts";
import type { Bucket, PartList } from "./s3-bucket.ts";
import type { S3Call } from "./s3-calls.ts";

export type S3Answer = {
  status: number;
  code?: string;
  headers?: Record<string, string>;
  text?: string;
  file?: { path: string; start: number; end: number; bytes: number };
};

export function errorAnswer(refusal: AwsRefusal): S3Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${refusal.code}</Code><Message>${escapeXml(refusal.message)}</Message></Error>`;
  return {
    status: refusal.status,
    code: refusal.code,
    headers: { "content-type": "application/xml" },
    text,
  };
}

function codeAnswer(code: string): S3Answer {
  const status = code.startsWith("NoSuch")
    ? 404
    : code === "PreconditionFailed"
      ? 412
      : code === "NotImplemented"
        ? 501
        : 400;
  return errorAnswer({ status, code, message: code });
}

function xmlAnswer(root: string, inside: string): S3Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inside}</${root}>`;
  return { status: 200, headers: { "content-type": "application/xml" }, text };
}

const escapeXml = (text: string) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Performs a valid call. */
export async function answerCall(
  bucket: Bucket,
  call: S3Call,
  seen: { request: IncomingMessage; body: Buffer; pageKeys: number; ignoresConditions: boolean },
): Promise<S3Answer> {
  const { key, query } = call;
  const mime = seen.request.headers["content-type"] ?? "binary/octet-stream";
  const uploadId = query.get("uploadId") ?? "";
  switch (call.operation) {
    case "PutObject": {
      const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = seen.ignoresConditions
        ? {}
        : seen.request.headers;
      // For a PUT, only "*" is implemented.
      if (ifNoneMatch !== undefined && ifNoneMatch !== "*") return codeAnswer("NotImplemented");
      const put = await bucket.putObject(key, mime, seen.body, {
        ...(ifMatch !== undefined && { ifMatch }),
        ifNoneMatch: ifNoneMatch !== undefined,
      });
      return "code" in put ? codeAnswer(put.code) : { status: 200, headers: { etag: put.etag } };
    }
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
      const done = await bucket.completeUpload(
        uploadId,
        key,
        readPartList(seen.body.toString("utf8")),
      );
      return "code" in done
        ? codeAnswer(done.code)
        : xmlAnswer("CompleteMultipartUploadResult", `<ETag>${escapeXml(done.etag)}</ETag>`);
    }
    case "AbortMultipartUpload":
      return (await bucket.dropUpload(uploadId)) ? { status: 204 } : codeAnswer("NoSuchUpload");
    default:
      return codeAnswer("NotImplemented");
  }
}

function readPartList(xml: string): PartList {
  const parts = [
    ...xml.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g),
  ];
  return parts.map((part) => ({
    partNumber: Number(part[1]),
    etag: part[2]!.replaceAll("&quot;", '"'),
  }));
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
  if (!match || start >= object.bytes || end < start)
    return errorAnswer({ status: 416, code: "InvalidRange", message: "no such range" });
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
  const contents = page
    .map(
      (key) =>
        `<Contents><Key>${escapeXml(key)}</Key><Size>${bucket.find(key)!.bytes}</Size></Contents>`,
    )
    .join("");
  const isCut = page.length < found.length;
  const next = isCut
    ? `<NextContinuationToken>${escapeXml(page.at(-1)!)}</NextContinuationToken>`
    : "";
  return xmlAnswer(
    "ListBucketResult",
    `<IsTruncated>${isCut}</IsTruncated>${next}<KeyCount>${page.length}</KeyCount>${contents}`,
  );
}
