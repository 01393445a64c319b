import type { RouteTable } from "../route.ts";

/** Providers that tell by themselves. What they send is signed; who signs nothing learns nothing. */
export const webhookInRoutes = {
  receiveWebhook: {
    method: "POST",
    path: "/api/webhooks/:connectionId/:runId",
    permission: "public",
    summary:
      "A provider's signed word that a run's job has moved. It leads to a look of our own at the job.",
    body: "bytes",
    errors: ["unavailable"],
    rate: "open",
  },
} as const satisfies RouteTable;
