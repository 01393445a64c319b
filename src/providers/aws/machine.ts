import {
  fromIni,
  fromNodeProviderChain,
  fromTemporaryCredentials,
} from "@aws-sdk/credential-providers";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { unpaid } from "../outbound/outbound.ts";
import { redact } from "../wire/error-fields.ts";
import type { AwsKey, TemporaryKey } from "./keys.ts";

/**
 * Keys from outside the connection, through the AWS SDK's own providers. Loaded lazily. Their
 * requests to AWS (STS, SSO) go through the guarded fetch; the machine's metadata service and its
 * files are read directly, which only connections of the instance may do.
 */

/**
 * Reads a profile of the server's shared config files.
 * @throws ProviderError
 */
export const profileKey = (
  context: CallContext,
  region: string,
  profile: string,
): Promise<TemporaryKey> => {
  const clientConfig = clientConfigOf(context, region);
  return settle(
    `The profile “${profile}” of this server`,
    fromIni({ profile, clientConfig, ignoreCache: true }),
  );
};

/**
 * Returns the machine's own credentials: from its environment, or its container's or instance's
 * role.
 * @throws ProviderError
 */
export const machineKey = (context: CallContext, region: string): Promise<TemporaryKey> =>
  settle(
    "This machine’s own sign-in",
    fromNodeProviderChain({
      clientConfig: clientConfigOf(context, region),
      timeout: 2_000,
      maxRetries: 1,
    }),
  );

/**
 * Assumes a role with the given key.
 * @throws ProviderError
 */
export function roleKey(
  context: CallContext,
  region: string,
  own: AwsKey,
  roleArn: string,
): Promise<TemporaryKey> {
  const { externalId } = context.connection.options;
  const params = {
    RoleArn: roleArn,
    RoleSessionName: "bottega",
    ...(typeof externalId === "string" && externalId !== "" && { ExternalId: externalId }),
  };
  const clientConfig = {
    ...clientConfigOf(context, region),
    endpoint: context.connection.addresses.sts,
  };
  return settle(
    `The role ${roleArn}`,
    fromTemporaryCredentials({ masterCredentials: own, params, clientConfig }),
    own,
  );
}

type SdkRequest = {
  method: string;
  protocol: string;
  hostname: string;
  port?: number | undefined;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
};

/** Adapts the guarded fetch to the SDK's clients, without retries. */
function clientConfigOf(context: CallContext, region: string) {
  const handle = async ({
    method,
    protocol,
    hostname,
    port,
    path,
    query = {},
    headers,
    body,
  }: SdkRequest) => {
    const search = Object.entries(query).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? ""))}`,
    );
    const address = `${protocol}//${hostname}${port ? `:${port}` : ""}${path}${search.length > 0 ? `?${search.join("&")}` : ""}`;
    const response = await context.fetch(
      address,
      unpaid({
        method,
        headers,
        ...(body !== undefined && method !== "GET" && { body: body as BodyInit }),
        signal: context.signal,
      }),
    );
    const answer = new Uint8Array(await response.arrayBuffer());
    return {
      response: {
        statusCode: response.status,
        headers: Object.fromEntries(response.headers),
        body: answer,
      },
    };
  };
  const requestHandler = {
    handle,
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's handler is a class with settings that no one sets here.
  } as any;
  return { region, requestHandler, maxAttempts: 1 };
}

type SdkKey = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
};

async function settle(
  what: string,
  provider: () => Promise<SdkKey>,
  own?: AwsKey,
): Promise<TemporaryKey> {
  try {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provider();
    return {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken && { sessionToken }),
      ...(expiration && { expiresAt: expiration.getTime() }),
    };
  } catch (error) {
    if (
      error instanceof ProviderError ||
      (error instanceof DOMException && error.name === "AbortError")
    )
      throw error;
    const message = redact(
      error instanceof Error ? error.message : String(error),
      own ? JSON.stringify(own) : null,
    ).slice(0, 500);
    throw new ProviderError(
      "provider_auth",
      "no",
      { message: sentences.cloud.noCredentials({ source: what, words: message }) },
      { cause: error },
    );
  }
}
