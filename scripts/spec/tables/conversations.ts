import { visibilities } from "#contract/entities.ts";
import { feedbackReasons, feedbackValues } from "#contract/filters/ratings.ts";
import { oneOf, person, personal, ref, type WordsOf } from "./words.ts";

export const conversations: WordsOf<
  "conversation" | "conversation_tag" | "feedback" | "folder" | "message"
> = {
  conversation: {
    area: "conversations",
    is: "A chat: a tree of messages with a system prompt and settings.",
    kept: "Until deleted: 30 days in the trash, or until it is deleted there, then its row and messages are gone. A temporary chat: until it is closed, or 24 hours after its last message; the text of its runs goes with it.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("Its author."),
      visibility: `Who reads it: ${oneOf(visibilities)} (\`author\` until it is shared).`,
      title: personal("Title."),
      system_prompt: personal("System prompt."),
      settings: "JSON: model, its settings, tools, the shape of answers.",
      pinned: "1: at the top of the list.",
      temporary: "1: a temporary chat, which is in no list, search or export.",
      archived_at: "When it was archived.",
      trashed_at: "When it went to the trash.",
      head_message_id: ref("message", "End of the branch that is shown."),
      folder_id: ref("folder", "Its author's folder that it is in."),
      titling:
        "Whether a model titles it: `open` before its first answer, `due`, `asked`, or `done`: the title stays.",
      forked_from: ref("message", "Of a fork: the message up to which it was copied."),
      idempotency_scope: "Whose idempotency keys it counts among.",
      idempotency_key: "The caller's key for this request; unique in its scope.",
      request_hash: "Hash of the request.",
      created_at: "When it was created.",
      updated_at: "When a message was last added or completed.",
    },
  },
  folder: {
    area: "conversations",
    is: "A folder of one person's conversations in a project, at most three deep. It is theirs alone.",
    kept: "Until deleted. Its conversations and folders move up.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("Whose it is."),
      parent_id: ref("folder", "The folder that it is in; null: at the top."),
      name: personal("Name."),
      position: "Its place among those beside it.",
      created_at: "When it was created.",
    },
  },
  conversation_tag: {
    area: "conversations",
    is: "A tag that a conversation's author gave it. It is theirs alone.",
    kept: "As long as its conversation.",
    columns: {
      conversation_id: ref("conversation", "The conversation."),
      folded: personal("What sets tags apart: lower case."),
      name: personal("The tag."),
    },
  },
  message: {
    area: "conversations",
    is: "A message: a node of the tree. Two children of one parent are two branches.",
    kept: "As long as its conversation. Deleted from it: 30 days in the trash, then its row is gone.",
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
      copy_of: ref("message", "In a fork: the message that it is a copy of, which its runs name."),
      continues_id: ref("message", "The interrupted answer that it continues."),
      ask_group: "Shared by the answers to one message that were requested together.",
      ask_column: "The place in the group; null for a merged answer.",
      picked_at: "When the person chose to continue from this answer of its group.",
      trashed_at: "When it was deleted from its conversation, with what followed it.",
      merged_from: "The answers that this one merges, as a JSON array of IDs.",
      idempotency_scope: "Whose idempotency keys it counts among.",
      idempotency_key: "The caller's key for this request; unique in its scope.",
      request_hash: "Hash of the request.",
      created_at: "When it was added.",
    },
  },
  feedback: {
    area: "conversations",
    is: "What a person thinks of an answer. Everyone who reads the conversation sees it; a temporary chat has none.",
    kept: "As long as its message, unless its person removes it.",
    columns: {
      message_id: ref("message", "The answer."),
      user_id: person("Whose rating it is. Each person has one for an answer."),
      value: `${oneOf(feedbackValues)}.`,
      reasons: `JSON list of what it is about: ${oneOf(feedbackReasons)}.`,
      text: personal("Why, in their own words."),
      at: "When it was given or last changed.",
    },
  },
};
