import type { RouteTable } from "../route.ts";

/**
 * Webhooks from providers. They are signed; an unsigned request learns nothing from the response.
 */
export const webhookInRoutes = {
  receiveWebhook: {
    method: "POST",
    path: "/api/webhooks/:connectionId/:runId",
    permission: "public",
    summary:
      "Receive a provider's signed notification about a job. Bottega then asks for the job's status itself.",
    body: "bytes",
    anyQuery: true,
    errors: ["unavailable"],
    rate: "open",
  },
} as const satisfies RouteTable;
