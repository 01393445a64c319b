import { randomBytes } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { HookEvent } from "#contract/webhooks.ts";
import { refuseUrl } from "#providers/outbound/outbound-policy.ts";
import { hooksHint } from "#store/runs/unit.ts";
import { insertDelivery } from "#store/webhooks/hooks.ts";
import {
  forgetAnswers,
  giveUpOthers,
  requeueDelivery,
} from "#store/webhooks/webhook-deliveries.ts";
import {
  getWebhookEndpoint,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  replaceSecret,
  updateWebhookEndpoint,
  type WebhookEndpoint,
} from "#store/webhooks/webhooks.ts";
import type { EngineDeps } from "../deps.ts";

export type EndpointDeps = Pick<
  EngineDeps,
  "store" | "commit" | "clock" | "ids" | "secrets" | "hub" | "log"
>;

const secretBytes = 32;
/** How long the previous secret signs together with the new one. */
const oldSecretMs = 24 * 60 * 60_000;

export const secretPlaceOf = (id: string) => ({
  table: "webhook_endpoint",
  rowId: id,
  owner: "instance",
});
/** Formats a symmetric secret like Standard Webhooks: a prefix, then base64. */
const newSecret = (): string => `whsec_${randomBytes(secretBytes).toString("base64")}`;

/**
 * The person who adds or changes an address and becomes its owner. Only admins may use private
 * addresses.
 */
export type EndpointEditor = { userId: string; isAdmin: boolean };

/** Parses a webhook's address; undefined unless it is an http or https URL without credentials. */
export function readHookUrl(given: string): URL | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && ["http:", "https:"].includes(url.protocol) && !url.username && !url.password
    ? url
    : undefined;
}

/** Why an address can't be called; null if it can. A host name is checked when it is resolved. */
export const whyNotCalled = (url: URL, mayBePrivate: boolean): string | null =>
  refuseUrl(url, mayBePrivate ? "private" : "public");

/** @throws Problem invalid_input unless the URL is valid, and public or set by an admin */
function requireUrl(url: string, by: EndpointEditor): string {
  const parsed = readHookUrl(url);
  if (!parsed)
    throw new Problem("invalid_input", {
      field: "url",
      message: sentences.webhooks.urlForm,
    });
  const refusal = whyNotCalled(parsed, by.isAdmin);
  if (refusal !== null)
    throw new Problem("invalid_input", {
      field: "url",
      message: sentences.webhooks.urlBlocked({ reason: refusal }),
    });
  return parsed.href;
}

/**
 * Adds a webhook for a project's events, or, with null, for the instance's budgets.
 * @returns its secret, which is shown once
 * @throws Problem invalid_input; conflict at the limit
 */
export async function addWebhookEndpoint(
  deps: EndpointDeps,
  wanted: { projectId: string | null; url: string; events: readonly HookEvent[] },
  by: EndpointEditor,
): Promise<{ id: string; secret: string }> {
  const url = requireUrl(wanted.url, by);
  if (
    (await listWebhookEndpoints(deps.store.read, wanted.projectId)).length >=
    limits.webhooksPerProject
  )
    throw new Problem("conflict", {
      message: sentences.webhooks.tooMany({ count: limits.webhooksPerProject }),
    });
  const id = deps.ids();
  const secret = newSecret();
  const sealedSecret = deps.secrets.seal(secret, secretPlaceOf(id));
  const made = {
    ...wanted,
    id,
    url,
    sealedSecret,
    privateAllowed: by.isAdmin,
    createdBy: by.userId,
    at: deps.clock.now(),
  };
  await deps.commit(({ tx }) => insertWebhookEndpoint(tx, made));
  return { id, secret };
}

async function requireEndpoint(deps: EndpointDeps, id: string): Promise<WebhookEndpoint> {
  const endpoint = await getWebhookEndpoint(deps.store.db, id);
  if (!endpoint) throw new Problem("not_found");
  return endpoint;
}

/** @throws Problem not_found, invalid_input */
export async function changeWebhookEndpoint(
  deps: EndpointDeps,
  id: string,
  change: { url?: string; events?: readonly HookEvent[]; resume?: true },
  by: EndpointEditor,
): Promise<void> {
  // The person who changes a webhook becomes its owner and vouches for its URL, even an unchanged
  // one.
  const url = requireUrl(change.url ?? (await requireEndpoint(deps, id)).url, by);
  const { url: _, ...rest } = change;
  const changed = await deps.commit(async ({ tx }) => {
    const named = change.url === undefined ? {} : { named: { url, privateAllowed: by.isAdmin } };
    const isThere = await updateWebhookEndpoint(tx, id, { ...rest, ...named, by: by.userId });
    if (change.url !== undefined) await forgetAnswers(tx, id);
    await giveUpOthers(tx, id);
    return isThere;
  });
  if (!changed) throw new Problem("not_found");
}

/** Sets a new secret, shown once. For a day deliveries are signed with both. */
export async function rotateSecret(
  deps: EndpointDeps,
  id: string,
): Promise<{ secret: string; oldUntil: number }> {
  const secret = newSecret();
  const oldUntil = deps.clock.now() + oldSecretMs;
  const sealed = deps.secrets.seal(secret, secretPlaceOf(id));
  if (!(await deps.commit(({ tx }) => replaceSecret(tx, id, sealed, oldUntil))))
    throw new Problem("not_found");
  return { secret, oldUntil };
}

const paused = () => new Problem("conflict", { message: sentences.webhooks.paused });

/**
 * Sends a test delivery.
 * @throws Problem not_found; conflict while the webhook is paused
 */
export async function testWebhook(deps: EndpointDeps, id: string): Promise<void> {
  if ((await requireEndpoint(deps, id)).pausedAt !== null) throw paused();
  await deps.commit(({ tx, at }) =>
    insertDelivery(tx, {
      id: deps.ids(),
      endpointId: id,
      event: "test",
      data: {},
      onlyFor: null,
      at,
    }),
  );
  await wakeDeliverers(deps);
}

/**
 * Delivers again.
 * @throws Problem not_found for a delivery of another webhook or one that this person may not see
 * @throws Problem conflict while the delivery is being sent or its webhook is paused
 */
export async function redeliver(
  deps: EndpointDeps,
  id: string,
  deliveryId: string,
  by: EndpointEditor,
): Promise<void> {
  if ((await requireEndpoint(deps, id)).pausedAt !== null) throw paused();
  const again = { endpointId: id, id: deliveryId, by: by.userId };
  if (!(await deps.commit(({ tx, at }) => requeueDelivery(tx, { ...again, at }))))
    throw new Problem("not_found", {
      message: sentences.webhooks.notRetryable,
    });
  await wakeDeliverers(deps);
}

/**
 * Wakes the deliverers of this server and, in case this server doesn't deliver, of the others. They
 * also check on their own.
 */
async function wakeDeliverers(deps: EndpointDeps): Promise<void> {
  deps.hub.hooks();
  if (deps.store.engine !== "postgres") return;
  await deps.store
    .notify(deps.store.db, [{ topic: hooksHint }])
    .catch((error) => deps.log.warn({ error: String(error) }, "could not tell the other servers"));
}
