import type { Database } from "#store/database/schema.ts";

/** Parts of the data, in the order in which docs/spec/data.md describes them. */
export const areas = {
  people: "People and access",
  connections: "Connections and models",
  runs: "Runs",
  library: "Library and files",
  conversations: "Conversations",
  money: "Budgets, ledger and usage",
  webhooks: "Webhooks",
  server: "The instance and its servers",
} as const;
export type Area = keyof typeof areas;
export type TableName = keyof Database;

/**
 * `personal` data is about a person or written by one. A `secret` lets its reader act as somebody
 * else.
 */
type Mark = "personal" | "secret";
export type ColumnWords = { is: string; mark?: Mark; to?: TableName };

/** The documents' description of a table. A column without a description doesn't compile. */
type TableWords<T extends TableName> = {
  area: Area;
  is: string;
  /** How long its rows are kept, and what deletes them. */
  kept: string;
  columns: { readonly [C in keyof Database[T]]-?: string | ColumnWords };
};
export type WordsOf<T extends TableName> = { readonly [N in T]: TableWords<N> };

export const personal = (is: string): ColumnWords => ({ is, mark: "personal" });
export const secret = (is: string): ColumnWords => ({ is, mark: "secret" });
/** A column that holds the key of a row of `to`. */
export const ref = (to: TableName, is: string): ColumnWords => ({ is, to });
/** A column that holds a person's id. */
export const person = (is: string): ColumnWords => ({ is, to: "user", mark: "personal" });
/** The values of a column. */
export const oneOf = (values: readonly string[]): string =>
  values.map((value) => `\`${value}\``).join(", ");
