import { oneOf, person, ref, secret, type WordsOf } from "./words.ts";

export const server: WordsOf<"instance" | "worker" | "chore" | "change"> = {
  instance: {
    area: "server",
    is: "This installation: one row.",
    kept: "For good.",
    columns: {
      id: "Always 1.",
      owner_id: person("The owner; null before setup."),
      setup_code_hash: secret("Hash of the one-time setup code."),
      epoch: "Id that changes when the database was restored or copied.",
      master_key_check: secret("A known text, sealed, to recognize the master key."),
      place: "JSON: where the database was last served from, to recognize a copy.",
      files_nonce: "The mark in the file storage that belongs to this database.",
      files_next: "The next mark, while it is written.",
      files_prefixes: "JSON list of prefixes this database wrote under as a copy.",
      created_at: "When it was set up.",
      models_for: "Who uses models without a rule: `everyone` or `admins`.",
      members_connect: "1: members may add connections.",
      person_bytes: "Bytes that each person may store; null: no limit.",
      project_bytes: "Bytes that each project may store; null: no limit.",
    },
  },
  worker: {
    area: "server",
    is: "A server that is running.",
    kept: "Until it stops, or 30 s after its last heartbeat. Never in a backup.",
    columns: {
      id: "UUIDv7, new at each start.",
      boot_id: "The process.",
      beat: "A number that grows every 5 s.",
      host: "Name of the machine.",
      started_at: "When it started.",
    },
  },
  chore: {
    area: "server",
    is: "Work that is done again and again: when it is due, and how the last time ended. Every server's round of chores is `upkeep`.",
    kept: "A row for each kind.",
    columns: {
      id: "UUIDv7.",
      kind: "Kind of work: `upkeep`.",
      key: "What it is about, unique in its kind; the kind itself where it is about the instance.",
      due_at: "When it is due.",
      worker_id: ref("worker", "The server that works on it."),
      attempts: "Failures since it last succeeded.",
      last_error: "Why the last try failed.",
    },
  },
  change: {
    area: "server",
    is: "The feed of a project: a notice that something changed. Open tabs read it again.",
    kept: "7 days.",
    columns: {
      project_id: ref("project", "The project."),
      seq: "1, 2, 3 in this project.",
      user_id: person("The one person who gets it; null: every member."),
      kind: `What changed: ${oneOf(["run", "asset", "assets", "conversation", "project", "budget"])}.`,
      id: "Id of what changed.",
      message_ids:
        "JSON list of ids: the messages of the conversation that are new or changed; null: none.",
      asset_ids: "JSON list of ids: the assets of a notice of several; null: none.",
      at: "When.",
    },
  },
};
