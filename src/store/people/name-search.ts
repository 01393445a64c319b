import { type RawBuilder, sql } from "kysely";

/** Whether a name, or an address, has the searched words as a part; undefined where nothing is searched. */
export function hasPart(
  q: string | undefined,
  { names, addresses = [] }: { names: readonly string[]; addresses?: readonly string[] },
): RawBuilder<boolean> | undefined {
  const words = q?.trim().toLowerCase();
  if (!words) return undefined;
  const part = `%${words.replace(/[%_\\]/g, "\\$&")}%`;
  // Some databases lower A to Z alone. As names begin with capitals, "ünal" is also looked for as "Ünal".
  const named = part.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  const conditions = [
    ...names.flatMap((column) => [
      sql`lower(${sql.ref(column)}) like ${part} escape '\\'`,
      sql`${sql.ref(column)} like ${named} escape '\\'`,
    ]),
    ...addresses.map((column) => sql`lower(${sql.ref(column)}) like ${part} escape '\\'`),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}
