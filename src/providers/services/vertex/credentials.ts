import { createSign } from "node:crypto";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, toHttpError } from "../../wire/http-errors.ts";
import { createKeptTokens, type Token } from "../../wire/kept-tokens.ts";

/** The needed parts of a service account's key file. */
export type ServiceAccount = {
  email: string;
  privateKey: string;
  keyId: string | undefined;
  project: string | undefined;
};

/** Access to Google Cloud, within the account's roles. */
const scope = "https://www.googleapis.com/auth/cloud-platform";
const assertionSeconds = 3_600;
/**
 * The token URLs in Google's own key files. A file that names another one would make us sign for
 * strangers.
 */
const tokenPlaces = new Set([
  "https://oauth2.googleapis.com/token",
  "https://accounts.google.com/o/oauth2/token",
  "https://www.googleapis.com/oauth2/v4/token",
]);
/**
 * The machine's own account, at the fixed address of Google's machines: never at one that a
 * connection names.
 */
const metadataToken =
  "http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token";
const metadataTimeoutMs = 3_000;

const kept = createKeptTokens();

/**
 * @throws ProviderError `provider_auth` when it isn't a service account's key file, before anything
 *   is sent
 */
export function readServiceAccount(text: string): ServiceAccount {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw refused(sentences.cloud.notKeyFile);
  }
  if (!isRecord(file) || file.type !== "service_account")
    throw refused(sentences.cloud.notServiceAccount);
  const {
    client_email: email,
    private_key: privateKey,
    private_key_id: keyId,
    project_id: project,
    token_uri: place,
  } = file;
  if (typeof email !== "string" || typeof privateKey !== "string")
    throw refused(sentences.cloud.keyFileIncomplete);
  if (place !== undefined && !tokenPlaces.has(String(place)))
    throw refused(sentences.cloud.foreignTokenAddress);
  return {
    email,
    privateKey,
    keyId: typeof keyId === "string" ? keyId : undefined,
    project: typeof project === "string" ? project : undefined,
  };
}

const ownerOf = ({ connection }: CallContext, account: ServiceAccount) => [
  connection.addresses.token,
  account.email,
  account.privateKey,
];

/**
 * Requests a service account's token, by an assertion signed with its own key (RFC 7523, 2.1).
 * @throws ProviderError
 */
export const accountToken = (context: CallContext, account: ServiceAccount): Promise<string> =>
  kept.get(ownerOf(context, account), context.clock.now(), () => askForToken(context, account));

export const forgetAccountToken = (context: CallContext, account: ServiceAccount): boolean =>
  kept.forget(ownerOf(context, account));

async function askForToken(context: CallContext, account: ServiceAccount): Promise<Token> {
  const address = context.connection.addresses.token ?? "";
  const assertion = signAssertion(account, address, Math.floor(context.clock.now() / 1_000));
  const body = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion,
  });
  const headers = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  const response = await context.fetch(
    address,
    unpaid({ method: "POST", headers, body: String(body), signal: context.signal }),
  );
  const asked = {
    method: "GET",
    secret: assertion,
    now: context.clock.now(),
    parse: context.parseJson,
  };
  // invalid_grant and similar are about the credentials: a deleted key, a disabled account.
  if (!response.ok)
    throw await toHttpError(response, asked, (_, status) =>
      status < 500 && status !== 429 ? "provider_auth" : undefined,
    );
  return readToken(await readJson(response, asked), context);
}

function signAssertion(
  { email, privateKey, keyId }: ServiceAccount,
  audience: string,
  now: number,
): string {
  const header = { alg: "RS256", typ: "JWT", ...(keyId && { kid: keyId }) };
  const claims = { iss: email, scope, aud: audience, iat: now, exp: now + assertionSeconds };
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  try {
    return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey).toString("base64url")}`;
  } catch {
    // OpenSSL's message may contain parts of the key.
    throw refused(sentences.cloud.privateKeyUnreadable);
  }
}

/**
 * Requests a token for the machine's own account, only for connections of the instance: on a
 * personal one, anybody could spend the machine's rights. The request bypasses the guarded fetch,
 * which never goes to that address.
 * @throws ProviderError `provider_auth`
 */
export function machineToken(context: CallContext): Promise<string> {
  if (context.connection.isOfInstance !== true) {
    throw refused(sentences.cloud.machineAccountForAdmins);
  }
  return kept.get("machine", context.clock.now(), async () => {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(metadataTimeoutMs)]);
    // biome-ignore lint/style/noRestrictedGlobals: a few bytes from the machine's own address, read at once
    const response = await fetch(metadataToken, {
      headers: { "metadata-flavor": "Google" },
      redirect: "error",
      signal,
    }).catch((cause: unknown) => {
      if (context.signal.aborted) throw context.signal.reason;
      throw refused(sentences.cloud.noMachineAccount, cause);
    });
    if (!response.ok || response.headers.get("metadata-flavor") !== "Google")
      throw refused(sentences.cloud.machineNoToken);
    return readToken(
      await readJson(response, {
        method: "GET",
        secret: null,
        now: context.clock.now(),
        parse: context.parseJson,
      }),
      context,
    );
  });
}

function readToken(answer: unknown, context: CallContext): Token {
  if (!isRecord(answer) || typeof answer.access_token !== "string") {
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.cloud.googleNoToken,
    });
  }
  const livesMs = typeof answer.expires_in === "number" ? answer.expires_in * 1_000 : 0;
  return { value: answer.access_token, until: context.clock.now() + livesMs };
}

export const refused = (message: string, cause?: unknown): ProviderError =>
  new ProviderError("provider_auth", "no", { message }, { cause });
