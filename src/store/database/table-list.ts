import type { Database } from "./schema.ts";

/** Rows of the moment: who is signed in, what a sign-in waits for, who works. Sessions are secrets too, and a restored place has none. */
export const passingTables = [
  "session",
  "verification",
  "worker",
] as const satisfies readonly (keyof Database)[];
type Passing = (typeof passingTables)[number];

/** Every other table, each after those that it points at. A new one that is missing here does not compile. */
const order: Record<Exclude<keyof Database, Passing>, true> = {
  user: true,
  account: true,
  instance: true,
  invite: true,
  project: true,
  project_member: true,
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
  conversation: true,
  message: true,
  ledger_entry: true,
  usage_day: true,
  usage_month: true,
  usage_key_day: true,
  usage_key_month: true,
  webhook_in: true,
  webhook_endpoint: true,
  webhook_out: true,
};
export type KeptTable = keyof typeof order;
export const keptTables = Object.keys(order) as KeptTable[];
