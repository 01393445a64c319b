import { createTable, type Engine, execute, type MigrationDatabase } from "../ddl.ts";

/**
 * Usage of each API key by day and by month, kept apart from the rollup of all usage, most of which
 * has no key.
 */
export async function up(db: MigrationDatabase, engine: Engine): Promise<void> {
  for (const step of ["day", "month"])
    await createTable(
      db,
      engine,
      `usage_key_${step}`,
      {
        [step]: "text",
        api_key_id: "text",
        project_id: "text",
        runs: "int",
        tokens: "int",
        micros: "int",
      },
      [`primary key (${step}, api_key_id)`],
    );
  const day =
    engine === "postgres"
      ? "to_char(to_timestamp(at / 1000) at time zone 'UTC', 'YYYY-MM-DD')"
      : "strftime('%Y-%m-%d', at / 1000, 'unixepoch')";
  const token = (name: string) =>
    engine === "postgres"
      ? `coalesce((nullif(run.usage, '')::json ->> '${name}')::bigint, 0)`
      : `coalesce(json_extract(run.usage, '$.${name}'), 0)`;
  await execute(db, [
    `insert into usage_key_day (day, api_key_id, project_id, runs, tokens, micros)
      select ${day}, ledger_entry.api_key_id, ledger_entry.project_id, count(settlement),
        sum(case when settlement is null then 0 else ${token("inputTokens")} + ${token("outputTokens")} end), sum(micros)
      from ledger_entry left join run on run.id = ledger_entry.run_id
      where ledger_entry.api_key_id is not null and kind not in ('hold', 'release')
      group by 1, 2, 3`,
    `insert into usage_key_month (month, api_key_id, project_id, runs, tokens, micros)
      select substr(day, 1, 7), api_key_id, project_id, sum(runs), sum(tokens), sum(micros) from usage_key_day group by 1, 2, 3`,
  ]);
}
