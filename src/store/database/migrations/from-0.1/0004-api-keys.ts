import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/** API keys, stored as hashes. A revoked key stays, because the work done with it refers to it. */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "api_key",
    {
      id: "text",
      user_id: "text",
      project_id: "text",
      name: "text",
      prefix: "text",
      hash: "text",
      scopes: "text",
      rate_per_minute: "int",
      expires_at: "int?",
      last_used_at: "int?",
      revoked_at: "int?",
      created_at: "int",
    },
    [
      "primary key (id)",
      `foreign key (user_id) references "user" (id) on delete cascade`,
      "foreign key (project_id) references project (id) on delete cascade",
    ],
  );
  await execute(db, [
    "create unique index api_key_hash on api_key (hash)",
    "create index api_key_user on api_key (user_id)",
    // A key's budget is computed from its own entries.
    "create index ledger_api_key on ledger_entry (api_key_id, admitted_at) where api_key_id is not null",
  ]);
}
