import { createHash } from "node:crypto";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { secretsOf } from "../wire/connection.ts";
import { type SignIn, signIns } from "./fields.ts";
import type { AwsCredentials, AwsKey, TemporaryKey } from "./keys.ts";

/**
 * Temporary keys are refreshed this long before they expire; keys of at most this many connections
 * are cached.
 */
const refreshBeforeMs = 5 * 60_000;
const maxRemembered = 100;
const remembered = new Map<string, TemporaryKey>();

/**
 * @throws ProviderError `provider_invalid_input` when it isn't a region's name, so that it can't
 *   become another host
 */
export function regionOf({ connection }: CallContext): string {
  const region = String(connection.options.region ?? "").trim();
  if (/^[a-z]{2,5}(-[a-z]+)+-\d+$/.test(region)) return region;
  throw new ProviderError("provider_invalid_input", "no", {
    field: "region",
    message: sentences.cloud.badRegion,
  });
}

/**
 * Returns a connection's key, by its way of signing in. The machine's own credentials are only for
 * connections of the instance: on a personal one, anybody could spend them.
 * @throws ProviderError `provider_auth` without a key, before anything is sent; or STS's error for
 *   an assumed role
 */
export async function credentialsOf(context: CallContext): Promise<AwsCredentials> {
  const { connection } = context;
  const signIn = signInOf(context);
  if (signIn === "API key")
    return { apiKey: stored(connection.secret, "apiKey", sentences.connections.noApiKey) };
  if ((signIn === "profile" || signIn === "machine role") && connection.isOfInstance !== true) {
    throw refused(sentences.cloud.machineRoleForAdmins);
  }
  const roleArn =
    typeof connection.options.roleArn === "string" ? connection.options.roleArn : undefined;
  if (signIn === "access key" && roleArn === undefined) return storedKey(connection.secret);
  const name = createHash("sha256").update(JSON.stringify(connection)).digest("hex");
  const known = remembered.get(name);
  if (known && (known.expiresAt === undefined || known.expiresAt - refreshBeforeMs > Date.now()))
    return withoutEnd(known);
  // Loaded with the first connection that needs it: a machine can be signed in in many ways.
  const { machineKey, profileKey, roleKey } = await import("./machine.ts");
  const own = await (signIn === "access key"
    ? storedKey(connection.secret)
    : signIn === "profile"
      ? profileKey(context, regionOf(context), String(connection.options.profile ?? ""))
      : machineKey(context, regionOf(context)));
  const key = roleArn === undefined ? own : await roleKey(context, regionOf(context), own, roleArn);
  remembered.delete(name);
  remembered.set(name, key);
  if (remembered.size > maxRemembered) remembered.delete(remembered.keys().next().value!);
  return withoutEnd(key);
}

function signInOf({ connection }: CallContext): SignIn {
  const chosen = connection.options.signIn;
  return signIns.find((way) => way === chosen) ?? "access key";
}

/** Returns a field of the stored JSON of secrets. */
function stored(secret: string | null, name: string, missing: string): string {
  const value = secretsOf(secret)[name];
  if (typeof value === "string" && value !== "") return value;
  throw refused(missing);
}

function storedKey(secret: string | null): AwsKey {
  const { sessionToken } = secretsOf(secret);
  return {
    accessKeyId: stored(secret, "accessKeyId", sentences.connections.noAccessKey),
    secretAccessKey: stored(secret, "secretAccessKey", sentences.connections.noSecretAccessKey),
    ...(typeof sessionToken === "string" && sessionToken !== "" && { sessionToken }),
  };
}

const withoutEnd = ({ expiresAt: _, ...key }: TemporaryKey): AwsKey => key;
const refused = (message: string) => new ProviderError("provider_auth", "no", { message });
