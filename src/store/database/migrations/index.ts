import type { Migration } from "kysely/migration";
import { up as collections } from "./collections.ts";
import { up as comparisons } from "./comparisons.ts";
import { createTable, type Engine, execute, type MigrationStep, typeOf } from "./ddl.ts";
import { deletedPeople, deletedProjects, numberedProjects } from "./deletions.ts";
import { up as folders } from "./folders.ts";
import { chain } from "./from-0.1/index.ts";
import { up as growingFilters } from "./growing-filters.ts";
import { up as mergedWords } from "./merged-words.ts";
import { up as modelFamilies } from "./model-families.ts";
import { up as movedAssets } from "./moved-assets.ts";
import { up as schema, schemaName } from "./schema-0.2.0/index.ts";
import { up as searchByProject } from "./search-by-project.ts";
import { up as tags } from "./tags.ts";

/**
 * Forward-only migrations in the order of their names. A migration never changes after its release.
 */
const all: Record<string, MigrationStep> = {
  [schemaName]: schema,
  // Each worker poll scanned the primary key of all runs: SQLite prefers an index in the requested
  // order.
  "0101-growing-lists": (db) =>
    execute(db, [
      `drop index run_next_models`,
      `create index run_next_models on run (id) where state = 'queued' and next_models is not null`,
      `create index run_task on run (project_id, task, id desc)`,
      `create index batch_task on batch (project_id, task, id desc)`,
    ]),
  // A file is checked again when an asset that needs it is deleted, instead of every five minutes.
  "0102-needed-files": (db, engine) =>
    execute(db, [
      `drop index blob_created`,
      `alter table blob add column needed_at ${typeOf(engine, "int")}`,
      `update blob set needed_at = created_at where exists (select 1 from asset where asset.blob_sha256 = blob.sha256 and asset.deleted_at is null)`,
      `create index blob_unchecked on blob (created_at, sha256) where needed_at is null`,
    ]),
  "0103-search-by-project": searchByProject,
  "0104-growing-filters": growingFilters,
  "0105-waiting-webhooks": (db) =>
    execute(db, [
      `create index webhook_in_waiting on webhook_in (event_id) where outcome = 'waits'`,
    ]),
  // A tab with a long conversation refetches only the messages that changed. Context selections are
  // found through an index of their own, because they are few.
  "0106-long-conversations": (db) =>
    execute(db, [
      `alter table change add column message_ids text`,
      `create index message_context on message (conversation_id, id) where role = 'context'`,
    ]),
  // Expired rows are found without scanning the live ones. A deleted asset keeps no preview.
  "0107-ended-rows": (db) =>
    execute(db, [
      `create index session_end on "session" ("expiresAt")`,
      `create index invite_end on invite (expires_at)`,
      `update asset set thumbhash = null where deleted_at is not null`,
    ]),
  "0108-people-by-name": (db) => execute(db, [`create index user_name on "user" (name, id)`]),
  // Members are listed by an index in name order, which no key has.
  "0109-lists-by-name": (db) =>
    execute(db, [
      `create index project_name on project (name, id)`,
      `alter table project_member add column name text not null default ''`,
      `update project_member set name = coalesce((select name from "user" where "user".id = project_member.user_id), '')`,
      `create index project_member_name on project_member (project_id, name, user_id)`,
    ]),
  // An act on thousands of assets is one notice for each slice of them.
  "0110-acts-on-assets": (db) => execute(db, [`alter table change add column asset_ids text`]),
  "0111-tags": tags,
  "0112-collections": collections,
  "0114-run-expansion": (db) => execute(db, [`alter table run add column expansion text`]),
  "0115-word-lists": async (db, engine) => {
    await createTable(
      db,
      engine,
      "word_list",
      {
        project_id: "text",
        folded: "text",
        name: "text",
        items: "text",
        item_count: "int",
        created_by: "text",
        created_at: "int",
        updated_at: "int",
      },
      [
        "primary key (project_id, folded)",
        "foreign key (project_id) references project (id) on delete cascade",
      ],
    );
  },
  // Answers requested from several models at once.
  "0116-side-by-side": (db, engine) =>
    execute(db, [
      `alter table message add column ask_group text`,
      `alter table message add column ask_column ${typeOf(engine, "int")}`,
      `alter table message add column picked_at ${typeOf(engine, "int")}`,
      `alter table message add column merged_from text`,
      `create index message_ask_group on message (ask_group, id) where ask_group is not null`,
    ]),
  "0120-comparisons": comparisons,
  // The version tells whether a cached list of the models is current.
  "0123-models-version": (db, engine) =>
    execute(db, [
      `alter table connection add column models_version ${typeOf(engine, "int")} not null default 0`,
    ]),
  // A copied message refers to the message that its runs belong to.
  "0124-forks": (db) =>
    execute(db, [
      `alter table conversation add column forked_from text`,
      `alter table message add column copy_of text`,
      `create index message_copy_of on message (copy_of) where copy_of is not null`,
    ]),
  // Messages deleted from a conversation.
  "0125-message-trash": (db, engine) =>
    execute(db, [
      `alter table message add column trashed_at ${typeOf(engine, "int")}`,
      `create index message_trash on message (trashed_at) where trashed_at is not null`,
    ]),
  "0126-temporary-chats-and-titles": (db, engine) =>
    execute(db, [
      `alter table conversation add column titling text not null default 'done'`,
      `alter table "user" add column "titleModel" ${typeOf(engine, "text")}`,
      `create index conversation_title_due on conversation (id) where titling = 'due'`,
      `create index conversation_temporary on conversation (updated_at) where temporary = 1`,
    ]),
  "0127-folders": folders,
  // Older pictures have no hash to find similar ones by.
  "0130-picture-hashes": (db) =>
    execute(db, [
      `create index asset_unhashed on asset (id desc) where phash is null and thumbhash is not null and deleted_at is null`,
    ]),
  "0136-model-families": modelFamilies,
  // A person's visible runs of a model are found by an index, past any number of other people's
  // private ones.
  "0137-seen-runs": (db) =>
    execute(db, [
      `create index run_model_shared on run (project_id, connection_id, model_id, id desc) where visibility = 'project'`,
      `create index run_model_own on run (project_id, connection_id, user_id, model_id, id desc) where visibility = 'author'`,
    ]),
  // Activity filtered by state and by person.
  "0138-runs-by-state": (db) =>
    execute(db, [
      `create index run_ended on run (project_id, state, id desc) where finished_at is not null`,
      `create index run_person on run (project_id, user_id, id desc)`,
    ]),
  // People who decide about budgets poll these every 30 seconds: a few of all runs.
  "0140-decisions": (db) =>
    execute(db, [
      `create index run_decision on run (id) where state = 'queued' and waiting_for in ('manager', 'admin')`,
    ]),
  "0141-moved-assets": movedAssets,
  // Ratings of answers.
  "0142-feedback": (db, engine) =>
    createTable(
      db,
      engine,
      "feedback",
      {
        message_id: "text",
        user_id: "text",
        value: "text",
        reasons: "text",
        text: "text",
        at: "int",
      },
      [
        "primary key (message_id, user_id)",
        "foreign key (message_id) references message (id) on delete cascade",
      ],
    ),
  // The models that a key is restricted to.
  "0143-models-of-keys": (db) => execute(db, [`alter table api_key add column models text`]),
  // llama.cpp's default port changes. Connections without a URL of their own keep the old default.
  "0145-llamacpp-port": (db) =>
    execute(db, [
      `update connection set base_urls = '{"api":"http://127.0.0.1:8080/v1"}' where kind = 'llamacpp' and base_urls = '{}'`,
    ]),
  // The trash of one person's conversations, last deleted first.
  "0146-trashed-conversations": (db) =>
    execute(db, [
      `create index conversation_trashed on conversation (project_id, user_id, trashed_at desc, id desc) where trashed_at is not null and temporary = 0`,
    ]),
  "0147-deleted-projects": deletedProjects,
  "0148-deleted-people": deletedPeople,
  // The audit log by time, by person and by action.
  "0149-audit-log": (db) =>
    execute(db, [
      `create index audit_event_at on audit_event (at desc, id desc)`,
      `create index audit_event_actor on audit_event (actor_id, at desc, id desc)`,
      `create index audit_event_action on audit_event (action, at desc, id desc)`,
    ]),
  "0150-backups-by-themselves": (db, engine) =>
    execute(db, [
      `alter table instance add column backup_folder text`,
      `alter table instance add column backup_hour ${typeOf(engine, "int")} not null default 3`,
      `alter table instance add column backup_time_zone text not null default 'UTC'`,
      `alter table instance add column backup_keep ${typeOf(engine, "int")} not null default 7`,
      `alter table instance add column backup_done_at ${typeOf(engine, "int")}`,
    ]),
  "0151-master-key-versions-and-defaults": (db, engine) =>
    execute(db, [
      `alter table "user" add column "defaults" text`,
      `alter table instance add column master_key_version ${typeOf(engine, "int")} not null default 1`,
      `alter table worker add column key_known ${typeOf(engine, "int")}`,
      `alter table worker add column key_used ${typeOf(engine, "int")}`,
    ]),
  "0152-merged-words": mergedWords,
  // A search reads every name and address. Reading each one's table row took longer than comparing
  // it.
  "0154-searched-names": (db) =>
    execute(db, [
      `drop index user_name`,
      `create index user_name on "user" (name, id, email)`,
      `create index api_key_named on api_key (id, name, prefix, user_id, project_id, revoked_at) where revoked_at is null`,
    ]),
  "0155-numbers-of-deleted-projects": numberedProjects,
  // The webhook that a program requested for the end of its run.
  "0160-webhooks-of-single-runs": async (db, engine) => {
    await createTable(
      db,
      engine,
      "run_webhook",
      {
        run_id: "text",
        user_id: "text",
        url: "text",
        origin: "text",
        base_url: "text",
        attempts: "int",
        next_at: "int",
        status: "text",
        told: "text?",
        last_error: "text?",
        http_status: "int?",
        created_at: "int",
        tried_at: "int?",
      },
      [
        "primary key (run_id)",
        "foreign key (run_id) references run (id) on delete cascade",
        `foreign key (user_id) references "user" (id)`,
      ],
    );
    await execute(db, [
      `create index run_webhook_due on run_webhook (user_id, origin, next_at) where status = 'waiting'`,
      `create index run_webhook_created on run_webhook (created_at)`,
    ]);
  },
  "0161-keys-that-keep-running": (db, engine) =>
    execute(db, [
      `alter table api_key add column keeps_running ${typeOf(engine, "int")} not null default 0`,
    ]),
};

/** The migrations of a new database, by name. */
export const migrationsFor = (engine: Engine): Record<string, Migration> => bind(all, engine);

/**
 * The older migrations of a database of 0.1. The last one brings it to the schema of 0.2.0, under
 * that schema's name.
 */
export const chainFor = (engine: Engine): Record<string, Migration> => bind(chain, engine);

/** Whether a database with these migrations still has to go through the chain. */
export const isOfChain = (names: readonly string[]): boolean =>
  names.some((name) => name < schemaName);

const bind = (steps: Record<string, MigrationStep>, engine: Engine): Record<string, Migration> =>
  Object.fromEntries(
    Object.entries(steps).map(([name, up]) => [name, { up: (db) => up(db, engine) }]),
  );
