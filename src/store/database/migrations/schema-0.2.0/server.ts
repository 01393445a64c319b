import type { Table } from "../ddl.ts";

/**
 * This installation, the servers that run it, and the feed of changes that they send to browsers.
 */
export const server: Table[] = [
  {
    name: "instance",
    columns: {
      id: "int",
      owner_id: "text?",
      setup_code_hash: "text?",
      master_key_check: "text?",
      models_for: "text",
      members_connect: "int",
      person_bytes: "int?",
      project_bytes: "int?",
      // Where the database was last served from. A different place means a copy or a move, and gets
      // a new epoch.
      epoch: "text",
      place: "text?",
      // This database's ownership mark in the file storage, and the prefix it writes to while
      // another database owns the files.
      files_nonce: "text?",
      files_next: "text?",
      files_prefixes: "text",
      created_at: "int",
    },
    constraints: ["primary key (id)", "check (id = 1)"],
  },
  {
    name: "worker",
    columns: { id: "text", boot_id: "text", beat: "int", host: "text", started_at: "int" },
    constraints: ["primary key (id)"],
  },
  {
    name: "chore",
    columns: {
      id: "text",
      kind: "text",
      key: "text",
      due_at: "int",
      worker_id: "text?",
      attempts: "int",
      last_error: "text?",
    },
    constraints: ["primary key (id)", "unique (kind, key)"],
    indexes: [`create index chore_due on chore (due_at)`],
  },
  {
    name: "change",
    columns: {
      project_id: "text",
      seq: "int",
      user_id: "text?",
      kind: "text",
      id: "text",
      at: "int",
    },
    constraints: ["primary key (project_id, seq)"],
    indexes: [`create index change_at on change (at)`],
  },
];
