import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { credentialsOf, regionOf } from "./credentials.ts";
import type { AwsCredentials } from "./keys.ts";

/** A connection signed in to AWS. */
export type SignedIn = {
  region: string;
  credentials: AwsCredentials;
  /**
   * The context of the call with the key as its secret, so that no message repeats it, and a fetch
   * that signs each request (Signature Version 4, or the plain API key). AWS sends an error's name
   * in a header; it is copied into the body as `type`, where errors are read.
   */
  context: CallContext;
};

/**
 * @param service the name in signatures: bedrock, sagemaker, s3
 * @throws ProviderError when there is no key
 */
export async function signIn<Context extends CallContext>(
  context: Context,
  service: string,
): Promise<SignedIn & { context: Context }> {
  const region = regionOf(context);
  const credentials = await credentialsOf(context);
  const connection = { ...context.connection, secret: JSON.stringify(credentials) };
  return {
    region,
    credentials,
    context: { ...context, connection, fetch: signedFetch(context, service, region, credentials) },
  };
}

/** Uses the same key for another AWS service or region. */
export const signedFetch =
  (
    context: Pick<CallContext, "fetch">,
    service: string,
    region: string,
    credentials: AwsCredentials,
  ): typeof globalThis.fetch =>
  async (input, init = {}) => {
    const url = String(input);
    const headers = new Headers(init.headers);
    if (service === "s3") {
      const body =
        typeof init.body === "string" || init.body instanceof Uint8Array ? init.body : "";
      headers.set("x-amz-content-sha256", createHash("sha256").update(body).digest("hex"));
    }
    if ("apiKey" in credentials) {
      // Only Bedrock knows API keys, and no other host receives one.
      if (service !== "bedrock")
        throw new ProviderError("provider_auth", "no", {
          message: sentences.cloud.accessKeyNeeded,
        });
      headers.set("authorization", `Bearer ${credentials.apiKey}`);
    } else await sign(url, init, headers, { ...credentials, service, region });
    return withErrorType(await context.fetch(url, withHeaders(init, headers)));
  };

/** Keeps our symbols on `init`, such as the unpaid mark. */
const withHeaders = (init: RequestInit, headers: Headers): RequestInit =>
  Object.assign({ ...init }, { headers });

async function sign(
  url: string,
  init: RequestInit,
  headers: Headers,
  key: {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string;
    service: string;
    region: string;
  },
): Promise<void> {
  const signer = new AwsV4Signer({
    ...key,
    url,
    method: init.method ?? "GET",
    headers: [...headers],
    ...(init.body !== undefined && init.body !== null && { body: init.body }),
  });
  const signed = await signer.sign();
  for (const [name, value] of signed.headers) headers.set(name, value);
}

/**
 * Copies "ThrottlingException:http://…" from x-amzn-errortype, or `__type` from the body, to `type`
 * next to the message. Bodies other than JSON stay unchanged.
 */
async function withErrorType(response: Response): Promise<Response> {
  if (response.ok || !/json/i.test(response.headers.get("content-type") ?? "")) return response;
  const text = (await response.text()).slice(0, 64 * 1024);
  const changed = new Response(addType(text, response.headers.get("x-amzn-errortype")), {
    status: response.status,
    headers: response.headers,
  });
  Object.defineProperty(changed, "url", { value: response.url });
  return changed;
}

function addType(text: string, header: string | null): string {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const type = (header ?? String(body.__type ?? "")).split(":", 1)[0]!.replace(/^.*#/, "");
    // SageMaker passes on the container's message and status.
    const code = body.code ?? body.OriginalStatusCode;
    return JSON.stringify({
      ...body,
      message: body.message ?? body.Message,
      ...(type && { type }),
      ...(code !== undefined && { code }),
    });
  } catch {
    return text;
  }
}
