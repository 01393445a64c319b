import type { RouteTable } from "../route.ts";

const project = { kind: "project", from: "param", name: "projectId" } as const;
const webhook = { kind: "webhook", from: "param", name: "webhookId" } as const;

/** Webhooks: managers own those of a project, admins those of the instance. */
export const webhookRoutes = {
  listWebhooks: {
    method: "GET",
    path: "/api/v1/admin/webhooks",
    permission: "instance",
    summary: "List the webhooks for budget events at 80% and 100%, with their last delivery.",
  },
  addWebhook: {
    method: "POST",
    path: "/api/v1/admin/webhooks",
    permission: "instance",
    summary: "Add a webhook for budget events. Its signing secret is shown once.",
    errors: ["conflict"],
  },
  listProjectWebhooks: {
    method: "GET",
    path: "/api/v1/projects/:projectId/webhooks",
    permission: "manage",
    target: project,
    summary: "List the webhooks of a project, with their last delivery.",
  },
  addProjectWebhook: {
    method: "POST",
    path: "/api/v1/projects/:projectId/webhooks",
    permission: "manage",
    target: project,
    summary: "Add a webhook to a project. Its signing secret is shown once.",
    errors: ["conflict"],
  },
  listPausedWebhooks: {
    method: "GET",
    path: "/api/v1/me/paused-webhooks",
    permission: "self",
    summary: "List the webhooks that you own and that are paused until someone resumes them.",
  },
  updateWebhook: {
    method: "PATCH",
    path: "/api/v1/webhooks/:webhookId",
    permission: "webhook:manage",
    target: webhook,
    summary: "Change a webhook's URL or events, or resume it. This makes you its owner.",
  },
  removeWebhook: {
    method: "DELETE",
    path: "/api/v1/webhooks/:webhookId",
    permission: "webhook:manage",
    target: webhook,
    summary: "Remove a webhook and its deliveries.",
  },
  rotateWebhookSecret: {
    method: "POST",
    path: "/api/v1/webhooks/:webhookId/secret",
    permission: "webhook:manage",
    target: webhook,
    summary: "Rotate a webhook's signing secret, shown once. Both secrets sign for a day.",
  },
  testWebhook: {
    method: "POST",
    path: "/api/v1/webhooks/:webhookId/test",
    permission: "webhook:manage",
    target: webhook,
    summary: "Send a test event to a webhook.",
    errors: ["conflict"],
  },
  listDeliveries: {
    method: "GET",
    path: "/api/v1/webhooks/:webhookId/deliveries",
    permission: "webhook:manage",
    target: webhook,
    summary: "List a webhook's deliveries of the last month with their responses, newest first.",
  },
  deliverAgain: {
    method: "POST",
    path: "/api/v1/webhooks/:webhookId/deliveries/:deliveryId",
    permission: "webhook:manage",
    target: webhook,
    summary: "Retry a delivery under its ID.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
