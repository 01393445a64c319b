import { execute, type MigrationDatabase } from "../ddl.ts";

/** Creating a conversation again under its idempotency key returns the same one. */
export async function up(db: MigrationDatabase): Promise<void> {
  await execute(db, [
    `alter table conversation add column idempotency_scope text`,
    `alter table conversation add column idempotency_key text`,
    `alter table conversation add column request_hash text`,
    `create unique index conversation_idempotency on conversation (idempotency_scope, idempotency_key) where idempotency_key is not null`,
  ]);
}
