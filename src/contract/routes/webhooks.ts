import type { RouteTable } from "../route.ts";

const project = { kind: "project", from: "param", name: "projectId" } as const;
const webhook = { kind: "webhook", from: "param", name: "webhookId" } as const;

/** Addresses outside that are told what happens: a project's are its managers' business, the instance's its admins'. */
export const webhookRoutes = {
  listWebhooks: {
    method: "GET",
    path: "/api/v1/admin/webhooks",
    permission: "instance",
    summary:
      "The addresses that are told when any budget is used up to 80 and 100 per cent, and how the last telling went.",
  },
  addWebhook: {
    method: "POST",
    path: "/api/v1/admin/webhooks",
    permission: "instance",
    summary: "Add such an address; its signing secret is shown once.",
    errors: ["conflict"],
  },
  listProjectWebhooks: {
    method: "GET",
    path: "/api/v1/projects/:projectId/webhooks",
    permission: "manage",
    target: project,
    summary: "The addresses that are told of a project's runs, and how the last telling went.",
  },
  addProjectWebhook: {
    method: "POST",
    path: "/api/v1/projects/:projectId/webhooks",
    permission: "manage",
    target: project,
    summary: "Add such an address with what it is told of; its signing secret is shown once.",
    errors: ["conflict"],
  },
  updateWebhook: {
    method: "PATCH",
    path: "/api/v1/webhooks/:webhookId",
    permission: "webhook:manage",
    target: webhook,
    summary:
      "Change an address or what it is told of, or resume one that is paused; whoever does answers for it from then on.",
  },
  removeWebhook: {
    method: "DELETE",
    path: "/api/v1/webhooks/:webhookId",
    permission: "webhook:manage",
    target: webhook,
    summary: "Tell an address no more, and forget what it was told.",
  },
  rotateWebhookSecret: {
    method: "POST",
    path: "/api/v1/webhooks/:webhookId/secret",
    permission: "webhook:manage",
    target: webhook,
    summary:
      "Give an address a new signing secret, shown once; for a day deliveries are signed with both.",
  },
  testWebhook: {
    method: "POST",
    path: "/api/v1/webhooks/:webhookId/test",
    permission: "webhook:manage",
    target: webhook,
    summary: "Send a test to an address.",
    errors: ["conflict"],
  },
  listDeliveries: {
    method: "GET",
    path: "/api/v1/webhooks/:webhookId/deliveries",
    permission: "webhook:manage",
    target: webhook,
    summary: "What an address was told in the last month, the newest first, and what it answered.",
  },
  deliverAgain: {
    method: "POST",
    path: "/api/v1/webhooks/:webhookId/deliveries/:deliveryId",
    permission: "webhook:manage",
    target: webhook,
    summary: "Send a delivery again, under its own id.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
