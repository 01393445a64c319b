import { Webhook } from "standardwebhooks";
import { cleanText } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Delivery } from "#store/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoint } from "#store/webhooks/webhooks.ts";
import type { EngineDeps, Parcel } from "../deps.ts";
import { secretPlaceOf } from "./endpoints.ts";
import type { Answered } from "./lanes.ts";

export const timeoutMs = 15_000;

type Deps = Pick<EngineDeps, "clock" | "secrets" | "outbound">;

/**
 * Sends one delivery according to Standard Webhooks (version 1.0.0,
 * github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md): `webhook-id` is the
 * same for each attempt, `webhook-timestamp` is the attempt's own, and `webhook-signature` has a
 * `v1` signature for each valid secret. Any 2xx counts as delivered; redirects are not followed.
 */
export function post(
  deps: Deps,
  endpoint: WebhookEndpoint,
  { id, payload }: Delivery,
  signal: AbortSignal,
): Promise<Answered> {
  const now = deps.clock.now();
  const parcel: Parcel = {
    url: endpoint.url,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now / 1000)),
      "webhook-signature": secretsOf(deps, endpoint, now)
        .map((secret) => new Webhook(secret).sign(id, new Date(now), payload))
        .join(" "),
    },
    body: payload,
    // Only an admin may set an address on a private network; resuming a manager's webhook doesn't
    // set it.
    privateOrigins: endpoint.mayBePrivate ? [new URL(endpoint.url).origin] : [],
  };
  return postParcel(deps, parcel, signal);
}

/** Sends a request. Any 2xx in time counts as delivered; redirects are not followed. */
export async function postParcel(
  deps: Pick<Deps, "outbound">,
  { url, headers, body, privateOrigins }: Parcel,
  signal: AbortSignal,
): Promise<Answered> {
  const send = deps.outbound.open({
    privateOrigins: [...privateOrigins],
    connectTimeoutMs: timeoutMs,
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
  });
  try {
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return {
      failure: failureOf(response.status),
      httpStatus: response.status,
      answer: await readBeginning(response),
    };
  } catch (error) {
    return {
      failure: error instanceof Error ? error.message : String(error),
      httpStatus: null,
      answer: null,
    };
  }
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? sentences.webhooks.redirected({ status })
    : sentences.webhooks.answered({ status });
}

function secretsOf(
  deps: Deps,
  { id, secret, oldSecret, oldSecretUntil }: WebhookEndpoint,
  now: number,
): string[] {
  const sealed =
    oldSecret !== null && oldSecretUntil !== null && oldSecretUntil > now
      ? [secret, oldSecret]
      : [secret];
  return sealed.map((one) => deps.secrets.open(one, secretPlaceOf(id)));
}

/** Reads the part of the response to save. A response that breaks off keeps its status. */
async function readBeginning(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= limits.webhookAnswerBytes) break;
    }
  } catch {
    // The part before the error is saved.
  }
  const text = new TextDecoder().decode(
    Buffer.concat(chunks).subarray(0, limits.webhookAnswerBytes),
  );
  return cleanText(text);
}
