import { type ExpressionBuilder, sql } from "kysely";
import { isMadeByForm, returnsNoFile, taskNames } from "#contract/tasks.ts";
import { type DayRange, dayMs } from "#domain/money/usage-range.ts";
import { literals } from "../database/literals.ts";
import type { Database } from "../database/schema.ts";
import type { Reader, Store } from "../database/store.ts";
import { type BooksReader, modelNamesOf, nameableConnections } from "./names.ts";

/**
 * The cost of runs, and how many of their files are kept. `unpricedRuns` have an unknown cost on
 * top.
 */
type KeeperCosts = { micros: number; runs: number; unpricedRuns: number; kept: number };
export type Keepers = {
  total: KeeperCosts;
  /** Most expensive first. Connections hidden from the reader are summed under empty ids. */
  models: (KeeperCosts & { connectionId: string; id: string; name: string })[];
  /**
   * The 50 most expensive. The prompt is empty for runs without a result and for models without a
   * prompt.
   */
  prompts: (KeeperCosts & { prompt: string })[];
};

const maxPrompts = 50;
/** Prompts that differ only beyond this length are grouped as one. */
const promptCharacters = 300;
const tasksWithFiles = taskNames.filter(
  (task) => (isMadeByForm(task) || task === "live") && !returnsNoFile(task),
);

/**
 * Sums the money spent on files, by model and by prompt: all runs that make files and ended in the
 * range, including those that failed or whose results were rejected, and the results currently
 * marked as kept. Other people's private runs are left out.
 */
export async function readKeepers(
  { read: db }: Pick<Store, "read">,
  of: readonly string[],
  reader: BooksReader,
  range: DayRange,
): Promise<Keepers> {
  const [rows, mayName] = await Promise.all([
    spentByPrompt(db, of, reader.userId, range),
    nameableConnections(db, reader),
  ]);
  const known = rows.map((row) =>
    mayName(row) ? row : { ...row, connection_id: "", model_id: "" },
  );
  const nameOfModel = await modelNamesOf(db, known);
  const byModel = sumBy(known, (row) => `${row.connection_id} ${row.model_id}`);
  const byPrompt = sumBy(known, ({ prompt }) => prompt);
  return {
    total: known.reduce<KeeperCosts>(add, nothing),
    models: byModel.map(({ first, sum }) => ({
      connectionId: first.connection_id,
      id: first.model_id,
      name: nameOfModel(first.connection_id, first.model_id),
      ...sum,
    })),
    prompts: byPrompt
      .slice(0, maxPrompts)
      .map(({ first, sum }) => ({ prompt: first.prompt, ...sum })),
  };
}

const nothing: KeeperCosts = { micros: 0, runs: 0, unpricedRuns: 0, kept: 0 };
const add = (a: KeeperCosts, b: KeeperCosts): KeeperCosts => ({
  micros: a.micros + b.micros,
  runs: a.runs + b.runs,
  unpricedRuns: a.unpricedRuns + b.unpricedRuns,
  kept: a.kept + b.kept,
});

function sumBy<Row extends KeeperCosts>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): { first: Row; sum: KeeperCosts }[] {
  const sums = new Map<string, { first: Row; sum: KeeperCosts }>();
  for (const row of rows) {
    const known = sums.get(keyOf(row));
    if (known) known.sum = add(known.sum, row);
    else sums.set(keyOf(row), { first: row, sum: add(nothing, row) });
  }
  return [...sums.values()].sort((a, b) => b.sum.micros - a.sum.micros || b.sum.runs - a.sum.runs);
}

const resultFacts = ["run_id", "prompt_text", "pick", "trashed_at", "deleted_at"] as const;

/**
 * Counts results per run before runs are summed, so that a run with four results costs its price
 * once. A result that moved to another project counts where its money was spent.
 */
const resultsOf = (e: ExpressionBuilder<Database, "run">, of: readonly string[]) =>
  e
    .selectFrom((from) =>
      from
        .selectFrom("asset")
        .select(resultFacts)
        .where("project_id", "in", of)
        .where("run_id", "is not", null)
        .where("made_in", "is", null)
        .unionAll(from.selectFrom("asset").select(resultFacts).where("made_in", "in", of))
        .as("asset"),
    )
    .select([
      "run_id",
      sql<string>`min(substr(prompt_text, 1, ${sql.lit(promptCharacters)}))`.as("prompt"),
      sql<number>`sum(case when pick = 'kept' and trashed_at is null and deleted_at is null then 1 else 0 end)`.as(
        "kept",
      ),
    ])
    .groupBy("run_id");

async function spentByPrompt(
  db: Reader,
  of: readonly string[],
  userId: string,
  { from, to }: DayRange,
) {
  if (of.length === 0) return [];
  const by = ["run.connection_id", "run.model_id", "run.user_id"] as const;
  const prompt = sql<string>`coalesce(made.prompt, '')`;
  const rows = await db
    .selectFrom("run")
    .leftJoin(
      (e) => resultsOf(e as unknown as ExpressionBuilder<Database, "run">, of).as("made"),
      (join) => join.onRef("made.run_id", "=", "run.id"),
    )
    .select([...by, prompt.as("prompt")])
    .select((e) => [
      sql<number | string>`sum(coalesce(run.cost_micros, 0))`.as("micros"),
      sql<number | string>`sum(case when run.cost_micros is null then 1 else 0 end)`.as("unpriced"),
      sql<number | string>`sum(coalesce(made.kept, 0))`.as("kept"),
      e.fn.countAll<number | string>().as("runs"),
    ])
    .where("run.project_id", "in", of)
    .where("run.task", "in", literals(tasksWithFiles))
    .where("run.imported", "is", null)
    .where("run.finished_at", ">=", Date.parse(from))
    .where("run.finished_at", "<", Date.parse(to) + dayMs)
    .where((e) => e.or([e("run.visibility", "=", "project"), e("run.user_id", "=", userId)]))
    .groupBy([...by, prompt])
    .execute();
  return rows.map(({ micros, unpriced, kept, runs, ...row }) => ({
    ...row,
    micros: Number(micros),
    unpricedRuns: Number(unpriced),
    kept: Number(kept),
    runs: Number(runs),
  }));
}
