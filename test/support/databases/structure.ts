import { sql } from "kysely";
import type { Store } from "#store/database/store.ts";

/**
 * The complete structure of a database in its own terms. Two databases that could have been created
 * alike are equal.
 */
export async function structureOf(store: Store): Promise<unknown[]> {
  return store.engine === "sqlite" ? structureOfSqlite(store) : structureOfPostgres(store);
}

async function structureOfSqlite({ db }: Store): Promise<unknown[]> {
  const made = sql`select type, name, tbl_name as "table", sql from sqlite_master order by type, name`;
  return (await made.execute(db)).rows;
}

async function structureOfPostgres({ db }: Store): Promise<unknown[]> {
  const columns = sql`
    select c.relname as "table", rank() over (partition by c.oid order by a.attnum) as place, a.attname as name,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "notNull", a.attidentity as identity,
      a.attcollation as collation, pg_get_expr(d.adbin, d.adrelid) as "default"
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    order by 1, 2`;
  const constraints = sql`
    select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as is, convalidated as valid
    from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`;
  const indexes = sql`
    select tablename as "table", indexname as name, indexdef as is from pg_indexes where schemaname = 'public' order by 1, 2`;
  const others = sql`
    select relkind as kind, relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind not in ('r', 'i')
    union all select 't', tgname from pg_trigger where not tgisinternal
    union all select 'f', proname from pg_proc where pronamespace = 'public'::regnamespace order by 1, 2`;
  const lists = [];
  for (const query of [columns, constraints, indexes, others])
    lists.push(...(await query.execute(db)).rows);
  return lists;
}
