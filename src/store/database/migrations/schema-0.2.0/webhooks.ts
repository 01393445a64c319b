import type { Table } from "../ddl.ts";

/** Deliveries to webhooks that people add, and deliveries received from providers. */
export const webhooks: Table[] = [
  {
    name: "webhook_endpoint",
    columns: {
      id: "text",
      project_id: "text?",
      url: "text",
      private_allowed: "int",
      events: "text",
      secret: "text",
      // Receivers may still know only the previous secret.
      old_secret: "text?",
      old_secret_until: "int?",
      failing_since: "int?",
      disabled_at: "int?",
      disabled_why: "text?",
      created_by: "text",
      created_at: "int",
    },
    constraints: ["primary key (id)"],
    indexes: [`create index webhook_endpoint_project on webhook_endpoint (project_id)`],
  },
  {
    name: "webhook_out",
    columns: {
      id: "text",
      endpoint_id: "text",
      event: "text",
      payload: "text",
      only_for: "text?",
      status: "text",
      attempts: "int",
      next_at: "int",
      tried_at: "int?",
      took_ms: "int?",
      http_status: "int?",
      answer: "text?",
      last_error: "text?",
      created_at: "int",
    },
    constraints: [
      "primary key (id)",
      "foreign key (endpoint_id) references webhook_endpoint (id) on delete cascade",
    ],
    indexes: [
      // By webhook, so that one with ten thousand deliveries doesn't delay the others.
      `create index webhook_out_due on webhook_out (endpoint_id, next_at) where status = 'waiting'`,
      `create index webhook_out_listed on webhook_out (endpoint_id, id)`,
      `create index webhook_out_created on webhook_out (created_at)`,
    ],
  },
  {
    // A repeated delivery is handled once.
    name: "webhook_in",
    columns: { connection_id: "text", event_id: "text", received_at: "int", outcome: "text" },
    constraints: [
      "primary key (connection_id, event_id)",
      "foreign key (connection_id) references connection (id) on delete cascade",
    ],
    indexes: [`create index webhook_in_received on webhook_in (received_at)`],
  },
];
