/** The events of webhooks. A run's events are named after the state that the run reached. */
export const runHookEvents = [
  "run.succeeded",
  "run.failed",
  "run.cancelled",
  "run.unconfirmed",
] as const;
/** The events of a project's webhooks. */
export const projectHookEvents = [...runHookEvents, "asset.kept", "budget.warning"] as const;
/** The events of the instance's webhooks: admins see costs and never content. */
export const instanceHookEvents = ["budget.warning"] as const;
export type HookEvent = (typeof projectHookEvents)[number];

/** `given-up`: attempted for a day, or the webhook is paused or no longer has an owner. */
export const deliveryStatuses = ["waiting", "delivered", "given-up"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
