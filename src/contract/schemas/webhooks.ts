import { z } from "zod";
import { id, time } from "../entities.ts";
import { limits } from "../limits.ts";
import { deliveryStatuses, projectHookEvents, runHookEvents } from "../webhooks.ts";

const webhookParam = z.object({ webhookId: id });
const url = z.string().trim().max(2_000);
const events = z
  .array(z.enum(projectHookEvents))
  .min(1, "Choose at least one event.")
  .transform((given) => projectHookEvents.filter((event) => given.includes(event)));
const status = z.enum(deliveryStatuses);
const webhook = z.object({
  id,
  /** Null for the instance's own. */
  projectId: id.nullable(),
  url: z.string(),
  events: z.array(z.enum(projectHookEvents)),
  createdAt: time,
  /** The webhook's owner. */
  maker: z.object({ id, name: z.string() }),
  /** False if the owner is suspended or no longer a manager; the webhook then receives nothing. */
  isAnsweredFor: z.boolean(),
  pausedAt: time.nullable(),
  pausedWhy: z.string().nullable(),
  /** Since when no delivery has succeeded. */
  failingSince: time.nullable(),
  /** Until when deliveries are also signed with the previous secret. */
  oldSecretUntil: time.nullable(),
  waiting: z.int(),
  last: z.object({ status, at: time, error: z.string().nullable() }).nullable(),
});
const delivery = z.object({
  /** The value of `webhook-id`. */
  id,
  event: z.string(),
  status,
  createdAt: time,
  attempts: z.int(),
  /** When it is attempted again; null unless it waits. */
  nextAt: time.nullable(),
  triedAt: time.nullable(),
  tookMs: z.int().nullable(),
  httpStatus: z.int().nullable(),
  /** The first 1,024 bytes of the response, as text. */
  answer: z.string().nullable(),
  error: z.string().nullable(),
  /** The body, as it is signed and sent. */
  payload: z.string(),
});

export const webhookSchemas = {
  listWebhooks: { response: z.object({ webhooks: z.array(webhook) }) },
  addWebhook: { body: z.strictObject({ url }), response: z.object({ id, secret: z.string() }) },
  listProjectWebhooks: {
    params: z.object({ projectId: id }),
    response: z.object({ webhooks: z.array(webhook) }),
  },
  addProjectWebhook: {
    params: z.object({ projectId: id }),
    body: z.strictObject({ url, events: events.default([...runHookEvents]) }),
    response: z.object({ id, secret: z.string() }),
  },
  listPausedWebhooks: {
    response: z.object({
      webhooks: z.array(webhook.pick({ id: true, projectId: true, url: true, pausedWhy: true })),
    }),
  },
  updateWebhook: {
    params: webhookParam,
    body: z.strictObject({
      url: url.optional(),
      events: events.optional(),
      resume: z.literal(true).optional(),
    }),
    response: z.object({}),
  },
  removeWebhook: { params: webhookParam, response: z.object({}) },
  rotateWebhookSecret: {
    params: webhookParam,
    response: z.object({ secret: z.string(), oldUntil: time }),
  },
  testWebhook: { params: webhookParam, response: z.object({}) },
  listDeliveries: {
    params: webhookParam,
    query: z.object({
      cursor: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({ deliveries: z.array(delivery), next: z.string().nullable() }),
  },
  deliverAgain: { params: webhookParam.extend({ deliveryId: id }), response: z.object({}) },
};
