import type { IncomingMessage } from "node:http";
import type { AwsRefusal } from "../aws/aws-signature.ts";

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

export type S3Call = {
  operation: S3Operation | "unknown";
  key: string;
  isOurBucket: boolean;
  query: URLSearchParams;
};

/** The operation of a request with the bucket in its path. */
export function readCall(request: IncomingMessage, bucketName: string): S3Call {
  const url = new URL(request.url ?? "/", "http://s3.invalid");
  const [, name, ...rest] = url.pathname.split("/");
  const key = decodeURIComponent(rest.join("/"));
  const query = url.searchParams;
  return {
    operation: operationOf(request.method ?? "", key, query),
    key,
    isOurBucket: name === bucketName,
    query,
  };
}

function operationOf(method: string, key: string, query: URLSearchParams): S3Call["operation"] {
  const isUpload = query.has("uploadId");
  if (key === "")
    return method === "GET" && query.get("list-type") === "2" ? "ListObjectsV2" : "unknown";
  if (method === "PUT")
    return isUpload && query.has("partNumber")
      ? "UploadPart"
      : query.size === 0
        ? "PutObject"
        : "unknown";
  if (method === "POST")
    return query.has("uploads")
      ? "CreateMultipartUpload"
      : isUpload
        ? "CompleteMultipartUpload"
        : "unknown";
  if (method === "DELETE") return isUpload ? "AbortMultipartUpload" : "DeleteObject";
  if (query.size > 0) return "unknown";
  return method === "GET" ? "GetObject" : method === "HEAD" ? "HeadObject" : "unknown";
}

export function checkCall(call: S3Call): AwsRefusal | undefined {
  if (!call.isOurBucket) return { status: 404, code: "NoSuchBucket", message: "no such bucket" };
  if (call.operation === "unknown")
    return { status: 501, code: "NotImplemented", message: "not an operation of this server" };
  return Buffer.byteLength(call.key) > 1024
    ? { status: 400, code: "KeyTooLongError", message: "a key has at most 1,024 bytes" }
    : undefined;
}
