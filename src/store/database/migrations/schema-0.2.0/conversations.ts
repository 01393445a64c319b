import type { Engine, Table } from "../ddl.ts";
import { rowColumn, rowKey, searchIndex } from "./search.ts";

/** Conversations, whose messages form a tree: each refers to its parent. */
export const conversations = (engine: Engine): Table[] => [
  {
    name: "conversation",
    columns: {
      id: "text",
      project_id: "text",
      user_id: "text",
      visibility: "text",
      title: "text",
      system_prompt: "text",
      settings: "text",
      pinned: "int",
      temporary: "int",
      head_message_id: "text?",
      idempotency_scope: "text?",
      idempotency_key: "text?",
      request_hash: "text?",
      archived_at: "int?",
      trashed_at: "int?",
      created_at: "int",
      updated_at: "int",
    },
    constraints: ["primary key (id)", "foreign key (project_id) references project (id)"],
    indexes: [
      `create index conversation_own on conversation (project_id, user_id, updated_at desc, id desc) where trashed_at is null`,
      `create index conversation_shared on conversation (project_id, updated_at desc, id desc) where trashed_at is null and visibility = 'project'`,
      `create index conversation_trash on conversation (trashed_at) where trashed_at is not null`,
      `create unique index conversation_idempotency on conversation (idempotency_scope, idempotency_key) where idempotency_key is not null`,
    ],
  },
  {
    name: "message",
    columns: {
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
    constraints: [...rowKey(engine), "foreign key (conversation_id) references conversation (id)"],
    indexes: [
      `create index message_conversation on message (conversation_id, id)`,
      `create unique index message_idempotency on message (idempotency_scope, idempotency_key) where idempotency_key is not null`,
      `create index message_run on message (run_id) where run_id is not null`,
      // Running tool calls are few, and looked up often.
      `create index message_tools_open on message (id) where role = 'tool' and state = 'streaming'`,
      ...searchIndex(engine, "message"),
    ],
  },
];
