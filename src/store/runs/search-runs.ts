import { sql } from "kysely";
import type { Run, RunState } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { hasEveryWord } from "#domain/text/search-words.ts";
import { toCursor } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, fromJsonOrNull, toJson } from "../database/json.ts";
import type { RunRow } from "../database/schema.ts";
import type { Reader } from "../database/store.ts";
import { listModelNames } from "../models/models.ts";
import { getRunsByIds, narrowRuns, type RunFilter } from "./run-lists.ts";

/**
 * The number of runs that one request scans. Runs have no full-text index, and combined filters
 * could scan the whole history for a few hits, so every request has a bounded cost and its `next`
 * resumes where it stopped.
 */
export const searchedMost = 1_000;

/**
 * An input with whole conversations and files may take megabytes, and a search reads a thousand
 * inputs at once.
 */
export const searchedInputBytes = 64 * 1024;
/** The database knows the length without reading the value. */
export const searchedInput = sql<
  string | null
>`case when octet_length(run.input) <= ${searchedInputBytes} then run.input end`;

const searchedColumns = [
  "id",
  "user_id",
  "task",
  "state",
  "connection_id",
  "model_id",
  "error",
] as const satisfies (keyof RunRow)[];
/** `input` is present only for a search by words, and null when it is too long. */
type SearchedRun = Pick<RunRow, (typeof searchedColumns)[number]> & { input?: string | null };

/** Whether listing needs a search: by words, or by filters that no single index covers. */
export const isRunSearch = ({ q, ...filter }: RunFilter): boolean =>
  q !== undefined || narrowingOf(filter).length > 1;

const finalStates: readonly string[] = ["succeeded", "failed", "cancelled"] satisfies RunState[];

/** The filters that narrow the history, the one with the best index first. */
function narrowingOf(filter: Omit<RunFilter, "q">): Partial<RunFilter>[] {
  const { connectionId, modelId, createdBy, state, task } = filter;
  return [
    ...(connectionId ? [{ connectionId, ...(modelId !== undefined && { modelId }) }] : []),
    ...(createdBy ? [{ createdBy }] : []),
    ...(finalStates.includes(state) ? [{ state }] : []),
    ...(task ? [{ task }] : []),
  ];
}

/**
 * Finds runs, newest first, with all these words in their prompt, conversation, model, task or
 * error that also pass all filters. An input over 64 KB isn't searched; such a run is found by its
 * model, task and error only.
 */
export async function searchRuns(
  { read }: { read: Reader },
  { q, ...filter }: RunFilter,
): Promise<{ runs: Run[]; next: string | null }> {
  const { projectId, userId, state, cursor, limit } = filter;
  const [first = {}] = narrowingOf(filter);
  const shelf = finalStates.includes(state) ? "all" : state;
  const rows: SearchedRun[] = await narrowRuns(read, {
    ...{ projectId, userId, cursor, state: shelf },
    ...first,
  })
    .select(searchedColumns)
    .$if(q !== undefined, (query) => query.select(searchedInput.as("input")))
    .orderBy("id", "desc")
    .limit(searchedMost)
    .execute();
  const passing = rows.filter(fits(filter));
  const hits = q === undefined ? passing : await withWords(read, passing, q, userId);
  const shown = hits.slice(0, limit);
  const runs = await getRunsByIds(
    read,
    shown.map(({ id }) => id),
  );
  const isWhole = hits.length <= limit;
  const last = isWhole ? rows.at(searchedMost - 1) : shown.at(-1);
  return { runs: runs.reverse(), next: last ? toCursor([last.id]) : null };
}

const fits =
  ({ connectionId, modelId, createdBy, state, task }: Omit<RunFilter, "q">) =>
  (row: SearchedRun): boolean =>
    (connectionId === undefined || row.connection_id === connectionId) &&
    (modelId === undefined || row.model_id === modelId) &&
    (createdBy === undefined || row.user_id === createdBy) &&
    (!finalStates.includes(state) || row.state === state) &&
    (task === undefined || row.task === task);

async function withWords(
  db: Reader,
  rows: readonly SearchedRun[],
  q: string,
  userId: string,
): Promise<SearchedRun[]> {
  if (rows.length === 0) return [];
  const refs = rows.map((row) => ({ connectionId: row.connection_id, modelId: row.model_id }));
  const inputs = rows.map(({ input }) => fromJsonOrNull<JsonObject>(input ?? null) ?? {});
  const [names, titles] = await Promise.all([
    listModelNames(db, refs),
    titlesOf(
      db,
      inputs.flatMap(({ conversationId: id }) => (typeof id === "string" ? id : [])),
      userId,
    ),
  ]);
  return rows.filter((row, at) => {
    const { conversationId } = inputs[at]!;
    const error = row.error === null ? undefined : fromJson<{ message?: string }>(row.error);
    const words = [
      promptOf(inputs[at]!),
      askedIn(inputs[at]!),
      typeof conversationId === "string" ? titles.get(conversationId) : "",
      names[at] ?? row.model_id,
      tasks[row.task as keyof typeof tasks]?.name,
      error?.message,
    ];
    return hasEveryWord(words.filter(Boolean).join(" "), q);
  });
}

/** Returns the last user turn of a conversation that a program sent along. */
function askedIn({ turns }: JsonObject): string {
  type Turn = { role: string; parts: readonly { type: string; text?: string }[] };
  const last = Array.isArray(turns)
    ? (turns as unknown as Turn[]).findLast(({ role }) => role === "user")
    : undefined;
  return last ? last.parts.map(({ text = "" }) => text).join(" ") : "";
}

/** Returns the titles of those conversations that the person may read. */
async function titlesOf(
  db: Reader,
  ids: readonly string[],
  userId: string,
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("conversation")
    .select(["id", "title"])
    .where(isOneOf(db, "id", toJson([...new Set(ids)])))
    .where((e) => e.or([e("visibility", "=", "project"), e("user_id", "=", userId)]))
    .execute();
  return new Map(rows.map(({ id, title }) => [id, title]));
}
