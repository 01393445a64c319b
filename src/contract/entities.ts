import { z } from "zod";
import { budgetAuthorities, budgetPeriods, budgetScopes, onLimits } from "./budgets.ts";
import { statableCapabilities } from "./filters/model-filters.ts";
import { feedbackReasons, feedbackValues } from "./filters/ratings.ts";
import { keyScopes } from "./key-scopes.ts";
import { limits } from "./limits.ts";
import { pictureShapes } from "./picture-shapes.ts";
import { modalities, taskNames } from "./tasks.ts";
import { waitingReasons } from "./waiting-reasons.ts";

/**
 * The product's entities as zod schemas: the API's JSON and the types used everywhere. Times are ms
 * UTC, money is micro-dollars.
 */

export const id = z.uuid();
export const time = z.int().nonnegative();
export const micros = z.int();
const json = z.record(z.string(), z.unknown());
const isLoneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Text unchanged, except that U+0000 and lone surrogates become U+FFFD, because databases can't
 * store them.
 */
export const text = (most: number) => z.string().max(most).transform(cleanText);
export const cleanText = (value: string): string =>
  value.replaceAll("\u0000", "\uFFFD").replace(isLoneSurrogate, "\uFFFD");
/**
 * A key that the client chooses for a request. A repeat with the same key and request returns the
 * earlier result.
 */
export const idempotencyKey = z.string().min(1).max(200).transform(cleanText);
/** Bidirectional control characters: a name must not reorder the text around it. */
export const turnsDirection = /[\u202A-\u202E\u2066-\u2069]/g;
/** A name or tag: NFC, trimmed, 1 to 200 characters, without direction-changing characters. */
export const name = z
  .string()
  .transform((value) => cleanText(value).replace(turnsDirection, "").normalize("NFC").trim())
  .pipe(z.string().min(1, "Enter a name.").max(limits.nameCharacters));
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email("This is not an email address.").max(254));
export const password = z
  .string()
  .min(limits.passwordCharactersLeast, `Use at least ${limits.passwordCharactersLeast} characters.`)
  .max(limits.passwordCharactersMost);

export const instanceRoles = ["owner", "admin", "member"] as const;
export const projectRoles = ["manager", "editor", "viewer"] as const;
export const runStates = [
  "queued",
  "submitting",
  "submitted",
  "running",
  "storing",
  "unconfirmed",
  "succeeded",
  "failed",
  "cancelled",
] as const;
export const visibilities = ["author", "project"] as const;
export const assetKinds = ["image", "video", "audio", "3d", "text", "file"] as const;
export const picks = ["none", "kept", "rejected"] as const;
/**
 * How a run's cost is known: reported by the provider or computed from its usage; estimated from
 * the partial output; taken from the reservation; or assumed to be zero, because the provider
 * refused the request itself and no bill has confirmed that.
 */
export const costBases = ["known", "estimated", "held", "assumed"] as const;
export const connectionStatuses = ["unchecked", "ok", "failing", "disabled"] as const;
export const themes = ["system", "light", "dark"] as const;
export const batchKinds = ["one", "variants", "models", "grid", "rows"] as const;

export const instanceRole = z.enum(instanceRoles);
export const projectRole = z.enum(projectRoles);
const runState = z.enum(runStates);
export const visibility = z.enum(visibilities);
export const task = z.enum(taskNames);
export const modality = z.enum(modalities);

export const modelRef = z.object({ connectionId: id, modelId: z.string().min(1).max(400) });

/** A person's defaults for new work. Null means the last used value. */
export const personDefaults = z.strictObject({
  chatModel: modelRef.nullable(),
  pictureModel: modelRef.nullable(),
  pictureShape: z.enum(pictureShapes).nullable(),
  /** Whether a browser with permission shows notifications if the person made no choice in it. */
  notices: z.enum(["off", "long"]).nullable(),
});
export type PersonDefaults = z.infer<typeof personDefaults>;

export const user = z.object({
  id,
  email: z.string(),
  name: z.string(),
  image: z.string().nullable(),
  role: instanceRole,
  status: z.enum(["active", "suspended"]),
  locale: z.string(),
  timeZone: z.string(),
  theme: z.enum(themes),
  /** The model that titles new conversations after their first answer; null for none. */
  titleModel: modelRef.nullable(),
  defaults: personDefaults,
  createdAt: time,
});
export const session = z.object({
  id: z.string(),
  current: z.boolean(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: time,
  expiresAt: time,
});
export const invite = z.object({
  id,
  kind: z.enum(["join", "password"]),
  userId: id.nullable(),
  email: z.string(),
  role: instanceRole,
  createdBy: id,
  expiresAt: time,
  usedAt: time.nullable(),
});

/**
 * An invitation to a project, as its managers see it. It does not reveal whether the address has an
 * account.
 */
export const memberInvite = z.object({ id, email: z.string(), role: projectRole, expiresAt: time });
/** An invitation to a project, as the invited person sees it. */
export const ownInvite = z.object({
  id,
  projectName: z.string(),
  inviterName: z.string(),
  role: projectRole,
  expiresAt: time,
});

export const project = z.object({
  id,
  name: z.string(),
  description: z.string(),
  instructions: z.string(),
  ownerId: id,
  defaults: json,
  archivedAt: time.nullable(),
  createdAt: time,
  role: projectRole,
});
export const importStates = ["open", "done", "failed", "cancelled"] as const;
/** A project being imported from an archive, which nobody sees before it is complete. */
export const projectImport = z.object({
  id,
  state: z.enum(importStates),
  /** The project's name in the archive. */
  name: z.string(),
  filesDone: z.int(),
  filesTotal: z.int(),
  /** Files that were lost before the export. */
  filesMissing: z.int(),
  /** Set once the import is complete. */
  projectId: id.nullable(),
  /** Why the import failed, in a sentence. */
  problem: z.string().nullable(),
  createdAt: time,
});
export const projectMember = z.object({
  projectId: id,
  userId: id,
  name: z.string(),
  email: z.string(),
  role: projectRole,
  createdAt: time,
});

/**
 * An API key: a part of its person's rights, in one project. The key itself isn't stored; `prefix`
 * is its beginning, to recognize it.
 */
export const apiKey = z.object({
  id,
  userId: id,
  projectId: id,
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  /** The models and aliases that it may use; null for all that its person may. */
  models: z.array(modelRef).nullable(),
  ratePerMinute: z.int(),
  /** Whether its answers continue after their program has closed the connection. */
  keepsRunning: z.boolean(),
  expiresAt: time.nullable(),
  /** Accurate to a few minutes. */
  lastUsedAt: time.nullable(),
  createdAt: time,
});

export const connection = z.object({
  id,
  slug: z.string(),
  kind: z.string(),
  name: z.string(),
  scope: z.enum(["instance", "user", "project"]),
  scopeId: id.nullable(),
  baseUrls: z.record(z.string(), z.string()),
  options: json,
  hasSecret: z.boolean(),
  status: z.enum(connectionStatuses),
  statusDetail: z.string().nullable(),
  checkedAt: time.nullable(),
  createdBy: id.nullable(),
  createdAt: time,
});

/** Micro-dollars per unit, as decimal text, with the source and time. */
const modelPrice = z.object({
  unit: z.string(),
  micros: z.string(),
  /**
   * The price per unit for calls with more input tokens than `fromInputTokens`. The last matching
   * tier applies.
   */
  tiers: z.array(z.object({ fromInputTokens: z.int(), micros: z.string() })).optional(),
  source: z.string(),
  at: time,
});
/**
 * Facts that a person can set for a model if its service or the bundled snapshot is wrong or
 * silent. Omitted facts stay as reported.
 */
export const ownFacts = z.strictObject({
  contextTokens: z.int().min(1).max(1_000_000_000).optional(),
  outputTokens: z.int().min(1).max(1_000_000_000).optional(),
  /**
   * Only for kinds of connection that allow it: the task determines the model's form and how it is
   * called.
   */
  task: task.optional(),
  inputModalities: z.array(modality).min(1).optional(),
  outputModalities: z.array(modality).min(1).optional(),
  capabilities: z.partialRecord(z.enum(statableCapabilities), z.boolean()).optional(),
});
export const model = modelRef.extend({
  name: z.string(),
  description: z.string(),
  connectionName: z.string(),
  connectionKind: z.string(),
  tasks: z.array(task),
  inputModalities: z.array(modality),
  outputModalities: z.array(modality),
  capabilities: json,
  limits: json,
  /** The price of a model with a single one; `prices` contains all. */
  price: modelPrice.nullable(),
  prices: z.array(modelPrice),
  /**
   * The most that one run may reserve and cost, set by a person if the price has no upper bound.
   */
  ceilingMicros: micros.nullable(),
  status: z.enum(["active", "deprecated", "gone"]),
  fetchedAt: time,
  /** The dated snapshot with the model's facts, unless they come from its service. */
  factsSource: z.object({ name: z.string(), at: time }).nullable(),
  /** Facts set by a person, which take precedence; `by` is null once the person is deleted. */
  ownFacts: z.object({ facts: ownFacts, by: z.string().nullable(), at: time }).nullable(),
  /** When the model was first in its connection's list. */
  firstSeenAt: time,
  /**
   * The provider's release date, or else when the model joined a list read before; null if unknown.
   */
  cameAt: time.nullable(),
  /** Whether the reader has starred the model. */
  isStarred: z.boolean(),
});
export const modelDetail = model.extend({
  inputSchema: json.nullable(),
  schemaHash: z.string().nullable(),
});

/**
 * Who may use a model: everyone, only admins, or these people and the members of these projects.
 * Admins always may.
 */
export const modelUsers = z.discriminatedUnion("who", [
  z.strictObject({ who: z.literal("everyone") }),
  z.strictObject({ who: z.literal("admins") }),
  z.strictObject({
    who: z.literal("these"),
    userIds: z.array(id).max(limits.modelUsers).default([]),
    projectIds: z.array(id).max(limits.modelUsers).default([]),
  }),
]);
/**
 * An alias: lowercase letters and digits, with dots, dashes and underscores between them, but
 * without the slash of `connection/model`.
 */
export const aliasName = z
  .string()
  .min(1, "Enter a name.")
  .max(64, "Use at most 64 characters.")
  .regex(
    /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/,
    "Use lowercase letters and digits, separated by dots or dashes.",
  );
export const modelAlias = z.object({
  name: aliasName,
  /** The task of every model behind it. */
  task,
  /** In the order in which they are tried. */
  models: z.array(modelRef),
  updatedAt: time,
});
const runError = z.object({
  code: z.string(),
  message: z.string(),
  advice: z.string(),
  retryable: z.boolean(),
  field: z.string().optional(),
  connectionId: z.string().optional(),
  /** How long the provider asked to wait, counted from the end of the run. */
  retryAfterMs: z.number().optional(),
  /** The provider's own message. */
  providerMessage: z.string().optional(),
  /** The provider's unmodified response, for providers whose own clients may read it: fal. */
  providerAnswer: z.object({ status: z.int(), body: z.record(z.string(), z.json()) }).optional(),
  /**
   * For an unconfirmed run: what is known of the exchange, such as the status and body of a
   * gateway's response.
   */
  cause: z.string().optional(),
});
const runWarning = z.object({ type: z.string(), feature: z.string(), message: z.string() });
/**
 * The expansion of a run's prompt: the template, the value chosen at each of its places, and the
 * prompt's index among all.
 */
const runExpansion = z.object({
  template: z.string(),
  values: z.array(z.string()),
  index: z.int(),
  count: z.int(),
});
export const run = z.object({
  id,
  projectId: id,
  userId: id,
  visibility,
  connectionId: id,
  modelId: z.string(),
  /** The requested alias. The model above is the one that runs. */
  alias: z.string().nullable(),
  task,
  state: runState,
  input: json,
  progress: z
    .object({ done: z.number(), total: z.number(), label: z.string().optional() })
    .nullable(),
  queuePlace: z.int().nullable(),
  cancelRequestedAt: time.nullable(),
  batchId: id.nullable(),
  messageId: id.nullable(),
  retryOf: id.nullable(),
  remixOf: id.nullable(),
  expansion: runExpansion.nullable(),
  heldMicros: micros,
  costMicros: micros.nullable(),
  costBasis: z.enum(costBases).nullable(),
  waitingFor: z.enum(waitingReasons).nullable(),
  usage: json.nullable(),
  result: json.nullable(),
  warnings: z.array(runWarning),
  error: runError.nullable(),
  createdAt: time,
  startedAt: time.nullable(),
  firstOutputAt: time.nullable(),
  finishedAt: time.nullable(),
  lastSeq: z.int(),
  /** The model is free, so the cost is known before the run ends. */
  isFree: z.literal(true).optional(),
  /**
   * Only for runs of an imported project. They were made and paid for elsewhere and aren't in this
   * instance's ledger.
   */
  imported: z
    .object({
      costMicros: micros.nullable(),
      costBasis: z.enum(costBases).nullable(),
      person: z.string(),
      modelName: z.string(),
    })
    .optional(),
});
export const runEvent = z.object({
  runId: id,
  seq: z.int(),
  type: z.string(),
  payload: json,
  at: time,
});

/** A file's statement of its origin. It isn't verified: anyone can write anything into a file. */
export const provenance = z.object({
  /**
   * The file has content credentials (C2PA), by the program that signed them if they name it. Their
   * signature isn't verified.
   */
  credentials: z
    .object({ claimGenerator: z.string().nullable(), isVerified: z.literal(false) })
    .nullable(),
  /** An IPTC digital source type, such as "trainedAlgorithmicMedia". */
  digitalSourceType: z.string().nullable(),
});
export type Provenance = z.infer<typeof provenance>;

export const asset = z.object({
  id,
  projectId: id,
  visibility,
  runId: id.nullable(),
  outputIndex: z.int().nullable(),
  uploadId: id.nullable(),
  createdBy: id,
  sha256: z.string(),
  kind: z.enum(assetKinds),
  mime: z.string(),
  bytes: z.int(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationMs: z.int().nullable(),
  thumbhash: z.string().nullable(),
  variants: z.array(z.string()),
  /** Null if the file states nothing, or was saved by a version that didn't read it. */
  provenance: provenance.nullable(),
  title: z.string(),
  promptText: z.string(),
  pick: z.enum(picks),
  rating: z.int().min(0).max(5),
  trashedAt: time.nullable(),
  createdAt: time,
});
/** `count` is the number of assets with the tag that the reader sees, without the trash. */
export const tag = z.object({ id, name: z.string(), count: z.int() });
/** Chosen assets in a custom order, or, for a smart collection, a saved filter of the library. */
export const collectionKinds = ["manual", "smart"] as const;
export const collection = z.object({
  id,
  kind: z.enum(collectionKinds),
  name: z.string(),
  /** The filter of a smart collection, as `listAssets` takes it. */
  query: z.record(z.string(), z.string()).nullable(),
  /** How many of its assets the reader sees, without the trash; 0 for a smart collection. */
  count: z.int(),
  /** The chosen cover if the reader sees it, or else the newest asset. */
  cover: asset.nullable(),
  trashedAt: time.nullable(),
  createdBy: id,
  createdAt: time,
  updatedAt: time,
});
export const batch = z.object({
  id,
  projectId: id,
  kind: z.enum(batchKinds),
  input: json,
  createdBy: id,
  createdAt: time,
});
/** Results side by side. */
export const comparison = z.object({
  id,
  projectId: id,
  userId: id,
  visibility,
  task,
  title: z.string(),
  /** Models are hidden until a person reveals them. Only votes given before count. */
  blind: z.boolean(),
  createdAt: time,
  trashedAt: time.nullable(),
});
/** A person's vote in a comparison. */
export const vote = z.object({
  /** Positions of the entries in the order shown to this person. */
  shownOrder: z.array(z.int()),
  /**
   * Positions of the best entries: several are a tie, none means that no result is good. Null
   * before the vote.
   */
  best: z.array(z.int()).nullable(),
  /** The vote was given after the models were revealed, and doesn't count. */
  revealedBefore: z.boolean(),
  revealedAt: time.nullable(),
  at: time,
});
export const upload = z.object({
  id,
  projectId: id,
  name: z.string(),
  bytes: z.int(),
  state: z.enum(["open", "complete", "aborted"]),
  createdAt: time,
});

export const conversation = z.object({
  id,
  projectId: id,
  userId: id,
  visibility,
  title: z.string(),
  systemPrompt: z.string(),
  settings: json,
  pinned: z.boolean(),
  archivedAt: time.nullable(),
  /** When it was moved to the trash. */
  trashedAt: time.nullable(),
  headMessageId: id.nullable(),
  /** When a temporary chat is deleted unless a message is added. */
  expiresAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
});
/** A folder of one person's conversations in a project, visible to nobody else. */
export const conversationFolder = z.object({
  id,
  parentId: id.nullable(),
  name: z.string(),
  position: z.int(),
});
/**
 * "refused": the person refused it before it ran; "stopped": the person stopped it while it ran,
 * and no answer follows.
 */
export const toolStates = ["open", "done", "failed", "refused", "stopped"] as const;
/** "later": only the messages after the choice are sent; "all": nothing is left out. */
const contextSends = ["later", "all"] as const;
/** Metadata that a provider requires back with its own part, by the provider's kind. */
const providerMetadata = z.record(z.string(), json);
export const messagePart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("reasoning"),
    text: z.string(),
    /**
     * How long the model reasoned, if its reasoning was streamed. The first part of a message has
     * the total.
     */
    durationMs: time.optional(),
    providerMetadata: providerMetadata.optional(),
  }),
  z.object({ type: z.literal("file"), assetId: id }),
  z.object({
    type: z.literal("source"),
    title: z.string(),
    url: z.string().optional(),
    document: z.string().optional(),
    /** Set if the document is a file in the conversation. */
    assetId: id.optional(),
  }),
  /**
   * A tool call of the model. `malformed` is its input if that isn't a JSON object; `written` is
   * the input's text if JSON.stringify would change it.
   */
  z.object({
    type: z.literal("tool-call"),
    callId: z.string(),
    name: z.string(),
    input: json,
    malformed: z.string().optional(),
    written: z.string().optional(),
    providerMetadata: providerMetadata.optional(),
  }),
  /** The result of a tool call, open until it has one. A model used as a tool has a run. */
  z.object({
    type: z.literal("tool-result"),
    callId: z.string(),
    name: z.string(),
    state: z.enum(toolStates),
    runId: id.nullable(),
    /** The text that the model reads. */
    output: z.string(),
    assetIds: z.array(id),
    /** The pictures returned by a server's tool, which vision models read. */
    pictureIds: z.array(id).optional(),
  }),
  /**
   * The work of a provider's own tools for this answer, in the provider's format. The next request
   * returns it to the same connection.
   */
  z.object({ type: z.literal("tool-record"), connectionId: id, data: json }),
  /** Why no answer followed the tools. */
  z.object({ type: z.literal("problem"), error: runError }),
  /** A context choice: only the messages after it are sent, or all of them again. */
  z.object({ type: z.literal("context"), sends: z.enum(contextSends) }),
]);
/** A person's rating of an answer. */
export const feedback = z.object({
  userId: id,
  person: z.string(),
  value: z.enum(feedbackValues),
  reasons: z.array(z.enum(feedbackReasons)),
  text: z.string(),
  at: time,
});
export type Feedback = z.infer<typeof feedback>;
export const message = z.object({
  id,
  conversationId: id,
  parentId: id.nullable(),
  /**
   * A "tool" message holds the results of the tool calls of the answer above it. A "context"
   * message isn't on a branch: it decides whether branches that continue from its parent send the
   * messages up to there; its text, if any, is sent instead.
   */
  role: z.enum(["user", "assistant", "tool", "context"]),
  state: z.enum(["streaming", "complete", "interrupted"]),
  parts: z.array(messagePart),
  runId: id.nullable(),
  createdAt: time,
  /**
   * The message was copied into a fork together with its run, which was paid for in the original.
   */
  isCopy: z.literal(true).optional(),
  /** Only for an answer that was requested side by side with others. */
  group: z
    .object({
      id,
      /**
       * The column, from 0. An answer that replaces another has the same column; a merged answer
       * has none.
       */
      column: z.int().nullable(),
      /** When the person picked it to continue from. */
      pickedAt: time.nullable(),
      /** The answers that this one merges. */
      mergedFrom: z.array(id).optional(),
    })
    .optional(),
  /** In lists of a conversation's messages: the ratings of this answer, if any. */
  feedback: z.array(feedback).optional(),
});
/** The tools of a conversation's model; `allowed` tools run without approval. */
export const conversationTools = z.object({
  models: z
    .array(modelRef.extend({ allowed: z.boolean() }))
    .max(limits.toolsPerConversation)
    .default([]),
  /** Whether the model may search the library and read its files. */
  library: z.boolean().default(false),
});
/** The JSON Schema that each answer of a conversation has to match. */
export const conversationShape = z.object({ schema: json });
export const budget = z.object({
  id,
  scope: z.enum(budgetScopes),
  /** Null for the instance itself, or for the default of new projects or people. */
  scopeId: id.nullable(),
  period: z.enum(budgetPeriods),
  timeZone: z.string(),
  limitMicros: micros,
  onLimit: z.enum(onLimits),
  /**
   * Who controls the budget: an admin, or a manager for their own project. Budgets of both apply
   * independently.
   */
  authority: z.enum(budgetAuthorities),
  createdAt: time,
});
const balance = z.object({ spentMicros: micros, heldMicros: micros });
/** A budget with its spending in the current period. */
export const budgetStanding = budget.extend({
  ...balance.shape,
  /** Counted runs with an unknown cost, which make the spending a lower bound. */
  unpricedRuns: z.int(),
  periodStart: time,
  periodEnd: time.nullable(),
});

/** An entry of a project's change feed: watchers reload what changed. */
export const change = z.object({
  seq: z.int(),
  /**
   * `assets`: several at once. `tag`, `collection`: the list of them, or one of them. `words`: word
   * lists. The id of these is the project's.
   */
  kind: z.enum([
    "run",
    "asset",
    "assets",
    "tag",
    "collection",
    "conversation",
    "comparison",
    "project",
    "budget",
    "words",
  ]),
  id: z.string(),
  /** For a conversation: its new or changed messages. */
  messageIds: z.array(id).optional(),
  at: time,
});

export type User = z.infer<typeof user>;
export type Session = z.infer<typeof session>;
export type Invite = z.infer<typeof invite>;
export type Project = z.infer<typeof project>;
export type MemberInvite = z.infer<typeof memberInvite>;
export type OwnInvite = z.infer<typeof ownInvite>;
export type ProjectImport = z.infer<typeof projectImport>;
export type ProjectMember = z.infer<typeof projectMember>;
export type ApiKey = z.infer<typeof apiKey>;
export type Connection = z.infer<typeof connection>;
export type Collection = z.infer<typeof collection>;
export type Tag = z.infer<typeof tag>;
export type ModelRef = z.infer<typeof modelRef>;
export type ModelAlias = z.infer<typeof modelAlias>;
export type ModelUsers = z.infer<typeof modelUsers>;
export type Model = z.infer<typeof model>;
export type OwnFacts = z.infer<typeof ownFacts>;
export type ModelDetail = z.infer<typeof modelDetail>;
export type Run = z.infer<typeof run>;
export type RunState = z.infer<typeof runState>;
export type RunError = z.infer<typeof runError>;
export type RunExpansion = z.infer<typeof runExpansion>;
export type RunWarning = z.infer<typeof runWarning>;
export type RunEvent = z.infer<typeof runEvent>;
export type Asset = z.infer<typeof asset>;
export type Batch = z.infer<typeof batch>;
export type Comparison = z.infer<typeof comparison>;
export type Vote = z.infer<typeof vote>;
export type Conversation = z.infer<typeof conversation>;
export type ConversationFolder = z.infer<typeof conversationFolder>;
export type Message = z.infer<typeof message>;
export type MessagePart = z.infer<typeof messagePart>;
export type ConversationTools = z.infer<typeof conversationTools>;
export type ToolResultPart = Extract<MessagePart, { type: "tool-result" }>;
export type ToolCallPart = Extract<MessagePart, { type: "tool-call" }>;
export type Change = z.infer<typeof change>;
export type Budget = z.infer<typeof budget>;
export type Balance = z.infer<typeof balance>;
export type BudgetStanding = z.infer<typeof budgetStanding>;
export type CostBasis = (typeof costBases)[number];
export type InstanceRole = z.infer<typeof instanceRole>;
export type ProjectRole = z.infer<typeof projectRole>;
export type Visibility = z.infer<typeof visibility>;
