import type { SelectQueryBuilder } from "kysely";
import type { Database } from "../../database/schema.ts";

/** Counts the rows of a query. */
export async function countOf<Table extends keyof Database>(
  rows: SelectQueryBuilder<Database, Table, object>,
): Promise<number> {
  const { n } = await rows.select((e) => e.fn.countAll<number>().as("n")).executeTakeFirstOrThrow();
  return Number(n);
}
