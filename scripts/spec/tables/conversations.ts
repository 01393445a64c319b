import { visibilities } from "#contract/entities.ts";
import { oneOf, person, personal, ref, type WordsOf } from "./words.ts";

export const conversations: WordsOf<"conversation" | "message"> = {
  conversation: {
    area: "conversations",
    is: "A chat: a tree of messages with a system prompt and settings.",
    kept: "Until deleted: 30 days in the trash, then its row and messages are gone.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("Its author."),
      visibility: `Who reads it: ${oneOf(visibilities)} (\`author\` until it is shared).`,
      title: personal("Title."),
      system_prompt: personal("System prompt."),
      settings: "JSON: model, its settings, tools, the shape of answers.",
      pinned: "1: at the top of the list.",
      temporary: "Always 0. Reserved.",
      archived_at: "When it was archived.",
      trashed_at: "When it went to the trash.",
      head_message_id: ref("message", "End of the branch that is shown."),
      idempotency_scope: "Whose idempotency keys it counts among.",
      idempotency_key: "The caller's key for this request; unique in its scope.",
      request_hash: "Hash of the request.",
      created_at: "When it was created.",
      updated_at: "When a message was last added or completed.",
    },
  },
  message: {
    area: "conversations",
    is: "A message: a node of the tree. Two children of one parent are two branches.",
    kept: "As long as its conversation.",
    columns: {
      id: "UUIDv7.",
      conversation_id: ref("conversation", "The conversation."),
      parent_id: ref("message", "The message that it answers or follows; null: the first."),
      role: "`user`, `assistant`, `tool` (results), or `context` (what the model is sent).",
      state: "`streaming`, `complete` or `interrupted`.",
      parts: personal("JSON list: text, reasoning, files, sources, tool calls and results."),
      search: personal(
        "Folded words for the full-text index. Empty on SQLite, which has them in the index alone.",
      ),
      run_id: ref("run", "The run that writes it."),
      continues_id: ref("message", "The interrupted answer that it continues."),
      idempotency_scope: "Whose idempotency keys it counts among.",
      idempotency_key: "The caller's key for this request; unique in its scope.",
      request_hash: "Hash of the request.",
      created_at: "When it was added.",
    },
  },
};
