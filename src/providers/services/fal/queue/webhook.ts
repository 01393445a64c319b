import { createHash, createPublicKey, verify } from "node:crypto";
import { appOf } from "#domain/models/fal-apps.ts";
import type { CallContext, JobHandle, WebhookCall, WebhookContext } from "../../../adapter.ts";
import { falUrl } from "../call.ts";
import { webhookKeys } from "../kind.ts";

/** A call older than this, or this far in the future, may be a replay. */
const windowMs = 5 * 60_000;

/**
 * Verifies Ed25519 over request id, user id, timestamp (seconds) and the SHA-256 of the body in
 * hex, joined by newlines. fal names no key in the call, so each published one is tried. If none
 * fits, they are fetched again, because fal may have rotated them.
 */
export async function verifyWebhook(
  call: WebhookCall,
  context: WebhookContext,
): Promise<{ requestId: string } | null> {
  const header = (name: string) => call.headers.get(`x-fal-webhook-${name}`) ?? "";
  const [requestId, userId, timestamp, signature] = [
    header("request-id"),
    header("user-id"),
    header("timestamp"),
    header("signature"),
  ];
  if (!isId(requestId) || !/^\d{1,12}$/.test(timestamp) || !/^[0-9a-f]{128}$/i.test(signature))
    return null;
  if (Math.abs(context.clock.now() - Number(timestamp) * 1_000) > windowMs) return null;
  const bodyHash = createHash("sha256").update(call.body).digest("hex");
  const message = Buffer.from([requestId, userId, timestamp, bodyHash].join("\n"));
  const isSigned = (keys: readonly JsonWebKey[]) =>
    keys.some((key) => fits(key, message, Buffer.from(signature, "hex")));
  const url = context.connection.addresses.webhookKeys ?? webhookKeys;
  return isSigned(await context.keys(url)) || isSigned(await context.keys(url, "fresh"))
    ? { requestId }
    : null;
}

function fits(key: JsonWebKey, message: Buffer, signature: Buffer): boolean {
  if (key.kty !== "OKP" || key.crv !== "Ed25519") return false;
  try {
    return verify(null, message, createPublicKey({ key: { ...key }, format: "jwk" }), signature);
  } catch {
    return false;
  }
}

/** fal's ids are UUIDs; no character may change the structure of a URL. */
const isId = (id: string) => /^[\w-]{8,100}$/.test(id);

/**
 * Builds the URLs of a job whose submit response was lost, as fal's own client does: owner and
 * alias, without the rest. If a submit was answered, its own URLs are used.
 */
export function handleOf(id: string, model: string, context: CallContext): JobHandle | undefined {
  const app = appOf(model);
  if (!isId(id) || !app.includes("/")) return undefined;
  const result = falUrl(context, "queue", `${app}/requests/${id}`).href;
  return { id, urls: { status: `${result}/status`, result, cancel: `${result}/cancel` } };
}
