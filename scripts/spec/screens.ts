import type { ScreenName } from "#contract/screens.ts";
import type { TableName } from "./tables/words.ts";

export type ScreenWords = {
  /** The screen's parts, from left to right at 1,440 pixels. */
  layout: string;
  does: readonly string[];
  /** The tables whose rows the screen shows or changes. */
  data: readonly TableName[];
};

/** People's actions on each screen. A missing screen doesn't compile. */
export const screenWords: Record<ScreenName, ScreenWords> = {
  setup: {
    layout: "One column: account, then the servers and keys found on this machine.",
    does: [
      "create the owner's account with the one-time code",
      "accept the local servers and keys found",
    ],
    data: ["instance", "user", "account", "project", "connection"],
  },
  join: {
    layout: "One column: inviter, name, password.",
    does: ["create an account or set a new password from a one-time link"],
    data: ["invite", "user", "account", "project_member"],
  },
  login: {
    layout: "One column: email, password.",
    does: ["sign in"],
    data: ["user", "account", "session"],
  },
  home: {
    layout: "Composer on top. Below it: runs that need you, results and running work, recent work.",
    does: [
      "ask a model or start making something",
      "approve runs, resolve unconfirmed runs, answer invitations",
      "see running work, open recent conversations and results",
    ],
    data: ["run", "conversation", "asset", "invite", "budget", "balance", "connection"],
  },
  chat: {
    layout: "List of conversations, thread with composer, facts about one answer.",
    does: [
      "ask, attach files, dictate, have answers read aloud",
      "edit, retry, continue and switch branches",
      "approve tools, set the system prompt, choose the messages to send",
      "search, rename, pin, archive, share and delete conversations",
    ],
    data: ["conversation", "message", "run", "run_event", "asset", "model"],
  },
  create: {
    layout: "Form of the model, feed of batches, facts about one result.",
    does: [
      "choose one to eight models, fill in the form, see the price, make variants",
      "make every combination of choices and word lists in a prompt",
      "upload, pick and crop input files",
      "cancel, retry, keep, reject, and use a result as input",
    ],
    data: ["batch", "run", "run_event", "output", "asset", "model", "upload", "word_list"],
  },
  draw: {
    layout: "Canvas, live picture, settings.",
    does: ["draw while a live model answers", "pin a frame into the library"],
    data: ["run", "output", "asset", "balance"],
  },
  library: {
    layout: "Filters, gallery, facts about one file and its recipe.",
    does: [
      "search, filter, select, keep, reject, rate, download",
      "open a result large, over any screen, and step to the next; zoom, mark and act on it with keys",
      "see a recipe and its lineage, make again, vary, use as input",
      "upload, delete, restore from the trash",
    ],
    data: ["asset", "blob", "upload", "run", "run_input", "output"],
  },
  compare: {
    layout:
      "The list shows comparisons as cards. A comparison shows its results side by side, with the leaderboard on the right.",
    does: [
      "compare 2 to 8 results side by side, with a slider, or one after the other, with shared zoom",
      "play videos in sync, see the words that differ between texts",
      "vote blind with the keyboard, in a shuffled and recorded order, then reveal the models",
      "read the leaderboard: Bradley-Terry ratings with 95% intervals by task and project, quality by price, CSV download",
    ],
    data: ["comparison", "comparison_entry", "vote", "run", "asset", "message"],
  },
  activity: {
    layout: "List of runs, page of one run.",
    does: [
      "see running, waiting, failed and unconfirmed runs",
      "approve, cancel, retry, resolve, fetch missing files",
      "read the log, attempts, cost, inputs and outputs of a run",
    ],
    data: ["run", "attempt", "output", "run_event", "run_input", "ledger_entry"],
  },
  models: {
    layout: "Each model's results here, list of all models with filters, page of one model.",
    does: [
      "search and filter by task, place, price and capability; star",
      "try a prompt on one model in place, or on four models",
      "read schema, limits and price; set a price, a ceiling or facts",
      "pull and delete models of a local server",
    ],
    data: ["model", "model_override", "model_star", "model_access", "workflow"],
  },
  usage: {
    layout: "Totals, chart by day or month, tables by model, person and so on.",
    does: ["see spent, reserved and unconfirmed money", "download it as CSV"],
    data: [
      "usage_day",
      "usage_month",
      "usage_key_day",
      "usage_key_month",
      "ledger_entry",
      "budget",
      "balance",
    ],
  },
  docs: {
    layout: "List of calls, facts about one call.",
    does: ["read the API reference with this server's addresses"],
    data: [],
  },
  project: {
    layout: "One column: facts, members, connections, budget, webhooks, export.",
    does: [
      "rename, describe, write instructions, archive, export, import",
      "invite members and set their roles, hand the project over",
      "add connections, a budget and webhooks",
      "delete it",
    ],
    data: [
      "project",
      "deleted_project",
      "project_member",
      "invite",
      "connection",
      "budget",
      "webhook_endpoint",
      "webhook_out",
      "project_import",
    ],
  },
  settings: {
    layout:
      "Sections: Profile, Appearance, Defaults, Notifications, Security, API keys, Connections.",
    does: [
      "change name, number format, time zone, theme and password; end sessions",
      "set defaults for new chats and pictures",
      "create, rotate and revoke API keys, each with a budget",
      "add personal connections",
      "delete the account",
    ],
    data: [
      "user",
      "deleted_person",
      "session",
      "api_key",
      "connection",
      "connection_grant",
      "budget",
    ],
  },
  admin: {
    layout:
      "Sections: People, Projects, Connections, Models, Aliases, API keys, Budgets, Storage, Backups, Audit log, Health.",
    does: [
      "invite, suspend, restore and delete people, set roles, hand projects over",
      "delete projects and restore deleted ones",
      "add shared connections, set access to models, name aliases",
      "set budgets and storage limits, add webhooks, compare bills",
      "see storage use, the audit log, and the state of servers, queue and background work",
      "set daily backups",
    ],
    data: [
      "user",
      "deleted_person",
      "deleted_project",
      "invite",
      "connection",
      "circuit",
      "model_access",
      "model_alias",
      "api_key",
      "budget",
      "webhook_endpoint",
      "audit_event",
      "asset",
      "blob",
      "worker",
      "chore",
      "run",
    ],
  },
};
