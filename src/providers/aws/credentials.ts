import { createHash } from "node:crypto";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { secretsOf } from "../wire/connection.ts";
import { type SignIn, signIns } from "./fields.ts";
import type { AwsCredentials, AwsKey, TemporaryKey } from "./keys.ts";

/** Temporary keys are refreshed before they expire; at most this many connections' are cached. */
const refreshBeforeMs = 5 * 60_000;
const rememberedMost = 100;
const remembered = new Map<string, TemporaryKey>();

/** @throws ProviderError `provider_invalid_input` when it is no region's name, which must not become another host */
export function regionOf({ connection }: CallContext): string {
  const region = String(connection.options.region ?? "").trim();
  if (/^[a-z]{2,5}(-[a-z]+)+-\d+$/.test(region)) return region;
  throw new ProviderError("provider_invalid_input", "no", {
    field: "region",
    message: sentences.cloud.badRegion,
  });
}

/**
 * The key of a connection, by the way that it signs in. What the machine itself may do is for connections of the instance: on
 * a personal one, anybody could spend it.
 * @throws ProviderError `provider_auth` when there is none, nothing is sent then; or what STS said to an assumed role
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
  // Loaded with the first connection that needs it: the ways in which a machine may be signed in are many.
  const { machineKey, profileKey, roleKey } = await import("./machine.ts");
  const own = await (signIn === "access key"
    ? storedKey(connection.secret)
    : signIn === "profile"
      ? profileKey(context, regionOf(context), String(connection.options.profile ?? ""))
      : machineKey(context, regionOf(context)));
  const key = roleArn === undefined ? own : await roleKey(context, regionOf(context), own, roleArn);
  remembered.delete(name);
  remembered.set(name, key);
  if (remembered.size > rememberedMost) remembered.delete(remembered.keys().next().value!);
  return withoutEnd(key);
}

function signInOf({ connection }: CallContext): SignIn {
  const chosen = connection.options.signIn;
  return signIns.find((way) => way === chosen) ?? "access key";
}

/** The stored JSON of secrets, by their field's name. */
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
