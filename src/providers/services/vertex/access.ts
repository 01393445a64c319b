import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { secretsOf } from "../../wire/connection.ts";
import {
  accountToken,
  forgetAccountToken,
  machineToken,
  readServiceAccount,
  refused,
  type ServiceAccount,
} from "./credentials.ts";
import { defaultApi, signIns } from "./fields.ts";

/**
 * A connection after sign-in: complete addresses, a fetch that signs, and the token as its secret.
 */
export type SignedConnection<C extends CallContext> = {
  /** For Google's own models: `api` is the URL before /models. */
  google: C;
  /**
   * For partners' models: `openai` is the OpenAI-compatible endpoint. Undefined with an API key,
   * which opens only Google's models.
   */
  partners?: { anthropic: C; openai: C };
  /** The URL of Google's list of models. */
  listAddress: string;
};

type SignIn = { header: string; value: string; secret: string; account?: ServiceAccount };

/**
 * Signs in.
 * @throws ProviderError; a token is free
 */
export async function signIn<C extends CallContext>(context: C): Promise<SignedConnection<C>> {
  const origin = originOf(context);
  const { header, value, secret, account } = await proofOf(context);
  const signedFetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const isOwn = url.origin === origin || url.origin === storageOrigin(context);
    const headers = new Headers(init?.headers);
    // The client's value is a placeholder, not a key.
    for (const name of ["x-goog-api-key", "x-api-key", "authorization"]) headers.delete(name);
    if (isOwn) headers.set(header, value);
    // The spread keeps the unpaid mark.
    const response = await context.fetch(url, { ...init, headers });
    if (response.status === 401 && account) forgetAccountToken(context, account);
    return response;
  };
  const at = (api: string): C => ({
    ...context,
    fetch: signedFetch,
    connection: {
      ...context.connection,
      secret,
      addresses: { ...context.connection.addresses, api },
    },
  });
  const listAddress = `${origin}/v1beta1/publishers`;
  if (header === "x-goog-api-key")
    return { google: at(`${origin}/v1/publishers/google`), listAddress };
  const place = `projects/${projectOf(context, account)}/locations/${locationOf(context)}`;
  return {
    google: at(`${origin}/v1beta1/${place}/publishers/google`),
    partners: {
      anthropic: at(`${origin}/v1/${place}/publishers/anthropic`),
      openai: at(`${origin}/v1/${place}/endpoints/openapi`),
    },
    listAddress,
  };
}

async function proofOf(context: CallContext): Promise<SignIn> {
  const secrets = secretsOf(context.connection.secret);
  const way = context.connection.options.signIn ?? signIns[0];
  if (way === "API key") {
    const { apiKey } = secrets;
    if (typeof apiKey !== "string" || !apiKey) throw refused(sentences.connections.noApiKey);
    return { header: "x-goog-api-key", value: apiKey, secret: apiKey };
  }
  const account = way === "machine" ? undefined : accountOf(secrets);
  const token = account ? await accountToken(context, account) : await machineToken(context);
  return {
    header: "authorization",
    value: `Bearer ${token}`,
    secret: token,
    ...(account && { account }),
  };
}

function accountOf({ serviceAccount }: Record<string, unknown>): ServiceAccount {
  if (typeof serviceAccount === "string" && serviceAccount)
    return readServiceAccount(serviceAccount);
  throw refused(sentences.connections.noServiceAccountKey);
}

/**
 * Returns a location's host: its own, that of a group of regions, or the global one
 * (https://cloud.google.com/vertex-ai/docs/general/locations).
 */
function originOf(context: CallContext): string {
  const given = context.connection.addresses.api || defaultApi;
  if (given.replace(/\/+$/, "") !== defaultApi) return new URL(given).origin;
  const location = locationOf(context);
  if (location === "global" || context.connection.options.signIn === "API key") return defaultApi;
  if (location === "us" || location === "eu")
    return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/**
 * @throws ProviderError `provider_invalid_input` when it isn't a location's name, so that it can't
 *   become another host
 */
export function locationOf({ connection }: Pick<CallContext, "connection">): string {
  const location = String(connection.options.location || "global").trim();
  if (/^[a-z]+(-[a-z0-9]+)*$/.test(location)) return location;
  throw invalid("location", sentences.cloud.badLocation);
}

function projectOf({ connection }: CallContext, account: ServiceAccount | undefined): string {
  const project = String(connection.options.project || account?.project || "").trim();
  if (/^[a-z0-9][a-z0-9.:-]{0,62}$/.test(project)) return project;
  throw invalid("project", project ? sentences.cloud.badProject : sentences.cloud.noProject);
}

const invalid = (field: string, message: string) =>
  new ProviderError("provider_invalid_input", "no", { field, message });

const storageOrigin = ({ connection }: CallContext): string =>
  new URL(connection.addresses.storage || "https://storage.googleapis.com").origin;

/** Converts gs://bucket/a/b.mp4 to a URL that the token opens. */
export function storageAddress(uri: string, context: CallContext): string | undefined {
  const [, bucket, object] = /^gs:\/\/([a-z0-9][\w.-]+)\/(.+)$/.exec(uri) ?? [];
  return bucket && object
    ? `${storageOrigin(context)}/storage/v1/b/${bucket}/o/${encodeURIComponent(object)}?alt=media`
    : undefined;
}
