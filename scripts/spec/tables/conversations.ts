import { visibilities } from "#contract/entities.ts";
import { feedbackReasons, feedbackValues } from "#contract/filters/ratings.ts";
import { oneOf, person, personal, ref, type WordsOf } from "./words.ts";

export const conversations: WordsOf<
  "conversation" | "conversation_tag" | "feedback" | "folder" | "message"
> = {
  conversation: {
    area: "conversations",
    is: "A chat: a tree of messages with a system prompt and settings.",
    kept: "Until deleted. It stays in the trash for 30 days, or until it is deleted there. Its row and messages are then deleted. A temporary chat lasts until it is closed, or 24 hours after its last message. The text of its runs is deleted with it.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("Its author."),
      visibility: `Who can read it: ${oneOf(visibilities)} (\`author\` until it is shared).`,
      title: personal("Title."),
      system_prompt: personal("System prompt."),
      settings: "JSON: model, its settings, tools, the shape of answers.",
      pinned: "1: at the top of the list.",
      temporary: "1: a temporary chat, which appears in no list, search or export.",
      archived_at: "When it was archived.",
      trashed_at: "When it went to the trash.",
      head_message_id: ref("message", "The last message of the shown branch."),
      folder_id: ref("folder", "The author's folder that contains it."),
      titling:
        "Whether a model writes its title: `open` before its first answer, then `due`, `asked`, or `done` (the title is final).",
      forked_from: ref("message", "For a fork: the last message that was copied into it."),
      idempotency_scope: "The scope in which its idempotency key is unique.",
      idempotency_key: "The caller's key for this request, unique in its scope.",
      request_hash: "Hash of the request.",
      created_at: "When it was created.",
      updated_at: "When a message was last added or completed.",
    },
  },
  folder: {
    area: "conversations",
    is: "A folder of one person's conversations in a project, at most three levels deep. Only that person sees it.",
    kept: "Until deleted. Its conversations and folders move up.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("Its owner."),
      parent_id: ref("folder", "The folder that contains it; null: at the top."),
      name: personal("Name."),
      position: "Its position among the folders of the same parent.",
      created_at: "When it was created.",
    },
  },
  conversation_tag: {
    area: "conversations",
    is: "A tag that a conversation's author gave it. Only the author sees it.",
    kept: "As long as its conversation.",
    columns: {
      conversation_id: ref("conversation", "The conversation."),
      folded: personal("The tag in lower case, by which tags are compared."),
      name: personal("The tag."),
    },
  },
  message: {
    area: "conversations",
    is: "A message: a node of the tree. Two children of one parent are two branches.",
    kept: "As long as its conversation. A message deleted by itself stays in the trash for 30 days, then its row is deleted.",
    columns: {
      id: "UUIDv7.",
      conversation_id: ref("conversation", "The conversation."),
      parent_id: ref("message", "The message that it answers or follows; null: the first message."),
      role: "`user`, `assistant`, `tool` (results), or `context` (what the model is sent).",
      state: "`streaming`, `complete` or `interrupted`.",
      parts: personal("JSON list: text, reasoning, files, sources, tool calls and results."),
      search: personal(
        "Folded words for the full-text index. Empty on SQLite, which stores them only in the index.",
      ),
      run_id: ref("run", "The run that writes it."),
      copy_of: ref("message", "In a fork: the original message, which its runs name."),
      continues_id: ref("message", "The interrupted answer that it continues."),
      ask_group: "Shared by answers to one message that were requested together.",
      ask_column: "Its place in the group; null: a merged answer.",
      picked_at: "When the person chose this answer of its group to continue from.",
      trashed_at: "When it and the messages below it were deleted from the conversation.",
      merged_from: "The answers that this one merges, as a JSON array of IDs.",
      idempotency_scope: "The scope in which its idempotency key is unique.",
      idempotency_key: "The caller's key for this request, unique in its scope.",
      request_hash: "Hash of the request.",
      created_at: "When it was added.",
    },
  },
  feedback: {
    area: "conversations",
    is: "A person's rating of an answer. Everyone who can read the conversation sees it. Temporary chats have none.",
    kept: "As long as its message, unless the person removes it.",
    columns: {
      message_id: ref("message", "The answer."),
      user_id: person("The person who rated. One rating per person and answer."),
      value: `${oneOf(feedbackValues)}.`,
      reasons: `JSON list of reasons: ${oneOf(feedbackReasons)}.`,
      text: personal("The reason in the person's own words."),
      at: "When it was given or last changed.",
    },
  },
};
