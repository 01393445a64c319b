import type { SelectQueryBuilder } from "kysely";
import type { Database } from "../../database/schema.ts";

/** How many rows a query finds. */
export async function countOf<Table extends keyof Database>(
  rows: SelectQueryBuilder<Database, Table, object>,
): Promise<number> {
  const { n } = await rows.select((e) => e.fn.countAll<number>().as("n")).executeTakeFirstOrThrow();
  return Number(n);
}
