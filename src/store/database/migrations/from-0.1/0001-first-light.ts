import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * The first schema: people, projects, connections, runs and their log, files and assets,
 * conversations, the ledger.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  await signIn(db, engine);
  await peopleAndProjects(db, engine);
  await connections(db, engine);
  await runs(db, engine);
  await assets(db, engine);
  await conversations(db, engine);
  await books(db, engine);
}

/** The sign-in library (better-auth 1.7) dictates these names and types. */
async function signIn(db: MigrationDatabase, engine: Engine): Promise<void> {
  const date = engine === "postgres" ? "timestamptz" : "date";
  const yes = engine === "postgres" ? "boolean" : "integer";
  await execute(db, [
    `create table "user" ("id" text not null primary key, "name" text not null, "email" text not null unique, "emailVerified" ${yes} not null, "image" text, "createdAt" ${date} not null, "updatedAt" ${date} not null,
      "role" text not null default 'member', "status" text not null default 'active', "locale" text not null default 'en', "timeZone" text not null default 'UTC', "theme" text not null default 'system')`,
    `create table "session" ("id" text not null primary key, "expiresAt" ${date} not null, "token" text not null unique, "createdAt" ${date} not null, "updatedAt" ${date} not null, "ipAddress" text, "userAgent" text, "userId" text not null references "user" ("id") on delete cascade)`,
    `create index session_by_user on "session" ("userId")`,
    `create table "account" ("id" text not null primary key, "accountId" text not null, "providerId" text not null, "userId" text not null references "user" ("id") on delete cascade, "accessToken" text, "refreshToken" text, "idToken" text,
      "accessTokenExpiresAt" ${date}, "refreshTokenExpiresAt" ${date}, "scope" text, "password" text, "createdAt" ${date} not null, "updatedAt" ${date} not null)`,
    `create index account_user on "account" ("userId")`,
    `create table "verification" ("id" text not null primary key, "identifier" text not null, "value" text not null, "expiresAt" ${date} not null, "createdAt" ${date} not null, "updatedAt" ${date} not null)`,
    `create index verification_identifier on "verification" ("identifier")`,
  ]);
}

async function peopleAndProjects(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "instance",
    {
      id: "int",
      owner_id: "text?",
      setup_code_hash: "text?",
      epoch: "text",
      master_key_check: "text?",
      created_at: "int",
    },
    ["primary key (id)", "check (id = 1)"],
  );
  await createTable(
    db,
    engine,
    "invite",
    {
      id: "text",
      kind: "text",
      user_id: "text?",
      token_hash: "text",
      email: "text",
      role: "text",
      project_id: "text?",
      created_by: "text",
      expires_at: "int",
      used_at: "int?",
    },
    ["primary key (id)", "unique (token_hash)"],
  );
  await createTable(
    db,
    engine,
    "project",
    {
      id: "text",
      name: "text",
      description: "text",
      instructions: "text",
      owner_id: "text",
      defaults: "text",
      seq: "int",
      archived_at: "int?",
      created_at: "int",
    },
    ["primary key (id)"],
  );
  await createTable(
    db,
    engine,
    "project_member",
    { project_id: "text", user_id: "text", role: "text", created_at: "int" },
    ["primary key (project_id, user_id)", "foreign key (project_id) references project (id)"],
  );
  await execute(db, [
    `create index project_member_user on project_member (user_id, project_id)`,
    `create index project_owner on project (owner_id)`,
  ]);
  await createTable(
    db,
    engine,
    "audit_event",
    {
      id: "text",
      actor_id: "text?",
      action: "text",
      target_kind: "text",
      target_id: "text",
      ip: "text?",
      detail: "text",
      at: "int",
    },
    ["primary key (id)"],
  );
}

async function connections(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "connection",
    {
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
      concurrency: "int",
      checked_at: "int?",
      created_by: "text?",
      created_at: "int",
    },
    ["primary key (id)", "unique (slug)"],
  );
  await execute(db, [`create index connection_scope on connection (scope, scope_id)`]);
  await createTable(
    db,
    engine,
    "model",
    {
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
      fetched_at: "int",
    },
    [
      "primary key (connection_id, model_id)",
      "foreign key (connection_id) references connection (id) on delete cascade",
    ],
  );
  await execute(db, [`create index model_name on model (name, connection_id, model_id)`]);
}

async function runs(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "batch",
    {
      id: "text",
      project_id: "text",
      kind: "text",
      task: "text",
      input: "text",
      axes: "text?",
      created_by: "text",
      created_at: "int",
    },
    ["primary key (id)"],
  );
  await createTable(
    db,
    engine,
    "run",
    {
      id: "text",
      project_id: "text",
      user_id: "text",
      visibility: "text",
      api_key_id: "text?",
      connection_id: "text",
      model_id: "text",
      schema_hash: "text?",
      task: "text",
      input: "text",
      input_hash: "text",
      state: "text",
      progress: "text?",
      queue_place: "int?",
      priority: "int",
      not_before: "int?",
      cancel_requested_at: "int?",
      idempotency_scope: "text?",
      idempotency_key: "text?",
      request_hash: "text",
      batch_id: "text?",
      message_id: "text?",
      retry_of: "text?",
      remix_of: "text?",
      prompt_version_id: "text?",
      waiting_for: "text?",
      held_micros: "int",
      cost_micros: "int?",
      price_snapshot: "text?",
      usage: "text?",
      result: "text?",
      warnings: "text",
      error: "text?",
      worker_id: "text?",
      fence: "int",
      seq: "int",
      attempts: "int",
      created_at: "int",
      started_at: "int?",
      first_output_at: "int?",
      finished_at: "int?",
      pruned_at: "int?",
    },
    ["primary key (id)", "foreign key (project_id) references project (id)"],
  );
  await execute(db, [
    `create unique index run_idempotency on run (idempotency_scope, idempotency_key) where idempotency_key is not null`,
    `create index run_list on run (project_id, id desc)`,
    `create index run_batch on run (batch_id) where batch_id is not null`,
    `create index run_message on run (message_id) where message_id is not null`,
    `create index run_queued on run (connection_id, user_id, priority desc, id) where state = 'queued'`,
    `create index run_active on run (connection_id, user_id) where state in ('submitting', 'submitted', 'running', 'storing')`,
    `create index run_open on run (project_id, id desc) where state in ('queued', 'submitting', 'submitted', 'running', 'storing', 'unknown')`,
    `create index run_connection_open on run (connection_id) where finished_at is null`,
    `create index run_worker on run (worker_id) where worker_id is not null`,
    `create index run_prunable on run (finished_at) where finished_at is not null and pruned_at is null`,
    `create index batch_list on batch (project_id, id desc)`,
  ]);
  await createTable(
    db,
    engine,
    "attempt",
    {
      run_id: "text",
      number: "int",
      request_hash: "text",
      client_token: "text",
      provider_request_id: "text?",
      provider_urls: "text?",
      state: "text",
      bytes_written: "int?",
      http_status: "int?",
      sent_at: "int?",
      accepted_at: "int?",
      ended_at: "int?",
    },
    ["primary key (run_id, number)", "foreign key (run_id) references run (id)"],
  );
  await createTable(
    db,
    engine,
    "output",
    {
      run_id: "text",
      index: "int",
      remote_url: "text?",
      expires_at: "int?",
      state: "text",
      bytes: "int?",
      sha256: "text?",
      asset_id: "text?",
      name: "text",
      facts: "text",
    },
    [`primary key (run_id, "index")`, "foreign key (run_id) references run (id)"],
  );
  await createTable(
    db,
    engine,
    "run_event",
    { run_id: "text", seq: "int", type: "text", payload: "text", at: "int" },
    ["primary key (run_id, seq)"],
  );
  await createTable(db, engine, "run_input", { run_id: "text", asset_id: "text", role: "text" }, [
    "primary key (run_id, asset_id, role)",
  ]);
  await execute(db, [`create index run_input_asset on run_input (asset_id, run_id)`]);
  await createTable(
    db,
    engine,
    "worker",
    { id: "text", boot_id: "text", beat: "int", host: "text", started_at: "int" },
    ["primary key (id)"],
  );
  await createTable(
    db,
    engine,
    "chore",
    {
      id: "text",
      kind: "text",
      key: "text",
      due_at: "int",
      worker_id: "text?",
      attempts: "int",
      last_error: "text?",
    },
    ["primary key (id)", "unique (kind, key)"],
  );
  await execute(db, [`create index chore_due on chore (due_at)`]);
  await createTable(
    db,
    engine,
    "change",
    { project_id: "text", seq: "int", user_id: "text?", kind: "text", id: "text", at: "int" },
    ["primary key (project_id, seq)"],
  );
  await execute(db, [`create index change_at on change (at)`]);
}

async function assets(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "blob",
    { sha256: "text", bytes: "int", mime: "text", state: "text", created_at: "int" },
    ["primary key (sha256)"],
  );
  await execute(db, [`create index blob_created on blob (created_at)`]);
  await createTable(
    db,
    engine,
    "upload",
    {
      id: "text",
      project_id: "text",
      user_id: "text",
      name: "text",
      bytes: "int",
      received: "int",
      sha256: "text?",
      state: "text",
      created_at: "int",
    },
    ["primary key (id)"],
  );
  await createTable(
    db,
    engine,
    "asset",
    {
      ...rowColumn(engine),
      id: "text",
      project_id: "text",
      visibility: "text",
      run_id: "text?",
      output_index: "int?",
      upload_id: "text?",
      created_by: "text",
      blob_sha256: "text",
      kind: "text",
      mime: "text",
      bytes: "int",
      width: "int?",
      height: "int?",
      duration_ms: "int?",
      thumbhash: "text?",
      variants: "text",
      phash: "text?",
      provenance: "text?",
      title: "text",
      prompt_text: "text",
      search: "text",
      pick: "text",
      rating: "int",
      trashed_at: "int?",
      deleted_at: "int?",
      created_at: "int",
    },
    [...rowKey(engine), "foreign key (project_id) references project (id)"],
  );
  // Covers all columns that counting and laying out a library reads, so that neither touches the
  // rows.
  const shown =
    "id desc, visibility, created_by, width, height, created_at, trashed_at, deleted_at, upload_id";
  await execute(db, [
    `create index asset_list on asset (project_id, ${shown}) where trashed_at is null and deleted_at is null`,
    `create index asset_kind on asset (project_id, kind, ${shown}) where trashed_at is null and deleted_at is null`,
    `create index asset_pick on asset (project_id, pick, ${shown}) where trashed_at is null and deleted_at is null`,
    `create index asset_uploaded on asset (project_id, ${shown}) where trashed_at is null and deleted_at is null and upload_id is not null`,
    `create index asset_trash on asset (project_id, ${shown}) where trashed_at is not null and deleted_at is null`,
    `create index asset_purge on asset (trashed_at) where trashed_at is not null and deleted_at is null`,
    `create index asset_run on asset (run_id) where run_id is not null`,
    `create index asset_blob on asset (blob_sha256)`,
    ...searchIndex(engine, "asset"),
  ]);
}

async function conversations(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "conversation",
    {
      id: "text",
      project_id: "text",
      user_id: "text",
      visibility: "text",
      title: "text",
      system_prompt: "text",
      settings: "text",
      pinned: "int",
      temporary: "int",
      archived_at: "int?",
      trashed_at: "int?",
      head_message_id: "text?",
      created_at: "int",
      updated_at: "int",
    },
    ["primary key (id)", "foreign key (project_id) references project (id)"],
  );
  await createTable(
    db,
    engine,
    "message",
    {
      ...rowColumn(engine),
      id: "text",
      conversation_id: "text",
      parent_id: "text?",
      role: "text",
      state: "text",
      parts: "text",
      search: "text",
      run_id: "text?",
      continues_id: "text?",
      idempotency_scope: "text?",
      idempotency_key: "text?",
      request_hash: "text?",
      created_at: "int",
    },
    [...rowKey(engine), "foreign key (conversation_id) references conversation (id)"],
  );
  await execute(db, [
    `create index conversation_own on conversation (project_id, user_id, updated_at desc, id desc) where trashed_at is null`,
    `create index conversation_shared on conversation (project_id, updated_at desc, id desc) where trashed_at is null and visibility = 'project'`,
    `create index conversation_trash on conversation (trashed_at) where trashed_at is not null`,
    `create index message_conversation on message (conversation_id, id)`,
    `create unique index message_idempotency on message (idempotency_scope, idempotency_key) where idempotency_key is not null`,
    `create index message_run on message (run_id) where run_id is not null`,
    ...searchIndex(engine, "message"),
  ]);
}

async function books(db: MigrationDatabase, engine: Engine): Promise<void> {
  await createTable(
    db,
    engine,
    "ledger_entry",
    {
      id: "text",
      run_id: "text?",
      project_id: "text",
      user_id: "text",
      api_key_id: "text?",
      connection_id: "text?",
      model_id: "text?",
      kind: "text",
      settlement: "text?",
      micros: "int",
      at: "int",
    },
    ["primary key (id)"],
  );
  await execute(db, [
    `create index ledger_run on ledger_entry (run_id)`,
    `create unique index ledger_one_settlement on ledger_entry (settlement) where settlement is not null`,
    `create index ledger_project on ledger_entry (project_id, at)`,
  ]);
  await createTable(
    db,
    engine,
    "usage_day",
    {
      day: "text",
      project_id: "text",
      user_id: "text",
      connection_id: "text",
      model_id: "text",
      runs: "int",
      tokens: "int",
      micros: "int",
    },
    ["primary key (day, project_id, user_id, connection_id, model_id)"],
  );
}

/** FTS5 refers to its table by rowid, which only an integer key keeps through a VACUUM. */
const rowColumn = (engine: Engine): Record<string, "int"> =>
  engine === "sqlite" ? { row: "int" } : {};
const rowKey = (engine: Engine): string[] =>
  engine === "sqlite" ? ["primary key (row)", "unique (id)"] : ["primary key (id)"];

/** Indexes the words of `search`: an FTS5 table, or a GIN index over the same words. */
function searchIndex(engine: Engine, table: "asset" | "message"): string[] {
  if (engine === "postgres")
    return [`create index ${table}_search on ${table} using gin (to_tsvector('simple', search))`];
  return [
    `create virtual table ${table}_fts using fts5(search, id unindexed, tokenize = 'unicode61', prefix = '2 3')`,
    `create trigger ${table}_fts_insert after insert on ${table} begin insert into ${table}_fts (rowid, search, id) values (new.rowid, new.search, new.id); end`,
    `create trigger ${table}_fts_update after update of search on ${table} when old.search is not new.search begin update ${table}_fts set search = new.search where rowid = old.rowid; end`,
    `create trigger ${table}_fts_delete after delete on ${table} begin delete from ${table}_fts where rowid = old.rowid; end`,
  ];
}
