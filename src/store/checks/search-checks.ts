import type { MessagePart, RunWarning } from "#contract/entities.ts";
import { fromJson, fromJsonOrNull } from "../database/json.ts";
import type { Reader } from "../database/store.ts";

/** The warning added to a run that the check found, so that it is found once. */
export const uncountedSearchesType = "uncounted-searches";

/**
 * Finds background answers that cite web pages but count no searches. 0.1 didn't count them, and no
 * row has their number.
 */
export async function findUncountedSearches(
  db: Reader,
): Promise<{ runId: string; state: string }[]> {
  const rows = await db
    .selectFrom("run")
    .innerJoin("attempt", (join) =>
      join.onRef("attempt.run_id", "=", "run.id").onRef("attempt.number", "=", "run.attempts"),
    )
    .leftJoin("message", "message.id", "run.message_id")
    .select(["run.id", "run.state", "run.usage", "run.result", "run.warnings", "message.parts"])
    .where("run.task", "=", "chat")
    .where("run.finished_at", "is not", null)
    .where("run.imported", "is", null)
    // Only polled jobs: streamed answers count their searches as they arrive.
    .where("attempt.provider_urls", "is not", null)
    .orderBy("run.id")
    .execute();
  return rows.flatMap(({ id, state, ...row }) => {
    const usage = fromJsonOrNull<{ units?: Record<string, string> }>(row.usage);
    const parts =
      fromJsonOrNull<MessagePart[]>(row.parts) ??
      fromJsonOrNull<{ parts?: MessagePart[] }>(row.result)?.parts ??
      [];
    const isFound =
      usage?.units?.["web searches"] === undefined &&
      parts.some((part) => part.type === "source" && part.url !== undefined) &&
      !fromJson<RunWarning[]>(row.warnings).some(({ type }) => type === uncountedSearchesType);
    return isFound ? [{ runId: id, state }] : [];
  });
}
