import { type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Webhooks of projects in addition to the instance's: their secrets, their health, and the response
 * to each delivery.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  const int = engine === "postgres" ? "bigint" : "integer";
  await execute(db, [
    `alter table webhook_endpoint add column old_secret text`,
    `alter table webhook_endpoint add column old_secret_until ${int}`,
    `alter table webhook_endpoint add column failing_since ${int}`,
    `alter table webhook_endpoint add column disabled_why text`,
    `alter table webhook_endpoint add column private_allowed ${int} not null default 0`,
    // Until now all webhooks were the instance's: an admin had entered them, and they could be on a
    // private network.
    `update webhook_endpoint set private_allowed = 1 where project_id is null
      and created_by in (select id from "user" where role in ('owner', 'admin'))`,
    `create index webhook_endpoint_project on webhook_endpoint (project_id)`,
    `alter table webhook_out add column tried_at ${int}`,
    `alter table webhook_out add column took_ms ${int}`,
    `alter table webhook_out add column http_status ${int}`,
    `alter table webhook_out add column answer text`,
    `alter table webhook_out add column only_for text`,
    // Each webhook has its own queue: one with ten thousand deliveries does not delay the others.
    `drop index webhook_out_due`,
    `create index webhook_out_due on webhook_out (endpoint_id, next_at) where status = 'waiting'`,
    `create index webhook_out_listed on webhook_out (endpoint_id, id)`,
    `create index webhook_out_created on webhook_out (created_at)`,
  ]);
}
