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
    layout:
      "List of conversations with folders and tags, thread with composer (several answers in columns), facts about one answer.",
    does: [
      "ask, attach files, dictate, have answers read aloud",
      "ask up to six models side by side, then continue with one answer, merge them into one, or compare them",
      "edit, retry, continue and switch branches; fork a conversation from a message; delete a message with everything below it, and undo that",
      "rate an answer with a thumb and reasons",
      "turn tools on, approve their calls, answer their questions",
      "set the system prompt, the model's settings and the shape of answers, choose the messages to send",
      "start a temporary chat, which is deleted when it is closed, or 24 hours after its last message",
      "search all conversations or the open one; rename, pin and archive; sort into personal folders and tags",
      "share with the project, export as a page, Markdown or JSON, delete and restore",
    ],
    data: [
      "conversation",
      "message",
      "folder",
      "conversation_tag",
      "feedback",
      "run",
      "run_event",
      "asset",
      "model",
    ],
  },
  create: {
    layout: "Form of the model, feed of batches, facts about one result.",
    does: [
      "choose one to eight models, fill in the form, see the price, make variants",
      "make every combination of choices and word lists in a prompt; edit the project's word lists",
      "let a language model improve the prompt, or describe a picture as one, and see its changes before using them",
      "upload and pick input files; crop, straighten and adjust a picture in the editor",
      "load the recipe of a result into the form, and restore the draft",
      "cancel, retry, keep, reject, compare, and use a result as input",
    ],
    data: ["batch", "run", "run_event", "output", "asset", "model", "upload", "word_list"],
  },
  draw: {
    layout: "Canvas, live picture, settings.",
    does: ["draw while a live model answers", "pin a frame into the library"],
    data: ["run", "output", "asset", "balance"],
  },
  library: {
    layout:
      "Views, collections, saved searches and tags; filters and gallery; facts about one file and its recipe.",
    does: [
      "search, filter, sort, group by day, batch or model, change the size of the tiles",
      "select up to all that match; keep, reject, rate, tag, move to another project, compare, download; undo the last of these",
      "put files into collections, arrange them by hand, choose a cover; save a search; rename, merge and delete tags",
      "find pictures that look similar",
      "open a result large, over any screen, and step to the next; zoom, mark and act on it with keys",
      "see a recipe, its lineage and its content credentials; make again, vary, edit, animate, use as input",
      "upload, delete, restore from the trash",
    ],
    data: [
      "asset",
      "tag",
      "asset_tag",
      "collection",
      "collection_item",
      "blob",
      "upload",
      "run",
      "run_input",
      "output",
    ],
  },
  compare: {
    layout:
      "The list shows comparisons as cards. A comparison shows its results side by side, with the leaderboard on the right.",
    does: [
      "compare 2 to 8 results side by side, with a slider, or one after the other, with shared zoom",
      "play videos in sync, see the words that differ between texts",
      "rename comparisons, which the palette finds by their title",
      "vote blind with the keyboard, in a shuffled and recorded order, then reveal the models",
      "read the leaderboard: Bradley-Terry ratings with 95% intervals by task and project, quality by price, CSV download",
    ],
    data: ["comparison", "comparison_entry", "vote", "run", "asset", "message"],
  },
  activity: {
    layout: "States and people, list of runs, page of one run.",
    does: [
      "see running, waiting, failed and unconfirmed runs, with a batch as one row that unfolds",
      "search by prompt, conversation title, model, task and error; filter by state, person, task and model",
      "approve, cancel, retry, resolve one run or all, fetch missing files",
      "read the log, attempts, cost, inputs and outputs of a run",
    ],
    data: ["run", "batch", "attempt", "output", "run_event", "run_input", "ledger_entry"],
  },
  models: {
    layout:
      "Gallery of models with their results here, list of all models with filters, page of one model.",
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
    does: [
      "see spent, reserved and unconfirmed money, and how full each budget is",
      "see the cost per keeper: what each kept file cost, by model and by prompt",
      "download the ledger as CSV",
    ],
    data: [
      "run",
      "asset",
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
      "choose the model that titles new conversations, with its approximate price",
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
