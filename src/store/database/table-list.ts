import type { Database } from "./schema.ts";

/**
 * Transient rows: sessions, pending sign-ins, workers. Sessions are also secrets, and a restored
 * server must have none.
 */
export const passingTables = [
  "session",
  "verification",
  "worker",
] as const satisfies readonly (keyof Database)[];
type Passing = (typeof passingTables)[number];

/**
 * Every other table, after those it references. A new table that is missing here does not compile.
 */
const order: Record<Exclude<keyof Database, Passing>, true> = {
  user: true,
  deleted_person: true,
  account: true,
  instance: true,
  invite: true,
  project: true,
  project_member: true,
  deleted_project: true,
  project_import: true,
  import_file: true,
  api_key: true,
  audit_event: true,
  connection: true,
  circuit: true,
  model: true,
  model_override: true,
  model_star: true,
  model_access: true,
  model_alias: true,
  workflow: true,
  connection_grant: true,
  word_list: true,
  budget: true,
  balance: true,
  batch: true,
  run: true,
  attempt: true,
  output: true,
  run_event: true,
  run_input: true,
  chore: true,
  change: true,
  blob: true,
  upload: true,
  asset: true,
  tag: true,
  asset_tag: true,
  collection: true,
  collection_item: true,
  folder: true,
  conversation: true,
  conversation_tag: true,
  message: true,
  feedback: true,
  comparison: true,
  comparison_entry: true,
  vote: true,
  ledger_entry: true,
  usage_day: true,
  usage_month: true,
  usage_key_day: true,
  usage_key_month: true,
  webhook_in: true,
  webhook_endpoint: true,
  webhook_out: true,
  run_webhook: true,
};
export type KeptTable = keyof typeof order;
export const keptTables = Object.keys(order) as KeptTable[];
