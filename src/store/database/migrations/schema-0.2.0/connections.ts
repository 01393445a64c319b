import type { Engine, Table } from "../ddl.ts";
import { modelSearchIndex } from "./search.ts";

const ofConnection = "foreign key (connection_id) references connection (id) on delete cascade";

/**
 * Connected services, their models, and access to them. Rows that belong to a connection are
 * deleted with it.
 */
export const connections = (engine: Engine): Table[] => [
  {
    name: "connection",
    columns: {
      id: "text",
      slug: "text",
      kind: "text",
      name: "text",
      scope: "text",
      scope_id: "text?",
      base_urls: "text",
      options: "text",
      secret: "text?",
      status: "text",
      status_detail: "text?",
      // Concurrent runs; null is the kind's default, which a later version may change.
      text_places: "int?",
      media_places: "int?",
      said_places: "int?",
      // The taker served last, so that people and keys take turns across all servers.
      text_turn: "text?",
      media_turn: "text?",
      checked_at: "int?",
      listed_at: "int?",
      created_by: "text?",
      created_at: "int",
    },
    constraints: ["primary key (id)", "unique (slug)"],
    indexes: [`create index connection_scope on connection (scope, scope_id)`],
  },
  {
    // The grant that a tool server issued when a person signed in there, and sign-ins in progress.
    name: "connection_grant",
    columns: {
      connection_id: "text",
      secret: "text?",
      state_hash: "text?",
      user_id: "text?",
      begun_at: "int?",
    },
    constraints: ["primary key (connection_id)", ofConnection],
    indexes: [`create unique index connection_grant_state on connection_grant (state_hash)`],
  },
  {
    // No primary key: it can't contain a null model_id, which means the whole connection.
    name: "circuit",
    columns: {
      connection_id: "text",
      model_id: "text?",
      kind: "text",
      failures: "int",
      inputs: "text",
      opened_at: "int?",
      paused_until: "int?",
      detail: "text?",
    },
    constraints: [ofConnection],
    indexes: [
      `create unique index circuit_of on circuit (connection_id, coalesce(model_id, ''), kind)`,
    ],
  },
  {
    name: "model",
    columns: {
      connection_id: "text",
      model_id: "text",
      name: "text",
      description: "text",
      tasks: "text",
      input_modalities: "text",
      output_modalities: "text",
      input_schema: "text?",
      schema_hash: "text?",
      capabilities: "text",
      limits: "text",
      price: "text?",
      status: "text",
      search: "text",
      // Values that the catalog filters and sorts by, kept apart from the wide columns that hold
      // the same facts.
      facts: "text",
      facts_source: "text?",
      context_tokens: "int?",
      price_kind: "text",
      usual_nanos: "int?",
      fetched_at: "int",
      first_seen_at: "int",
      came_at: "int?",
    },
    constraints: ["primary key (connection_id, model_id)", ofConnection],
    indexes: [
      `create index model_name on model (name, connection_id, model_id)`,
      // Covers every column that a filter reads, so that ten thousand models are scanned without
      // their rows.
      `create index model_listed on model (connection_id, status, name, model_id, facts, context_tokens, price_kind, came_at, usual_nanos)`,
      ...modelSearchIndex(engine),
    ],
  },
  {
    // Facts entered by people. The model's own row holds only its service's list entry, and is
    // replaced with it.
    name: "model_override",
    columns: {
      connection_id: "text",
      model_id: "text",
      prices: "text?",
      price_kind: "text?",
      usual_nanos: "int?",
      ceiling_micros: "int?",
      set_by: "text",
      set_at: "int",
      facts: "text?",
      facts_by: "text?",
      facts_at: "int?",
    },
    constraints: ["primary key (connection_id, model_id)", ofConnection],
  },
  {
    name: "model_star",
    columns: { user_id: "text", connection_id: "text", model_id: "text", created_at: "int" },
    constraints: ["primary key (user_id, connection_id, model_id)", ofConnection],
    indexes: [`create index model_star_connection on model_star (connection_id)`],
  },
  {
    name: "model_access",
    columns: { connection_id: "text", model_id: "text", subject: "text" },
    constraints: ["primary key (connection_id, model_id, subject)", ofConnection],
  },
  {
    name: "model_alias",
    columns: {
      name: "text",
      task: "text",
      models: "text",
      made_by: "text",
      created_at: "int",
      updated_at: "int",
    },
    constraints: ["primary key (name)"],
  },
  {
    name: "workflow",
    columns: {
      connection_id: "text",
      id: "text",
      name: "text",
      document: "text",
      updated_by: "text",
      created_at: "int",
      updated_at: "int",
    },
    constraints: ["primary key (connection_id, id)", ofConnection],
  },
];
