import { createHmac, randomBytes } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import type { BudgetWarning } from "#store/budgets.ts";
import type { Tx } from "#store/store.ts";
import {
  claimDeliveries,
  type Delivery,
  insertWebhookEndpoint,
  isAnyWaiting,
  listWebhookEndpoints,
  pruneDeliveries,
  queueWebhooks,
  updateDelivery,
  type WebhookEndpoint,
} from "#store/webhooks.ts";
import type { EngineDeps } from "./deps.ts";

const minute = 60_000;
/** Waits after each failed delivery, as Standard Webhooks advises; after the last it is given up, a little more than a day after the first. */
const waitsMs = [5_000, 5 * minute, 30 * minute, 2 * 60 * minute, 5 * 60 * minute, 10 * 60 * minute, 14 * 60 * minute];
const timeoutMs = 15_000;
/** So long a delivery is one server's; longer than it can take. */
const claimMs = 2 * timeoutMs;
/** The longest wait after so many attempts, with room for clocks of two servers that differ a little. */
const waitsMostMs = [0, ...waitsMs].map((ms) => Math.max(ms, claimMs) + minute);
const atOnce = 20;
const everyMs = 5_000;
const keepMs = 30 * 24 * 60 * minute;
const secretBytes = 32;

const placeOf = (id: string) => ({ table: "webhook_endpoint", rowId: id, owner: "instance" });

/** Adds an address that is told of budgets. @returns its secret, which is shown once. @throws Problem invalid_input for what is no web address */
export async function addWebhookEndpoint(deps: EngineDeps, url: string, createdBy: string): Promise<{ id: string; secret: string }> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !["http:", "https:"].includes(parsed.protocol) || parsed.username !== "" || parsed.password !== "")
    throw new Problem("invalid_input", {
      field: "url",
      message: "This is not a web address: it begins with https:// and holds no password.",
    });
  const id = deps.ids();
  const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
  const sealedSecret = deps.secrets.seal(secret, placeOf(id));
  await deps.commit((tx) => insertWebhookEndpoint(tx, { id, url: parsed.href, sealedSecret, createdBy, at: deps.clock.now() }));
  return { id, secret };
}

/** Tells every address that a budget's spending has passed a share of its limit, in the unit in which it did. */
export async function tellOfBudget(deps: EngineDeps, tx: Tx, warning: BudgetWarning, at: number): Promise<void> {
  const { id: budgetId, scope, scopeId, period, timeZone, limitMicros, onLimit } = warning.budget;
  const { percent, spentMicros, periodStart } = warning;
  const data = { budgetId, scope, scopeId, period, periodStart, timeZone, limitMicros, spentMicros, percent, onLimit };
  const payload = { type: "budget.warning", timestamp: new Date(at).toISOString(), data };
  await queueWebhooks(tx, deps.ids, "budget.warning", JSON.stringify(payload), at);
}

/** A delivery that only says that it arrives. */
export const testWebhook = (deps: EngineDeps): Promise<void> => {
  const at = deps.clock.now();
  const payload = { type: "test", timestamp: new Date(at).toISOString(), data: {} };
  return deps.commit((tx) => queueWebhooks(tx, deps.ids, "test", JSON.stringify(payload), at));
};

/** Sends what is due. At least once each: who is told twice knows it by `webhook-id`. */
export async function deliverWebhooks(deps: EngineDeps): Promise<void> {
  for (;;) {
    if (!(await isAnyWaiting(deps.store.read))) return;
    const now = deps.clock.now();
    const due = await deps.commit((tx) => claimDeliveries(deps.store, tx, { now, untilMs: now + claimMs, most: atOnce, waitsMostMs }));
    if (due.length === 0) return;
    const endpoints = new Map((await listWebhookEndpoints(deps.store.read)).map((endpoint) => [endpoint.id, endpoint]));
    await Promise.all(due.map((delivery) => deliver(deps, delivery, endpoints.get(delivery.endpointId))));
    if (due.length < atOnce) return;
  }
}

async function deliver(deps: EngineDeps, delivery: Delivery, endpoint: WebhookEndpoint | undefined): Promise<void> {
  if (!endpoint) return;
  const failure = await send(deps, delivery, endpoint).catch((error) => String(error instanceof Error ? error.message : error));
  const at = deps.clock.now();
  const waitMs = waitsMs[delivery.attempts - 1];
  await deps.commit((tx) =>
    updateDelivery(tx, delivery.id, {
      status: failure === null ? "delivered" : waitMs === undefined ? "given-up" : "waiting",
      nextAt: at + (waitMs ?? 0),
      lastError: failure,
    }),
  );
}

/** @returns why it was not taken, or null. The headers and the signature are Standard Webhooks' (standardwebhooks.com, version 1). */
async function send(deps: EngineDeps, { id, payload }: Delivery, endpoint: WebhookEndpoint): Promise<string | null> {
  const timestamp = String(Math.floor(deps.clock.now() / 1000));
  const secret = deps.secrets.open(endpoint.secret, placeOf(endpoint.id));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${payload}`).digest("base64");
  const post = deps.outbound.open({
    privateOrigins: [new URL(endpoint.url).origin],
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    mostBytes: 64 * 1024,
  });
  const response = await post(endpoint.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
    body: payload,
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  return response.ok ? null : `It answered ${response.status}.`;
}

/** Delivers for as long as the server runs. @returns how to stop */
export function startWebhooks(deps: EngineDeps): () => void {
  let going = false;
  const timer = setInterval(() => {
    if (going) return;
    going = true;
    deliverWebhooks(deps)
      .catch((error) => deps.log.warn({ error: String(error) }, "could not deliver webhooks"))
      .finally(() => {
        going = false;
      });
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** What was told a month ago is forgotten. */
export const forgetOldWebhooks = (deps: EngineDeps): Promise<void> => deps.commit((tx) => pruneDeliveries(tx, deps.clock.now() - keepMs));
