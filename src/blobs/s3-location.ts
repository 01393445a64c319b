import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";

export type S3Location = {
  /** Ends with a slash: the bucket's own address, to which a key is added. */
  bucketUrl: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
};

/**
 * Reads `s3://bucket/prefix?endpoint=https://...&region=...`. With an endpoint the bucket is in the path, which nearly every
 * compatible server understands; `style=virtual` puts it into the host's name. Without an endpoint it is AWS, where it always is.
 * Throws Problem("invalid_input") with the sentence that the start prints.
 */
export function parseS3Url(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): S3Location {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== "s3:" || !address.hostname) {
    throw refusal(sentences.storage.urlForm);
  }
  if (address.username || address.password) {
    throw refusal(sentences.storage.urlCredentials);
  }
  for (const name of address.searchParams.keys()) {
    if (!["endpoint", "region", "style"].includes(name))
      throw refusal(sentences.storage.urlSetting({ setting: name }));
  }
  const style = address.searchParams.get("style") ?? "path";
  if (style !== "path" && style !== "virtual") throw refusal(sentences.storage.urlStyle);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) {
    throw refusal(sentences.storage.credentialsMissing);
  }
  const region = address.searchParams.get("region") || "us-east-1";
  const prefix = decodeURIComponent(address.pathname).replace(/^\/+|\/+$/g, "");
  return {
    bucketUrl: bucketUrl(
      address.hostname,
      address.searchParams.get("endpoint"),
      region,
      style === "virtual",
    ),
    prefix: prefix && `${prefix}/`,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: env.AWS_SESSION_TOKEN || undefined,
  };
}

function bucketUrl(
  bucket: string,
  endpoint: string | null,
  region: string,
  isVirtual: boolean,
): string {
  if (!endpoint) return `https://${bucket}.s3.${region}.amazonaws.com/`;
  const base = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!base || !/^https?:$/.test(base.protocol)) throw refusal(sentences.storage.urlEndpoint);
  const path = base.pathname.replace(/\/+$/, "");
  return isVirtual
    ? `${base.protocol}//${bucket}.${base.host}${path}/`
    : `${base.origin}${path}/${bucket}/`;
}

function refusal(message: string): Problem {
  return new Problem("invalid_input", { field: "BLOB_URL", message });
}
