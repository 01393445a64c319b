/**
 * Rows as stored in the database: snake_case, times in ms, money in micro-dollars, JSON as text.
 * Row types stay inside store/.
 */

import type { BudgetAuthority, BudgetPeriod, BudgetScope, OnLimit } from "#contract/budgets.ts";
import type { Feedback } from "#contract/entities.ts";
import type { PriceKind } from "#contract/filters/model-filters.ts";
import type { DeliveryStatus } from "#contract/webhooks.ts";
import type { CircuitKind } from "#domain/runs/circuit.ts";

/** The sign-in library's tables keep its column names. */
export type UserRow = {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean | number;
  image: string | null;
  createdAt: string | Date;
  updatedAt: string | Date;
  role: "owner" | "admin" | "member";
  status: "active" | "suspended";
  locale: string;
  timeZone: string;
  theme: "system" | "light" | "dark";
  /** JSON: the model that titles new conversations. */
  titleModel: string | null;
  /** JSON: the defaults of the person's new work. */
  defaults: string | null;
};
type SessionRow = {
  id: string;
  userId: string;
  token: string;
  expiresAt: string | Date;
  ipAddress: string | null;
  userAgent: string | null;
  createdAt: string | Date;
  updatedAt: string | Date;
};
type AccountRow = {
  id: string;
  accountId: string;
  providerId: string;
  userId: string;
  accessToken: string | null;
  refreshToken: string | null;
  idToken: string | null;
  accessTokenExpiresAt: string | Date | null;
  refreshTokenExpiresAt: string | Date | null;
  scope: string | null;
  password: string | null;
  createdAt: string | Date;
  updatedAt: string | Date;
};
type VerificationRow = {
  id: string;
  identifier: string;
  value: string;
  expiresAt: string | Date;
  createdAt: string | Date;
  updatedAt: string | Date;
};

type InstanceRow = {
  id: number;
  owner_id: string | null;
  setup_code_hash: string | null;
  epoch: string;
  /** The version of the master key that seals secrets, and a check value to recognize the key. */
  master_key_version: number;
  master_key_check: string | null;
  place: string | null;
  /** This database's ownership mark in the file storage (file-owner.ts). */
  files_nonce: string | null;
  files_next: string | null;
  /** A JSON list. */
  files_prefixes: string;
  created_at: number;
  /** Default access to models of shared connections that have no rule of their own. */
  models_for: "everyone" | "admins";
  /** 1 when members may add their own connections. */
  members_connect: number;
  /** Storage limit in bytes for each person and each project; null is no limit. */
  person_bytes: number | null;
  project_bytes: number | null;
  /** Folder of scheduled backups; null when there are none. */
  backup_folder: string | null;
  /** 0 to 23, in `backup_time_zone`. */
  backup_hour: number;
  backup_time_zone: string;
  backup_keep: number;
  /** When the last backup completed. */
  backup_done_at: number | null;
};
/** A deleted person. Their `user` row has the number as its name. */
export type DeletedPersonRow = {
  user_id: string;
  number: number;
  /** Whether the work they shared with other people's projects stays or is deleted. */
  shared_work: "stays" | "goes";
  deleted_by: string;
  deleted_at: number;
  /**
   * Erasure progress: the project and the last run there with erased content, separated by a slash.
   */
  erased_to: string;
  erased_at: number | null;
};
export type InviteRow = {
  id: string;
  /**
   * "project": an invitation to a project, answered by the person who signs in with the address. It
   * has no link.
   */
  kind: "join" | "password" | "project";
  user_id: string | null;
  token_hash: string;
  email: string;
  role: "owner" | "admin" | "member";
  project_id: string | null;
  project_role: ProjectMemberRow["role"] | null;
  created_by: string;
  expires_at: number;
  used_at: number | null;
};
export type ProjectRow = {
  id: string;
  name: string;
  description: string;
  instructions: string;
  owner_id: string;
  defaults: string;
  seq: number;
  archived_at: number | null;
  created_at: number;
};
/** A deleted project, which may already be erased. */
export type DeletedProjectRow = {
  project_id: string;
  /** JSON: the `project_member` rows to restore with it; empty once it is erased. */
  members: string;
  was_archived_at: number | null;
  deleted_by: string;
  deleted_at: number;
  /** When the project is due to be erased. */
  due_at: number;
  /** Erasure progress: the last run with erased content. */
  erased_to: string;
  erased_at: number | null;
  /** The number that names the project in the ledger, when it was deleted with its person. */
  number: number | null;
};
export type ProjectMemberRow = {
  project_id: string;
  user_id: string;
  role: "manager" | "editor" | "viewer";
  created_at: number;
  name: string;
};
export type ProjectImportRow = {
  id: string;
  user_id: string;
  /**
   * The project being created; it has no member, and so is invisible, until the state is `done`.
   */
  project_id: string;
  /** The archive's file. */
  blob_sha256: string;
  bytes: number;
  name: string;
  state: "open" | "done" | "failed" | "cancelled";
  files_done: number;
  files_total: number;
  files_missing: number;
  problem: string | null;
  worker_id: string | null;
  /** How often it was interrupted by a transient error. */
  failures: number;
  created_at: number;
  ended_at: number | null;
  /** When all temporary data of the import, including an unfinished project, was deleted. */
  cleaned_at: number | null;
  dismissed_at: number | null;
};
/** A file of an import, stored and described, for the assets that use it. */
type ImportFileRow = { import_id: string; sha256: string; facts: string };
/** Consecutive failures of a connection or of one of its models. */
export type CircuitRow = {
  connection_id: string;
  /** Null: the whole connection. */
  model_id: string | null;
  kind: CircuitKind;
  failures: number;
  /** Short hashes of the first two distinct inputs that failed, separated by a space. */
  inputs: string;
  /** Since when nothing is sent; null while failures are only counted. */
  opened_at: number | null;
  /** When it is tried again; null for a key that the provider refused, which waits for a person. */
  paused_until: number | null;
  detail: string | null;
};
export type ConnectionRow = {
  id: string;
  slug: string;
  kind: string;
  name: string;
  scope: "instance" | "user" | "project";
  scope_id: string | null;
  base_urls: string;
  options: string;
  secret: string | null;
  status: "unchecked" | "ok" | "failing" | "disabled";
  status_detail: string | null;
  /**
   * Concurrent text runs, and concurrent runs of other tasks; null is the default for its kind and
   * address.
   */
  text_places: number | null;
  media_places: number | null;
  /** The number of concurrent runs that the server itself reports. */
  said_places: number | null;
  /** The person or API key served last while others waited. */
  text_turn: string | null;
  media_turn: string | null;
  checked_at: number | null;
  /** When its list of models was first read completely with its current settings. */
  listed_at: number | null;
  /** Incremented by each unit that writes its models or their access rules. */
  models_version: number;
  created_by: string | null;
  created_at: number;
};
export type ModelRow = {
  connection_id: string;
  model_id: string;
  name: string;
  description: string;
  tasks: string;
  input_modalities: string;
  output_modalities: string;
  input_schema: string | null;
  schema_hash: string | null;
  capabilities: string;
  limits: string;
  price: string | null;
  status: "active" | "deprecated" | "gone";
  search: string;
  fetched_at: number;
  /** The values that the catalog filters by (domain/models/model-facts.ts). */
  facts: string;
  context_tokens: number | null;
  price_kind: PriceKind;
  first_seen_at: number;
  /**
   * The date from its provider; otherwise when the model joined its connection's list, unless it
   * was in the first one.
   */
  came_at: number | null;
  /** The cost of a typical use (domain/money/usual-price.ts); null when unknown. */
  usual_nanos: number | null;
  /**
   * JSON: author and date of the snapshot that the facts come from; null when the service provided
   * them.
   */
  facts_source: string | null;
};
type ModelStarRow = {
  user_id: string;
  connection_id: string;
  model_id: string;
  created_at: number;
};
/**
 * Access to a model, one row per subject; an empty `model_id` means every model of the connection
 * without rows of its own.
 */
type ModelAccessRow = { connection_id: string; model_id: string; subject: string };
export type ModelAliasRow = {
  name: string;
  task: string;
  models: string;
  made_by: string;
  created_at: number;
  updated_at: number;
};
export type ComparisonRow = {
  id: string;
  project_id: string;
  user_id: string;
  visibility: "author" | "project";
  task: string;
  title: string;
  blind: number;
  created_at: number;
  trashed_at: number | null;
};
export type ComparisonEntryRow = {
  comparison_id: string;
  position: number;
  run_id: string | null;
  output_index: number | null;
  message_id: string | null;
};
export type VoteRow = {
  id: string;
  comparison_id: string;
  user_id: string;
  shown_order: string;
  best: string | null;
  revealed_before: number;
  revealed_at: number | null;
  at: number;
};
export type RunRow = {
  id: string;
  project_id: string;
  user_id: string;
  visibility: "author" | "project";
  api_key_id: string | null;
  connection_id: string;
  model_id: string;
  schema_hash: string | null;
  task: string;
  input: string;
  input_hash: string;
  state: string;
  progress: string | null;
  queue_place: number | null;
  priority: number;
  not_before: number | null;
  cancel_requested_at: number | null;
  idempotency_scope: string | null;
  idempotency_key: string | null;
  request_hash: string;
  batch_id: string | null;
  message_id: string | null;
  retry_of: string | null;
  remix_of: string | null;
  prompt_version_id: string | null;
  waiting_for: string | null;
  held_micros: number;
  cost_micros: number | null;
  cost_basis: "known" | "estimated" | "held" | "assumed" | null;
  /** 1 when the run gave up its slot because its job can't be polled for long. */
  placeless: number;
  price_snapshot: string | null;
  usage: string | null;
  result: string | null;
  warnings: string;
  error: string | null;
  worker_id: string | null;
  fence: number;
  seq: number;
  attempts: number;
  /** Attempts that only probed a failing service. */
  probes: number;
  created_at: number;
  started_at: number | null;
  first_output_at: number | null;
  finished_at: number | null;
  pruned_at: number | null;
  /** The facts kept of an imported run (imported-rows.ts); null for runs of this instance. */
  imported: string | null;
  /** The alias that the request named instead of a model. */
  alias: string | null;
  /** The alias's fallback models in order, each with its own input, prices and reservation. */
  next_models: string | null;
  /** The request to the alias: the input, or an answer's settings. */
  asked: string | null;
  /** The template that the prompt was expanded from; null when it was sent as typed. */
  expansion: string | null;
};
export type AttemptRow = {
  run_id: string;
  number: number;
  request_hash: string;
  client_token: string;
  provider_request_id: string | null;
  provider_urls: string | null;
  state: "committed" | "accepted" | "refused" | "lost" | "ended";
  bytes_written: number | null;
  http_status: number | null;
  sent_at: number | null;
  accepted_at: number | null;
  ended_at: number | null;
};
export type OutputRow = {
  run_id: string;
  index: number;
  remote_url: string | null;
  expires_at: number | null;
  state: "promised" | "fetching" | "stored" | "lost";
  bytes: number | null;
  sha256: string | null;
  asset_id: string | null;
  name: string;
  facts: string;
  /** The output's own input, when it differs from the run's. */
  input: string | null;
};
export type RunEventRow = {
  run_id: string;
  seq: number;
  type: string;
  payload: string;
  at: number;
};
type RunInputRow = { run_id: string; asset_id: string; role: string };
export type TagRow = {
  id: string;
  project_id: string;
  name: string;
  folded: string;
  search: string;
  created_by: string;
  created_at: number;
};
export type CollectionRow = {
  id: string;
  project_id: string;
  kind: "manual" | "smart";
  name: string;
  query: string | null;
  cover_asset_id: string | null;
  created_by: string;
  trashed_at: number | null;
  created_at: number;
  updated_at: number;
};
type CollectionItemRow = {
  collection_id: string;
  asset_id: string;
  order_key: string;
  added_by: string;
  added_at: number;
};
type AssetTagRow = { asset_id: string; tag_id: string; user_id: string; at: number };
export type BatchRow = {
  id: string;
  project_id: string;
  kind: "one" | "variants" | "models" | "grid" | "rows";
  task: string;
  input: string;
  axes: string | null;
  created_by: string;
  created_at: number;
};
export type WorkerRow = {
  id: string;
  boot_id: string;
  beat: number;
  host: string;
  started_at: number;
  /**
   * The newest version of the master key that it can open secrets with, and the version it seals
   * with; null before it has looked.
   */
  key_known: number | null;
  key_used: number | null;
};
type ChoreRow = {
  id: string;
  kind: string;
  key: string;
  due_at: number;
  worker_id: string | null;
  attempts: number;
  last_error: string | null;
};
type BlobRow = {
  sha256: string;
  bytes: number;
  mime: string;
  state: "stored" | "deleting";
  /**
   * When the file collector last found an asset that needs it; null makes the collector look again.
   */
  needed_at: number | null;
  created_at: number;
};
export type AssetRow = {
  id: string;
  project_id: string;
  visibility: "author" | "project";
  run_id: string | null;
  /** The project of its run, when the asset has moved to another one. */
  made_in: string | null;
  /** The connection and model of its run. */
  connection_id: string | null;
  model_id: string | null;
  output_index: number | null;
  upload_id: string | null;
  created_by: string;
  blob_sha256: string;
  kind: string;
  mime: string;
  bytes: number;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  thumbhash: string | null;
  variants: string;
  phash: string | null;
  provenance: string | null;
  title: string;
  prompt_text: string;
  /** Folded words of the title, prompt and model (domain/text/search-words.ts). */
  search: string;
  pick: "none" | "kept" | "rejected";
  rating: number;
  trashed_at: number | null;
  deleted_at: number | null;
  created_at: number;
};
type UploadRow = {
  id: string;
  project_id: string;
  user_id: string;
  name: string;
  bytes: number;
  received: number;
  sha256: string | null;
  state: "open" | "complete" | "aborted";
  created_at: number;
};
export type ConversationRow = {
  id: string;
  project_id: string;
  user_id: string;
  visibility: "author" | "project";
  title: string;
  system_prompt: string;
  settings: string;
  pinned: number;
  /** 1: hidden from lists, and deleted when it is closed or a day after its last message. */
  temporary: number;
  archived_at: number | null;
  trashed_at: number | null;
  head_message_id: string | null;
  /** One of the author's folders. */
  folder_id: string | null;
  /**
   * open: cut from the first message, before an answer; due and asked: a model titles it; done: the
   * title is final.
   */
  titling: "open" | "due" | "asked" | "done";
  /** The message up to which a fork has copies. */
  forked_from: string | null;
  created_at: number;
  updated_at: number;
  idempotency_scope: string | null;
  idempotency_key: string | null;
  request_hash: string | null;
};
/** A folder of one person's conversations in a project. */
export type FolderRow = {
  id: string;
  project_id: string;
  user_id: string;
  parent_id: string | null;
  name: string;
  position: number;
  created_at: number;
};
/** Tags of a conversation are private to its author, as its folder is. */
type ConversationTagRow = { conversation_id: string; folded: string; name: string };
/**
 * A person's rating of an answer. Only the person changes it; every reader of the answer sees it.
 */
export type FeedbackRow = {
  message_id: string;
  user_id: string;
  value: Feedback["value"];
  reasons: string;
  text: string;
  at: number;
};
export type MessageRow = {
  id: string;
  conversation_id: string;
  parent_id: string | null;
  role: "user" | "assistant" | "tool" | "context";
  state: "streaming" | "complete" | "interrupted";
  parts: string;
  /**
   * Folded words of the text parts (domain/text/search-words.ts). SQLite stores them only in its
   * index: the column reads as empty there.
   */
  search: string;
  run_id: string | null;
  /**
   * For a message in a fork: the original message it was copied from. Runs refer to the original.
   */
  copy_of: string | null;
  continues_id: string | null;
  /** Shared by the answers to one message that were requested together. */
  ask_group: string | null;
  /** The column in the group, which a replacement answer takes over; null for a merged answer. */
  ask_column: number | null;
  picked_at: number | null;
  /** JSON: the ids of the answers that this one merges. */
  merged_from: string | null;
  /** When the message was deleted from its conversation: only restoring and purging read it. */
  trashed_at: number | null;
  idempotency_scope: string | null;
  idempotency_key: string | null;
  request_hash: string | null;
  created_at: number;
};
export type ApiKeyRow = {
  id: string;
  user_id: string;
  project_id: string;
  name: string;
  prefix: string;
  hash: string;
  scopes: string;
  /** JSON: the models the key is restricted to; null for every model that its owner may use. */
  models: string | null;
  rate_per_minute: number;
  /** 1 if its runs continue when their program hangs up. */
  keeps_running: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_at: number;
};
export type LedgerEntryRow = {
  id: string;
  run_id: string | null;
  project_id: string;
  user_id: string;
  api_key_id: string | null;
  connection_id: string | null;
  model_id: string | null;
  kind: "hold" | "release" | "spend" | "overage" | "adjust";
  settlement: string | null;
  micros: number;
  /** When the run was admitted, which decides the budget periods that the entry counts in. */
  admitted_at: number;
  /** The reason and author of an entry written by a person or a reconciliation. */
  note: string | null;
  actor_id: string | null;
  at: number;
};
export type BudgetRow = {
  id: string;
  scope: BudgetScope;
  /** Null: the instance itself, or the default for each new project or person. */
  scope_id: string | null;
  period: BudgetPeriod;
  time_zone: string;
  limit_micros: number;
  on_limit: OnLimit;
  /** Who set it: an admin, or a manager for their own project. Both limits apply together. */
  authority: BudgetAuthority;
  created_by: string | null;
  created_at: number;
};
type BalanceRow = {
  budget_id: string;
  period_start: number;
  spent_micros: number;
  held_micros: number;
  /** The highest share of the limit that people were warned about in this period: 0, 80 or 100. */
  warned_percent: number;
};
type ModelOverrideRow = {
  connection_id: string;
  model_id: string;
  prices: string | null;
  /** Null without prices. */
  price_kind: PriceKind | null;
  ceiling_micros: number | null;
  usual_nanos: number | null;
  set_by: string;
  set_at: number;
  /** Facts about the model entered by a person (OwnFacts as JSON), with author and time. */
  facts: string | null;
  facts_by: string | null;
  facts_at: number | null;
};
export type WorkflowRow = {
  connection_id: string;
  /** The model's id on this connection. */
  id: string;
  name: string;
  document: string;
  updated_by: string;
  created_at: number;
  updated_at: number;
};
type ConnectionGrantRow = {
  connection_id: string;
  /** Sealed; null until somebody returns from the first sign-in. */
  secret: string | null;
  state_hash: string | null;
  user_id: string | null;
  begun_at: number | null;
};
type WebhookInRow = {
  connection_id: string;
  event_id: string;
  received_at: number;
  outcome: string;
};
export type WebhookEndpointRow = {
  id: string;
  project_id: string | null;
  url: string;
  secret: string;
  events: string;
  /** The webhook's owner: the person who added it or last changed it. */
  created_by: string;
  created_at: number;
  /** Paused: it receives nothing until a person resumes it. */
  disabled_at: number | null;
  disabled_why: string | null;
  /** 1 when an admin entered this exact address, which may then be on a private network. */
  private_allowed: number;
  /**
   * The previous secret, which also signs deliveries until `old_secret_until`, for receivers that
   * still know only this one.
   */
  old_secret: string | null;
  old_secret_until: number | null;
  /** Since when deliveries fail; null when the last one arrived. */
  failing_since: number | null;
};
export type WebhookOutRow = {
  id: string;
  endpoint_id: string;
  event: string;
  payload: string;
  attempts: number;
  next_at: number;
  status: DeliveryStatus;
  last_error: string | null;
  created_at: number;
  /** The last try: its time, its duration, and the response. */
  tried_at: number | null;
  took_ms: number | null;
  http_status: number | null;
  answer: string | null;
  /** The one person who may see the event; null for everyone who manages its endpoint. */
  only_for: string | null;
};
/** The webhook that a program requested for the end of its run. */
export type RunWebhookRow = {
  run_id: string;
  user_id: string;
  url: string;
  /** The origin of `url`, so that a slow receiver delays only its own deliveries. */
  origin: string;
  /** The URL at which the program reached this server, used in links to result files. */
  base_url: string;
  attempts: number;
  next_at: number;
  status: DeliveryStatus;
  /**
   * "unconfirmed" once that was delivered; the webhook is called again when the outcome is known.
   */
  told: string | null;
  last_error: string | null;
  http_status: number | null;
  created_at: number;
  tried_at: number | null;
};
export type UsageDayRow = {
  day: string;
  project_id: string;
  user_id: string;
  connection_id: string;
  model_id: string;
  runs: number;
  tokens: number;
  micros: number;
};
export type UsageMonthRow = Omit<UsageDayRow, "day"> & { month: string };
/** Usage of runs started through an API key, by project. */
export type UsageKeyDayRow = {
  day: string;
  api_key_id: string;
  project_id: string;
  runs: number;
  tokens: number;
  micros: number;
};
export type UsageKeyMonthRow = Omit<UsageKeyDayRow, "day"> & { month: string };
export type ChangeRow = {
  project_id: string;
  seq: number;
  user_id: string | null;
  kind: string;
  id: string;
  message_ids: string | null;
  asset_ids: string | null;
  at: number;
};
type AuditEventRow = {
  id: string;
  actor_id: string | null;
  action: string;
  target_kind: string;
  target_id: string;
  ip: string | null;
  detail: string;
  at: number;
};

/** The replacements for `__name__` in a project's prompts. */
type WordListRow = {
  project_id: string;
  /** The name used for lookup: NFC, lowercase. */
  folded: string;
  name: string;
  /** JSON: a list of texts. */
  items: string;
  item_count: number;
  created_by: string;
  created_at: number;
  updated_at: number;
};

export type Database = {
  user: UserRow;
  session: SessionRow;
  account: AccountRow;
  verification: VerificationRow;
  instance: InstanceRow;
  deleted_person: DeletedPersonRow;
  invite: InviteRow;
  project: ProjectRow;
  project_member: ProjectMemberRow;
  deleted_project: DeletedProjectRow;
  project_import: ProjectImportRow;
  import_file: ImportFileRow;
  api_key: ApiKeyRow;
  connection: ConnectionRow;
  circuit: CircuitRow;
  model: ModelRow;
  run: RunRow;
  attempt: AttemptRow;
  output: OutputRow;
  run_event: RunEventRow;
  run_input: RunInputRow;
  batch: BatchRow;
  worker: WorkerRow;
  chore: ChoreRow;
  blob: BlobRow;
  asset: AssetRow;
  tag: TagRow;
  asset_tag: AssetTagRow;
  collection: CollectionRow;
  collection_item: CollectionItemRow;
  upload: UploadRow;
  folder: FolderRow;
  conversation: ConversationRow;
  conversation_tag: ConversationTagRow;
  message: MessageRow;
  feedback: FeedbackRow;
  comparison: ComparisonRow;
  comparison_entry: ComparisonEntryRow;
  vote: VoteRow;
  ledger_entry: LedgerEntryRow;
  usage_day: UsageDayRow;
  usage_month: UsageMonthRow;
  usage_key_day: UsageKeyDayRow;
  usage_key_month: UsageKeyMonthRow;
  budget: BudgetRow;
  balance: BalanceRow;
  model_override: ModelOverrideRow;
  model_star: ModelStarRow;
  model_access: ModelAccessRow;
  model_alias: ModelAliasRow;
  workflow: WorkflowRow;
  word_list: WordListRow;
  connection_grant: ConnectionGrantRow;
  webhook_in: WebhookInRow;
  webhook_endpoint: WebhookEndpointRow;
  webhook_out: WebhookOutRow;
  run_webhook: RunWebhookRow;
  change: ChangeRow;
  audit_event: AuditEventRow;
};
