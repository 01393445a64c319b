import { sql } from "kysely";
import type { JsonObject } from "#contract/json.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { foldWords, hasEveryWord } from "#domain/text/search-words.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJsonOrNull, toJson } from "../database/json.ts";
import type { Reader, Searchable } from "../database/store.ts";
import { searchedInput } from "./search-runs.ts";

type Of = { projectId: string; userId: string };

const titleCharacters = 120;

/** Without a title of its own, a comparison has that of the first result that the reader may see. */
export const shownTitle = (title: string, ofResults: readonly string[]): string =>
  (title || (ofResults.find((one) => one !== "") ?? "")).slice(0, titleCharacters);

/** The number of newest comparisons searched. Older ones are found in their own list. */
const maxSearched = 1_000;
/** Comparisons whose results are read at once: the newest ones often fill the page. */
const readAtOnce = 100;

/**
 * Finds visible comparisons, newest first, with all these words in their titles and in the prompts
 * of those results that the person may see now.
 */
export async function searchComparisons(
  { read }: Pick<Searchable, "read">,
  { q, limit, ...of }: Of & { q: string; limit: number },
): Promise<{ id: string; title: string; createdAt: number }[]> {
  if (foldWords(q).length === 0) return [];
  const rows = await read
    .selectFrom("comparison")
    .select(["id", "title", "created_at"])
    .where("project_id", "=", of.projectId)
    .where("trashed_at", "is", null)
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", of.userId)]))
    .orderBy("id", "desc")
    .limit(maxSearched)
    .execute();
  const found: Awaited<ReturnType<typeof searchComparisons>> = [];
  for (let from = 0; from < rows.length && found.length < limit; from += readAtOnce) {
    const some = rows.slice(from, from + readAtOnce);
    const ids = some.map(({ id }) => id);
    const prompts = await readPrompts(read, of, ids);
    for (const { id, title, created_at: createdAt } of some) {
      const own = prompts.get(id) ?? [];
      if (hasEveryWord([title, ...own].join(" "), q))
        found.push({ id, title: shownTitle(title, own), createdAt });
    }
  }
  return found.slice(0, limit);
}

/**
 * Returns the titles of each comparison's results, in their order and each once: a file's or a run's
 * prompt, or a conversation's title. A result that is deleted, or private to somebody else, has none.
 */
async function readPrompts(
  read: Reader,
  { projectId, userId }: Of,
  comparisonIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await read
    .selectFrom("comparison_entry as entry")
    .innerJoin("run", "run.id", "entry.run_id")
    .leftJoin("asset", (join) =>
      join
        .onRef("asset.run_id", "=", "entry.run_id")
        .onRef("asset.output_index", "=", "entry.output_index")
        .on("asset.made_in", "is", null)
        .on("asset.trashed_at", "is", null)
        .on("asset.deleted_at", "is", null)
        .on((e) =>
          e.or([e("asset.visibility", "=", "project"), e("asset.created_by", "=", userId)]),
        ),
    )
    .leftJoin("message", (join) =>
      join.onRef("message.id", "=", "entry.message_id").on("message.trashed_at", "is", null),
    )
    .leftJoin("conversation", (join) =>
      join
        .onRef("conversation.id", "=", "message.conversation_id")
        .on("conversation.trashed_at", "is", null)
        .on("conversation.temporary", "=", sql.lit(0))
        .on((e) =>
          e.or([
            e("conversation.visibility", "=", "project"),
            e("conversation.user_id", "=", userId),
          ]),
        ),
    )
    .select(["entry.comparison_id", "asset.prompt_text", "conversation.title"])
    // A run's own prompt names its text, or the file that it hasn't made.
    .select(
      sql<string | null>`case when asset.id is null and entry.message_id is null
        and (entry.output_index is null or run.state <> 'succeeded') then ${searchedInput} end`.as(
        "input",
      ),
    )
    .where(isOneOf(read, "entry.comparison_id", toJson(comparisonIds)))
    .where("run.project_id", "=", projectId)
    .where((e) => e.or([e("run.visibility", "=", "project"), e("run.user_id", "=", userId)]))
    .orderBy("entry.comparison_id")
    .orderBy("entry.position")
    .execute();
  const prompts = Map.groupBy(rows, (row) => row.comparison_id);
  return new Map(
    prompts
      .entries()
      .map(([id, own]) => [id, [...new Set(own.map(titleOf))].filter((title) => title !== "")]),
  );
}

const titleOf = (row: {
  prompt_text: string | null;
  title: string | null;
  input: string | null;
}): string => row.prompt_text ?? row.title ?? promptOf(fromJsonOrNull<JsonObject>(row.input) ?? {});
