import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { FalFaults } from "./faults.ts";
import type { Job } from "./jobs.ts";

/** A call to a webhook's address, and the status of its answer; 0 without one. */
export type Delivery = { prompt: string; requestId: string; url: string; status: number };
export type DeliveryWish = {
  /** Replaces the job's own address. */
  url?: string;
  /** Seconds added to the timestamp. */
  skewSeconds?: number;
  forged?: boolean;
  copies?: number;
  /** Only this job. */
  requestId?: string;
  /** Changed after signing. */
  tampered?: boolean;
};

/**
 * fal's webhooks: Ed25519 over request id, user id, timestamp and the body's hash, with its keys as
 * a JWKS. `reach` replaces DNS and TLS.
 */
export function createWebhooks(deps: {
  faults: FalFaults;
  now: () => number;
  reach: (url: string) => string;
}) {
  const deliveries: Delivery[] = [];
  const going = new Set<Promise<unknown>>();
  const forger = generateKeyPairSync("ed25519").privateKey;
  let pair = generateKeyPairSync("ed25519");

  const bodyOf = (job: Job): string =>
    JSON.stringify({
      request_id: job.id,
      gateway_request_id: job.id,
      status: job.failure ? "ERROR" : "OK",
      ...(job.failure
        ? { error: "Unexpected status code", payload: job.failure.body }
        : { payload: job.output?.body ?? null }),
    });

  function headersOf(
    job: Job,
    body: string,
    key: KeyObject,
    skewSeconds: number,
  ): Record<string, string> {
    const timestamp = String(Math.floor(deps.now() / 1_000) + skewSeconds);
    const hash = createHash("sha256").update(body).digest("hex");
    const signature = sign(
      null,
      Buffer.from([job.id, "sim-user", timestamp, hash].join("\n")),
      key,
    ).toString("hex");
    return {
      "content-type": "application/json",
      "x-fal-webhook-request-id": job.id,
      "x-fal-webhook-user-id": "sim-user",
      "x-fal-webhook-timestamp": timestamp,
      "x-fal-webhook-signature": signature,
    };
  }

  async function deliver(job: Job, wish: DeliveryWish = {}): Promise<Delivery[]> {
    const url = wish.url ?? job.webhook;
    if (!url) return [];
    const body = bodyOf(job);
    const headers = headersOf(
      job,
      body,
      wish.forged ? forger : pair.privateKey,
      wish.skewSeconds ?? 0,
    );
    const send = async (): Promise<Delivery> => {
      const init = { method: "POST", headers, body: wish.tampered ? `${body} ` : body };
      const status = await fetch(deps.reach(url), init).then(
        async (response) => {
          await response.body?.cancel();
          return response.status;
        },
        () => 0,
      );
      const delivery = { prompt: job.prompt, requestId: job.id, url, status };
      deliveries.push(delivery);
      return delivery;
    };
    return Promise.all(Array.from({ length: wish.copies ?? 1 }, send));
  }

  /** At a job's end, according to its faults. */
  function ended(job: Job): void {
    const has = (fault: Parameters<FalFaults["take"]>[1]) => deps.faults.take(job.prompt, fault);
    if (!job.webhook || has("webhook-none") || has("webhook-hold")) return;
    const work = deliver(job, {
      copies: has("webhook-x10") ? 10 : 1,
      forged: has("webhook-forged"),
      skewSeconds: has("webhook-old") ? -600 : 0,
    }).finally(() => going.delete(work));
    going.add(work);
  }

  return {
    deliveries,
    deliver,
    ended,
    /** Resolves when all of a job's webhooks have been answered. */
    told: (_job: Job): Promise<unknown> => Promise.all(going),
    /** Replaces fal's keys. */
    changeKeys() {
      pair = generateKeyPairSync("ed25519");
    },
    keySet: () => ({
      keys: [{ kty: "RSA", n: "AQAB", e: "AQAB" }, pair.publicKey.export({ format: "jwk" })],
    }),
  };
}
export type FalWebhooks = ReturnType<typeof createWebhooks>;
