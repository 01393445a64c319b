/** The events of webhooks. A run's events are named after the state that the run reached. */
export const runHookEvents = [
  "run.succeeded",
  "run.failed",
  "run.cancelled",
  "run.unconfirmed",
] as const;
/** What a project's address may ask for. */
export const projectHookEvents = [...runHookEvents, "asset.kept", "budget.warning"] as const;
/** The events of the instance's webhooks: admins see costs and never content. */
export const instanceHookEvents = ["budget.warning"] as const;
export type HookEvent = (typeof projectHookEvents)[number];

/** `given-up`: it was tried for a day, or its address is paused or nobody's any more. */
export const deliveryStatuses = ["waiting", "delivered", "given-up"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
