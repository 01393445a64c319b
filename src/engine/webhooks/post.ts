import { Webhook } from "standardwebhooks";
import { cleanText } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Delivery } from "#store/webhooks/webhook-deliveries.ts";
import type { WebhookEndpoint } from "#store/webhooks/webhooks.ts";
import type { EngineDeps } from "../deps.ts";
import { secretPlaceOf } from "./endpoints.ts";

export const timeoutMs = 15_000;

/** What an address did with a delivery. `failure`: why it does not count as taken, in a sentence. */
export type Answered = { failure: string | null; httpStatus: number | null; answer: string | null };

type Deps = Pick<EngineDeps, "clock" | "secrets" | "outbound">;

/**
 * Sends one delivery as Standard Webhooks says (version 1.0.0, github.com/standard-webhooks/standard-webhooks,
 * spec/standard-webhooks.md): `webhook-id` is the same at each try, `webhook-timestamp` is of this try, and
 * `webhook-signature` is one of `v1` for each secret that holds. Any 2xx takes it; a redirect is not followed.
 */
export async function post(
  deps: Deps,
  endpoint: WebhookEndpoint,
  { id, payload }: Delivery,
  signal: AbortSignal,
): Promise<Answered> {
  const now = deps.clock.now();
  const timestamp = String(Math.floor(now / 1000));
  const send = deps.outbound.open({
    // Only an admin may name an address on a private network; to resume a manager's is not to name it.
    privateOrigins: endpoint.mayBePrivate ? [new URL(endpoint.url).origin] : [],
    connectTimeoutMs: timeoutMs,
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
  });
  try {
    const response = await send(endpoint.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": secretsOf(deps, endpoint, now)
          .map((secret) => new Webhook(secret).sign(id, new Date(now), payload))
          .join(" "),
      },
      body: payload,
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

/** What it says to it, as far as it is kept; that it breaks off changes nothing of its status. */
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
    // What came before it is kept.
  }
  const text = new TextDecoder().decode(
    Buffer.concat(chunks).subarray(0, limits.webhookAnswerBytes),
  );
  return cleanText(text);
}
