import { z } from "zod";
import { budgetAuthorities, budgetPeriods, budgetScopes, onLimits } from "./budgets.ts";
import { statableCapabilities } from "./filters/model-filters.ts";
import { feedbackReasons, feedbackValues } from "./filters/ratings.ts";
import { keyScopes } from "./key-scopes.ts";
import { limits } from "./limits.ts";
import { pictureShapes } from "./picture-shapes.ts";
import { modalities, taskNames } from "./tasks.ts";
import { waitingReasons } from "./waiting-reasons.ts";

/** The words of the product as zod schemas: shapes on the wire, and types everywhere. Times are ms UTC, money is micro-dollars. */

export const id = z.uuid();
export const time = z.int().nonnegative();
export const micros = z.int();
const json = z.record(z.string(), z.unknown());
const isLoneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Text as it came, except what no database keeps: U+0000 and lone surrogates become U+FFFD. */
export const text = (most: number) => z.string().max(most).transform(cleanText);
export const cleanText = (value: string): string =>
  value.replaceAll("\u0000", "\uFFFD").replace(isLoneSurrogate, "\uFFFD");
/** A caller's own word for one request: the same word and request again are answered with what is already there. */
export const idempotencyKey = z.string().min(1).max(200).transform(cleanText);
/** Bidirectional control characters: a name must not reorder the text around it. */
export const turnsDirection = /[\u202A-\u202E\u2066-\u2069]/g;
/** A name or tag: NFC, trimmed, 1 to 200 characters, without marks that turn the direction of the line. */
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
 * How a run's cost is known: stated by the provider or counted by prices; estimated from the part that arrived; its whole hold is taken for
 * it; or nothing, because the provider refused the request in its own words and nobody has seen the bill yet.
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

/** What a person's new work begins with. Null: what was used last. */
export const personDefaults = z.strictObject({
  chatModel: modelRef.nullable(),
  pictureModel: modelRef.nullable(),
  pictureShape: z.enum(pictureShapes).nullable(),
  /** Whether a browser that may notify does, where the person chose nothing on it. */
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
  /** Titles new conversations after their first answer; null: no model does. */
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

/** An invitation to a project, as its managers see it. It does not reveal whether the address has an account. */
export const memberInvite = z.object({ id, email: z.string(), role: projectRole, expiresAt: time });
/** The same, as the person who is invited sees it. */
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
/** A project that is being brought here from an archive; nobody sees it before all of it is here. */
export const projectImport = z.object({
  id,
  state: z.enum(importStates),
  /** Of the project, as the archive says. */
  name: z.string(),
  filesDone: z.int(),
  filesTotal: z.int(),
  /** Files that were lost before the archive was made. */
  filesMissing: z.int(),
  /** Once all of it is here. */
  projectId: id.nullable(),
  /** Why it failed, in a sentence. */
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

/** A key for programs: its person with less, in one project. The key itself is kept nowhere; `prefix` is its beginning, to recognise it. */
export const apiKey = z.object({
  id,
  userId: id,
  projectId: id,
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  /** The models and aliases that it may use; null: all that its person may. */
  models: z.array(modelRef).nullable(),
  ratePerMinute: z.int(),
  expiresAt: time.nullable(),
  /** Within a few minutes. */
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

/** Micro-dollars for one unit, as decimal text; who says so, and when. */
const modelPrice = z.object({
  unit: z.string(),
  micros: z.string(),
  /** A call with more input tokens than these costs this for each unit; the last that applies counts. */
  tiers: z.array(z.object({ fromInputTokens: z.int(), micros: z.string() })).optional(),
  source: z.string(),
  at: time,
});
/** What may be said of a model that its service, or the snapshot in the program, says wrongly or not at all. What is left out stays as stated. */
export const ownFacts = z.strictObject({
  contextTokens: z.int().min(1).max(1_000_000_000).optional(),
  outputTokens: z.int().min(1).max(1_000_000_000).optional(),
  /** Of a kind of connection that lets it be said: what the model is asked for, its form and how it is called follow from it. */
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
  /** The one price of a model that has one; `prices` has all. */
  price: modelPrice.nullable(),
  prices: z.array(modelPrice),
  /** The most that one run may hold and cost, as a person set it where the price has no bound. */
  ceilingMicros: micros.nullable(),
  status: z.enum(["active", "deprecated", "gone"]),
  fetchedAt: time,
  /** Where its facts come from, when not from its service itself: a dated snapshot. */
  factsSource: z.object({ name: z.string(), at: time }).nullable(),
  /** What a person said of it, which goes before; `by` is null once they are gone. */
  ownFacts: z.object({ facts: ownFacts, by: z.string().nullable(), at: time }).nullable(),
  /** When it was first in its connection's list. */
  firstSeenAt: time,
  /** When its provider says that it came out, or else when it joined a list that was read before; null where that is not known. */
  cameAt: time.nullable(),
  /** By the one who asks. */
  isStarred: z.boolean(),
});
export const modelDetail = model.extend({
  inputSchema: json.nullable(),
  schemaHash: z.string().nullable(),
});

/** Who may use a model: everyone, admins only, or these people and the members of these projects. Admins always may. */
export const modelUsers = z.discriminatedUnion("who", [
  z.strictObject({ who: z.literal("everyone") }),
  z.strictObject({ who: z.literal("admins") }),
  z.strictObject({
    who: z.literal("these"),
    userIds: z.array(id).max(limits.modelUsers).default([]),
    projectIds: z.array(id).max(limits.modelUsers).default([]),
  }),
]);
/** A name for a model: letters, digits, and dots and dashes between them; without the slash that `connection/model` has. */
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
  /** What every model behind it does. */
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
  /** What the provider answered, in its own words. */
  providerMessage: z.string().optional(),
  /** The same as it came, of a provider whose own clients may read it: fal's. */
  providerAnswer: z.object({ status: z.int(), body: z.record(z.string(), z.json()) }).optional(),
  /** Of an unconfirmed run: what is known of the exchange, such as the status and the body of a gateway's answer. */
  cause: z.string().optional(),
});
const runWarning = z.object({ type: z.string(), feature: z.string(), message: z.string() });
/** What a run's prompt was expanded from: the template, what was chosen at each of its places, and which of its prompts it is. */
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
  /** The alias that was requested. The model above is the one that runs. */
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
  /** Its price is nothing: what it costs is known before it has ended. */
  isFree: z.literal(true).optional(),
  /** Only of a run that came with an imported project: it was made and paid for elsewhere, and is in no books of ours. */
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

/** What a file says of its origin. Nobody checked it: anyone can write anything into a file. */
export const provenance = z.object({
  /** The file has content credentials (C2PA), by the program that signed them if they name it. Their signature isn't verified. */
  credentials: z
    .object({ claimGenerator: z.string().nullable(), isVerified: z.literal(false) })
    .nullable(),
  /** By IPTC's word, such as "trainedAlgorithmicMedia". */
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
  /** Null: the file says nothing, or nobody looked: it was saved by an older version. */
  provenance: provenance.nullable(),
  title: z.string(),
  promptText: z.string(),
  pick: z.enum(picks),
  rating: z.int().min(0).max(5),
  trashedAt: time.nullable(),
  createdAt: time,
});
/** With how many assets have it that its reader sees, without the trash. */
export const tag = z.object({ id, name: z.string(), count: z.int() });
/** Chosen assets in an order of their own, or (smart) a saved filter of the library. */
export const collectionKinds = ["manual", "smart"] as const;
export const collection = z.object({
  id,
  kind: z.enum(collectionKinds),
  name: z.string(),
  /** Of a smart one: the library's filter, as `listAssets` takes it. */
  query: z.record(z.string(), z.string()).nullable(),
  /** How many of its assets the reader sees, without the trash; 0 of a smart one. */
  count: z.int(),
  /** What stands for it: the asset that was chosen, if the reader sees it, or the newest. */
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
  /** Positions of the entries in the order in which this person sees them. */
  shownOrder: z.array(z.int()),
  /** Positions of the best: several are a tie, none means that no result is good. Null: not voted yet. */
  best: z.array(z.int()).nullable(),
  /** Given after the models were shown: it counts for nothing. */
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
  /** When it went to the trash. */
  trashedAt: time.nullable(),
  headMessageId: id.nullable(),
  /** Of a temporary chat: when it is deleted if nothing is said in it. */
  expiresAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
});
/** Of one person's conversations in a project, and nobody else's to see. */
export const conversationFolder = z.object({
  id,
  parentId: id.nullable(),
  name: z.string(),
  position: z.int(),
});
/** "refused": the person said no beforehand; "stopped": while it ran, and nothing is said after it. */
export const toolStates = ["open", "done", "failed", "refused", "stopped"] as const;
/** "later": what comes after; "all": nothing is left out any more. */
const contextSends = ["later", "all"] as const;
/** What a provider wants back with a part of its own, by its kind. */
const providerMetadata = z.record(z.string(), json);
export const messagePart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("reasoning"),
    text: z.string(),
    /** How long the model reasoned, where its words came as it did. The first part of a message has the time of all. */
    durationMs: time.optional(),
    providerMetadata: providerMetadata.optional(),
  }),
  z.object({ type: z.literal("file"), assetId: id }),
  z.object({
    type: z.literal("source"),
    title: z.string(),
    url: z.string().optional(),
    document: z.string().optional(),
  }),
  /** A tool that the model asks for. `malformed`: its input when that is no JSON object; `written`: its text, where JSON.stringify differs. */
  z.object({
    type: z.literal("tool-call"),
    callId: z.string(),
    name: z.string(),
    input: json,
    malformed: z.string().optional(),
    written: z.string().optional(),
    providerMetadata: providerMetadata.optional(),
  }),
  /** What became of a call: open until then. A tool that is a model has a run. */
  z.object({
    type: z.literal("tool-result"),
    callId: z.string(),
    name: z.string(),
    state: z.enum(toolStates),
    runId: id.nullable(),
    /** What the model reads. */
    output: z.string(),
    assetIds: z.array(id),
    /** Those of them that a tool of a server gave as pictures: a model that sees reads them. */
    pictureIds: z.array(id).optional(),
  }),
  /** What tools of the provider did for this answer, in its own form: given back to the same connection with the next question. */
  z.object({ type: z.literal("tool-record"), connectionId: id, data: json }),
  /** Why nothing was said after the tools. */
  z.object({ type: z.literal("problem"), error: runError }),
  /** Of a "context" message: what comes after it is sent, and nothing before; or all of it again. */
  z.object({ type: z.literal("context"), sends: z.enum(contextSends) }),
]);
/** What one person thinks of an answer. */
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
   * A "tool" message holds the results of the calls of the answer above it. A "context" message is on no branch: it says of those
   * that continue from its parent whether the messages up to there are sent; its text, if any, is sent instead.
   */
  role: z.enum(["user", "assistant", "tool", "context"]),
  state: z.enum(["streaming", "complete", "interrupted"]),
  parts: z.array(messagePart),
  runId: id.nullable(),
  createdAt: time,
  /** In a fork: copied with its run, which was paid for where it was asked. */
  isCopy: z.literal(true).optional(),
  /** Only of an answer that was requested side by side with others. */
  group: z
    .object({
      id,
      /** Its column, from 0. An answer that replaces another has that one's; a merged answer has none. */
      column: z.int().nullable(),
      /** When the person chose to continue from it. */
      pickedAt: time.nullable(),
      /** The answers that this one merges. */
      mergedFrom: z.array(id).optional(),
    })
    .optional(),
  /** Where a conversation's messages are listed: the ratings of this answer, if it has any. */
  feedback: z.array(feedback).optional(),
});
/** What the model of a conversation may use; `allowed`: without asking first. */
export const conversationTools = z.object({
  models: z
    .array(modelRef.extend({ allowed: z.boolean() }))
    .max(limits.toolsPerConversation)
    .default([]),
  /** Searching the library and reading its files. */
  library: z.boolean().default(false),
});
/** The JSON Schema that each answer of a conversation has to match. */
export const conversationShape = z.object({ schema: json });
export const budget = z.object({
  id,
  scope: z.enum(budgetScopes),
  /** Null: the instance itself, or the default for each new project or person. */
  scopeId: id.nullable(),
  period: z.enum(budgetPeriods),
  timeZone: z.string(),
  limitMicros: micros,
  onLimit: z.enum(onLimits),
  /** Whose word it is: an admin's, or a manager's on their own project. Both hold, side by side. */
  authority: z.enum(budgetAuthorities),
  createdAt: time,
});
const balance = z.object({ spentMicros: micros, heldMicros: micros });
/** A budget with its spending in the current period. */
export const budgetStanding = budget.extend({
  ...balance.shape,
  /** Runs that count in it and whose cost is unknown: what was spent is then the least. */
  unpricedRuns: z.int(),
  periodStart: time,
  periodEnd: time.nullable(),
});

/** One notice of a project's feed: something changed; who watches asks for it again. */
export const change = z.object({
  seq: z.int(),
  /** `assets`: several at once. `tag`, `collection`: which there are, or what is said of one. `words`: word lists. The id of these is the project's. */
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
  /** Of a conversation: its messages that are new or changed. */
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
