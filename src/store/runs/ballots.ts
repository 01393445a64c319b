import type { ModelRef } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";
import { type Ballot, isCounted, winsOf } from "#domain/votes/ballots.ts";
import type { Win } from "#domain/votes/bradley-terry.ts";
import { fromJson } from "../database/json.ts";
import type { Reader, Searchable } from "../database/store.ts";

type RatedModel = ModelRef & {
  name: string;
  costMicros: number | null;
  /**
   * Ratings of its answers in conversations. They don't affect its rank, because people who rate an
   * answer see its model.
   */
  ratings: number;
  goodRatings: number;
};
/** `wins` refer to models by index. */
export type Board = { models: RatedModel[]; wins: Win[]; votes: number };

/**
 * Reads the votes that count in these projects and that the person may see: votes given blind,
 * before the models were revealed, on comparisons none of whose results is in the trash, deleted,
 * or private to somebody else.
 */
export async function readBoard(
  { read }: Pick<Searchable, "read">,
  of: { projectIds: readonly string[]; userId: string; task?: Task },
): Promise<Board> {
  let query = read
    .selectFrom("comparison")
    .innerJoin("vote", "vote.comparison_id", "comparison.id")
    .innerJoin("comparison_entry as entry", "entry.comparison_id", "comparison.id")
    .leftJoin("run", "run.id", "entry.run_id")
    .leftJoin("asset", (join) =>
      join
        .onRef("asset.run_id", "=", "entry.run_id")
        .onRef("asset.output_index", "=", "entry.output_index")
        .on("asset.made_in", "is", null),
    )
    .leftJoin("message", "message.id", "entry.message_id")
    .leftJoin("conversation", "conversation.id", "message.conversation_id")
    .leftJoin("model", (join) =>
      join
        .onRef("model.connection_id", "=", "run.connection_id")
        .onRef("model.model_id", "=", "run.model_id"),
    )
    .select([
      "vote.id as vote_id",
      "vote.best",
      "entry.position",
      "entry.output_index",
      "entry.message_id",
      "run.id as run_id",
      "run.connection_id",
      "run.model_id",
      "run.cost_micros",
      "run.visibility as run_visibility",
      "run.user_id as run_user",
      "asset.id as asset_id",
      "asset.trashed_at as asset_trashed",
      "asset.deleted_at as asset_deleted",
      "asset.visibility as asset_visibility",
      "asset.created_by as asset_maker",
      "message.trashed_at as message_trashed",
      "conversation.id as conversation_id",
      "conversation.trashed_at as conversation_trashed",
      "conversation.visibility as conversation_visibility",
      "conversation.user_id as conversation_user",
      "model.name",
    ])
    .select((e) =>
      e
        .selectFrom("output")
        .select((of) => of.fn.countAll<number>().as("n"))
        .whereRef("output.run_id", "=", "entry.run_id")
        .as("outputs"),
    )
    .where("comparison.project_id", "in", [...of.projectIds])
    .where("comparison.trashed_at", "is", null)
    .where((e) =>
      e.or([e("comparison.visibility", "=", "project"), e("comparison.user_id", "=", of.userId)]),
    )
    .where("vote.best", "is not", null)
    .where("vote.revealed_before", "=", 0);
  if (of.task) query = query.where("comparison.task", "=", of.task);
  const rows = await query.orderBy("vote.id").orderBy("entry.position").execute();

  const sees = (visibility: string | null, userId: string | null) =>
    visibility === "project" || userId === of.userId;
  const counts = (row: (typeof rows)[number]): boolean => {
    if (row.run_id === null || !sees(row.run_visibility, row.run_user)) return false;
    if (row.message_id !== null)
      return (
        row.conversation_id !== null &&
        row.message_trashed === null &&
        row.conversation_trashed === null &&
        sees(row.conversation_visibility, row.conversation_user)
      );
    if (row.output_index === null) return true;
    return (
      row.asset_id !== null &&
      row.asset_trashed === null &&
      row.asset_deleted === null &&
      sees(row.asset_visibility, row.asset_maker)
    );
  };

  const rated = await countRatings(read, of);
  const models: (RatedModel & { costs: Map<string, number> })[] = [];
  const placeOf = new Map<string, number>();
  const place = (row: (typeof rows)[number]): number | null => {
    const { connection_id: connectionId, model_id: modelId, run_id: runId } = row;
    if (connectionId === null || modelId === null || runId === null || !counts(row)) return null;
    const key = `${connectionId} ${modelId}`;
    let at = placeOf.get(key);
    if (at === undefined) {
      at = models.length;
      placeOf.set(key, at);
      const name = row.name ?? modelId;
      const { ratings = 0, goodRatings = 0 } = rated.get(key) ?? {};
      models.push({
        ...{ connectionId, modelId, name, ratings, goodRatings },
        costMicros: null,
        costs: new Map(),
      });
    }
    if (row.cost_micros !== null)
      models[at]!.costs.set(runId, row.cost_micros / Math.max(1, Number(row.outputs)));
    return at;
  };
  const ballots: Ballot[] = [...Map.groupBy(rows, (row) => row.vote_id).values()].map((votes) => ({
    entries: votes.map(place),
    best: fromJson<number[]>(votes[0]?.best ?? "[]"),
  }));
  const wins = winsOf(ballots);
  return {
    models: models.map(({ costs, ...model }) => ({
      ...model,
      costMicros: medianOf([...costs.values()]),
    })),
    wins,
    votes: ballots.filter(isCounted).length,
  };
}

/** Counts ratings by model, over the conversations in these projects that the person may see. */
async function countRatings(
  read: Reader,
  { projectIds, userId, task }: { projectIds: readonly string[]; userId: string; task?: Task },
): Promise<Map<string, Pick<RatedModel, "ratings" | "goodRatings">>> {
  if (task !== undefined && task !== "chat") return new Map();
  const rows = await read
    .selectFrom("feedback")
    .innerJoin("message", "message.id", "feedback.message_id")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .innerJoin("run", "run.id", "message.run_id")
    .select(["run.connection_id", "run.model_id", "feedback.value"])
    .select((e) => e.fn.countAll<number>().as("n"))
    .where("conversation.project_id", "in", [...projectIds])
    .where("conversation.trashed_at", "is", null)
    .where("message.trashed_at", "is", null)
    .where((e) =>
      e.or([e("conversation.visibility", "=", "project"), e("conversation.user_id", "=", userId)]),
    )
    .groupBy(["run.connection_id", "run.model_id", "feedback.value"])
    .execute();
  const counted = new Map<string, Pick<RatedModel, "ratings" | "goodRatings">>();
  for (const { connection_id, model_id, value, n } of rows) {
    const key = `${connection_id} ${model_id}`;
    const { ratings, goodRatings } = counted.get(key) ?? { ratings: 0, goodRatings: 0 };
    counted.set(key, {
      ratings: ratings + Number(n),
      goodRatings: goodRatings + (value === "up" ? Number(n) : 0),
    });
  }
  return counted;
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  const value =
    sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return Math.round(value);
}
