import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, decide, hasNeededScope } from "#domain/people/policy.ts";
import type { RunCaller } from "#engine/deps.ts";
import { readHookUrl, whyNotCalled } from "#engine/webhooks/endpoints.ts";
import { findScope } from "#store/people/scopes.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { countWaitingCalls } from "#store/webhooks/run-webhooks.ts";
import type { HookKeys } from "../../auth/hook-keys.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Asking } from "../programs/follow.ts";
import { actorNow, type LinkDeps, originOf } from "../programs/links.ts";
import { openOrigins } from "./app-door.ts";
import { failureOf, falStatusOf, toFalError } from "./errors.ts";
import { resultOf } from "./result.ts";

const field = "webhookUrl";

/**
 * Validates the URL of a submit's `fal_webhook`. fal never gets it: Bottega calls it when the run
 * ends. A URL on a private network needs an origin that an admin allowed.
 * @throws Problem invalid_input, rate_limited
 */
export async function requireWebhook(
  deps: ServerDeps,
  { actor, line }: Pick<Asking, "actor" | "line">,
  given: string,
): Promise<{ url: string; baseUrl: string }> {
  const url = readHookUrl(given);
  if (!url || url.href.length > limits.runWebhookUrlCharacters)
    throw new Problem("invalid_input", { field, message: sentences.fal.webhookForm });
  const isOpen = (await openOrigins(deps)).includes(url.origin);
  const reason = whyNotCalled(url, isOpen);
  if (reason !== null)
    throw new Problem("invalid_input", {
      field,
      message: sentences.fal.webhookBlocked({ reason }),
    });
  const most = limits.runWebhooksWaiting;
  if ((await countWaitingCalls(deps.store.read, actor.userId, most)) >= most)
    throw new Problem("rate_limited", {
      message: sentences.fal.webhooksTooMany({ count: most.toLocaleString("en-US") }),
    });
  return { url: url.href, baseUrl: originOf(deps, line) };
}

type Deps = LinkDeps & { hookKeys: HookKeys };

/**
 * Calls the webhooks of single runs as fal does (fal.ai/docs, "Webhooks"), signed with a key of
 * this Bottega.
 */
export function createFalCaller(deps: Deps): RunCaller {
  return {
    async parcelOf({ url, baseUrl }, run) {
      const actor = await actorNow(deps, { userId: run.userId, keyId: run.apiKeyId });
      const scope = actor && (await findScope(deps.store.read, "run", run.id, actor.userId));
      const mayRead =
        actor &&
        decide(actor, "view", scope) === "allowed" &&
        hasNeededScope(actor, scopesOfRoutes.getFromFal);
      if (!mayRead) return { refusal: sentences.webhooks.ownerLostAccess };
      const body = await bodyOf(deps, actor, baseUrl, run);
      return {
        url,
        headers: headersOf(deps, run, body),
        body,
        privateOrigins: await openOrigins(deps),
      };
    },
  };
}

function headersOf(
  { clock, hookKeys }: Deps,
  { id, userId }: OwnedRun,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(clock.now() / 1000));
  const bodyHash = createHash("sha256").update(body).digest("hex");
  return {
    "x-fal-webhook-request-id": id,
    "x-fal-webhook-user-id": userId,
    "x-fal-webhook-timestamp": timestamp,
    "x-fal-webhook-signature": hookKeys.sign([id, userId, timestamp, bodyHash].join("\n")),
  };
}

async function bodyOf(deps: Deps, actor: Actor, baseUrl: string, run: OwnedRun): Promise<string> {
  const ids = { request_id: run.id, gateway_request_id: run.id };
  const line = { encrypted: baseUrl.startsWith("https:"), host: new URL(baseUrl).host };
  const outcome = run.state === "succeeded" ? { status: "OK" } : errorOf(run);
  const payload =
    run.state === "succeeded" ? await resultOf(deps, { actor, line }, run) : payloadOf(run);
  const body = JSON.stringify({ ...ids, ...outcome, payload });
  if (Buffer.byteLength(body) <= limits.runWebhookBytes) return body;
  const payload_error = sentences.fal.webhookTooLarge;
  return JSON.stringify({ ...ids, ...outcome, payload: null, payload_error });
}

const errorOf = (run: OwnedRun) => ({
  status: "ERROR",
  error: `Invalid status code: ${falStatusOf(failureOf(run))}`,
});
const payloadOf = (run: OwnedRun): JsonObject => toFalError(failureOf(run));
