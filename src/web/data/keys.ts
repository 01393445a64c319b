import type { QueryClient } from "@tanstack/react-query";
import type { Change, ModelRef } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";

/**
 * Every server answer that the browser caches, by its key, and the changes that make each answer
 * stale. A key is a name, then its owner, then the part. Keys built elsewhere don't compile.
 */

type StaleKeys = {
  /** Lists of the change's project: `[name, projectId, ...]`. */
  lists: readonly string[];
  /** The changed object itself: `[name, id, ...]`. */
  things: readonly string[];
  /** Answers that span several projects: `[name, ...]`. */
  beyond: readonly string[];
};

/**
 * The keys that each kind of change in a project's feed makes stale. A kind without an entry
 * doesn't compile.
 */
const touchedBy = {
  run: { lists: ["runs", "batches", "comparisons"], things: ["run"], beyond: ["waiting"] },
  asset: {
    lists: ["assets", "batches", "tags", "collections", "comparisons"],
    things: ["asset"],
    beyond: ["leaderboard"],
  },
  assets: {
    lists: ["assets", "batches", "tags", "collections", "comparisons"],
    things: [],
    beyond: ["asset", "leaderboard"],
  },
  collection: { lists: ["assets", "collections"], things: [], beyond: [] },
  tag: { lists: ["assets", "tags"], things: [], beyond: ["asset"] },
  comparison: { lists: ["comparisons"], things: [], beyond: ["leaderboard"] },
  conversation: { lists: ["conversations"], things: ["conversation"], beyond: [] },
  project: { lists: ["project"], things: [], beyond: ["me"] },
  words: { lists: ["wordLists"], things: [], beyond: [] },
  budget: { lists: [], things: [], beyond: ["budgets", "waiting"] },
} as const satisfies Record<Change["kind"], StaleKeys>;

/**
 * The keys that this person's own changes make stale if no feed reports them, or before a feed
 * does.
 */
const touchedByOwn = {
  account: ["me"],
  access: ["modelAccess", "models", "connections"],
  alias: ["modelAliases", "modelAccess", "models"],
  budget: ["budgets"],
  connection: ["connections", "models", "loadedModels"],
  context: ["estimates"],
  cost: ["usage", "budgets"],
  deletion: ["adminProjects", "deletedProjects", "people", "project", "me"],
  decision: ["waiting", "runs", "run", "batches"],
  import: ["imports"],
  key: ["keys"],
  member: ["project", "me"],
  model: ["models"],
  person: ["people"],
  session: ["sessions"],
  storage: ["storage"],
  webhook: ["webhooks"],
} as const satisfies Record<string, readonly string[]>;

/** Keys that no change makes stale. */
type Unchanging =
  // Constant until the server or the file changes.
  | "connectionKinds"
  | "dictation"
  | "openapi"
  | "text"
  | "waveform"
  // Read once, for one screen.
  | "audit"
  | "foundServices"
  | "health"
  | "instance"
  | "invite"
  | "lookAround"
  | "neighbours"
  | "search";

type TouchedByFeed = (typeof touchedBy)[Change["kind"]][keyof StaleKeys][number];
type TouchedByOwn = (typeof touchedByOwn)[keyof typeof touchedByOwn][number];
type Name = TouchedByFeed | TouchedByOwn | Unchanging;

declare const brand: unique symbol;
export type Key = readonly unknown[] & { readonly [brand]: true };
declare module "@tanstack/react-query" {
  interface Register {
    queryKey: Key;
  }
}

const toKey = (...parts: [name: Name, ...rest: unknown[]]) => parts as unknown as Key;

/** Builds the keys of a name. Fewer `Parts` match every key that begins with them. */
const named =
  <Parts extends unknown[]>(name: Name) =>
  (...parts: Parts): Key =>
    toKey(name, ...parts);

type Model = ModelRef["modelId"];
type Connection = ModelRef["connectionId"];
type Id = string;
type Search = string;

/**
 * Exactly the names in the tables above. A name without a key, or a key without a table entry,
 * doesn't compile.
 */
export const keys = {
  adminProjects: named<[] | [filter: object]>("adminProjects"),
  asset: named<[assetId?: Id] | [assetId: Id, part: "made-from", cursor: string | null]>("asset"),
  assets: named<
    | [projectId: Id]
    | [projectId: Id, part: "counts" | "models" | "recent" | "page"]
    | [projectId: Id, part: "layout" | "pick", filter: object]
    | [projectId: Id, part: "page", filter: object, cursor: string]
    | [projectId: Id, part: "made-with", Connection, Model]
    | [projectId: Id, part: "used-models", filter: object]
  >("assets"),
  audit: named<[filter: object]>("audit"),
  batches: named<[projectId: Id]>("batches"),
  budgets: named<[whose: "mine" | "instance"] | [whose: "payers", filter: object]>("budgets"),
  collections: named<
    | [projectId: Id]
    | [projectId: Id, part: "list", of: object]
    | [projectId: Id, part: "one", collectionId: Id]
  >("collections"),
  comparisons: named<
    | []
    | [projectId: Id]
    | [projectId: Id, part: "list", trash: boolean]
    | [projectId: Id, part: "one", comparisonId: Id]
  >("comparisons"),
  connectionKinds: named<[]>("connectionKinds"),
  connections: named<[] | [of: "project", projectId: Id]>("connections"),
  conversation: named<
    | [conversationId: Id]
    | [conversationId: Id, part: "cost"]
    | [conversationId: Id, part: "found", Search]
  >("conversation"),
  conversations: named<
    | [projectId: Id]
    | [projectId: Id, part: "list" | "recent" | "titles" | "trash"]
    | [projectId: Id, part: "list", archived: boolean, filed: object]
    | [projectId: Id, part: "search", Search, filed: object]
    | [projectId: Id, part: "folders"]
    | [projectId: Id, part: "filing", conversationId: Id]
  >("conversations"),
  deletedProjects: named<[]>("deletedProjects"),
  dictation: named<[runId: Id | null]>("dictation"),
  estimates: named<[projectId: Id, ask: object | null, state: string]>("estimates"),
  foundServices: named<[]>("foundServices"),
  health: named<[]>("health"),
  imports: named<[]>("imports"),
  instance: named<[]>("instance"),
  invite: named<[token: string]>("invite"),
  keys: named<[whose: "mine"] | [whose: "all", filter: object]>("keys"),
  leaderboard: named<[] | [projectId: Id | null, task: Task | null]>("leaderboard"),
  loadedModels: named<[Connection]>("loadedModels"),
  lookAround: named<[code: string]>("lookAround"),
  me: named<[]>("me"),
  modelAccess: named<
    | []
    | [part: "models", filter: object]
    | [part: "users", of: object | null]
    | [part: "for-alias", task: Task | undefined, Search]
  >("modelAccess"),
  modelAliases: named<[]>("modelAliases"),
  models: named<
    | [projectId: Id, part: "tools"]
    | [projectId: Id, part: "tasks", filter: object]
    | [projectId: Id, part: "usual" | "trial", task: Task | "all"]
    | [projectId: Id, part: "list" | "suggested", filter: object]
    | [projectId: Id, part: "one", Connection, Model]
    | [projectId: Id, part: Task | "all", Search]
    | [projectId: Id, part: "of" | "first", Connection]
    | [projectId: Id, part: "voice", Task]
    | [part: "workflows", Connection]
  >("models"),
  neighbours: named<[assetId?: Id, cursor?: string, count?: number]>("neighbours"),
  openapi: named<[]>("openapi"),
  people: named<[] | [filter: object] | [userId: string, part: "deletion"]>("people"),
  project: named<
    [projectId: Id] | [projectId: Id, part: "members", filter: object] | [projectId: Id, "deletion"]
  >("project"),
  run: named<[runId: Id] | [runId: Id, part: "log"]>("run"),
  runs: named<
    | [projectId: Id]
    | [projectId: Id, part: "open"]
    | [projectId: Id, part: "pages", state: string, filter: object]
    | [projectId: Id, part: "readings", messageId: Id]
  >("runs"),
  search: named<[projectId: Id, Search]>("search"),
  sessions: named<[]>("sessions"),
  storage: named<[] | [part: "use" | "backups"]>("storage"),
  text: named<[sha256: string]>("text"),
  tags: named<
    | [projectId: Id]
    | [projectId: Id, part: "list" | "named" | "pages", Search]
    | [projectId: Id, part: "of", target: object]
  >("tags"),
  usage:
    named<[asAdmin: boolean, projectId: Id | "all", from: string, to: string, part?: "keepers"]>(
      "usage",
    ),
  waiting: named<[]>("waiting"),
  waveform: named<[assetId: Id]>("waveform"),
  wordLists: named<[projectId: Id] | [projectId: Id, part: "one", name: string]>("wordLists"),
  webhooks: named<[projectId: Id | null] | [part: "paused"] | [part: "deliveries", webhookId: Id]>(
    "webhooks",
  ),
} satisfies Record<Name, unknown>;

/** The conversation id in a key; undefined if the key isn't an open conversation's. */
export const conversationOf = (key: Key): Id | undefined =>
  key[0] === "conversation" ? String(key[1]) : undefined;

/** Whether a key belongs to a project's models and has this part. */
export const isOfModels = (key: Key, part: "list" | "one"): boolean =>
  key[0] === "models" && key[2] === part;

/** Whether a key belongs to a short list of models, such as the gallery. */
export const isShortList = (key: Key): boolean =>
  (key[0] === "models" && ["usual", "trial", "suggested"].includes(String(key[2]))) ||
  (key[0] === "assets" && key[2] === "used-models");

/** The keys made stale by a change in a project's feed. */
export function keysOfChange(projectId: Id, { kind, id }: Pick<Change, "kind" | "id">): Key[] {
  const { lists, things, beyond } = touchedBy[kind];
  return [
    ...lists.map((name) => toKey(name, projectId)),
    ...things.map((name) => toKey(name, id)),
    ...beyond.map((name) => toKey(name)),
  ];
}

/** The keys that any change in a project's feed could make stale, for a feed with a gap. */
export const keysOfGap = (projectId: Id): Key[] =>
  Object.values(touchedBy).flatMap(({ lists, things, beyond }) => [
    ...lists.map((name) => toKey(name, projectId)),
    ...[...things, ...beyond].map((name) => toKey(name)),
  ]);

/** Refetches the answers made stale by this person's own change. */
export const refreshAfter = (
  queryClient: QueryClient,
  change: keyof typeof touchedByOwn,
): Promise<unknown> =>
  Promise.all(
    touchedByOwn[change].map((name) => queryClient.invalidateQueries({ queryKey: toKey(name) })),
  );
