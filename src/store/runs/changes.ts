import type { Change } from "#contract/entities.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson, toJsonOrNull } from "../database/json.ts";
import { prepared, preparedRows } from "../database/prepared.ts";
import type { ChangeRow } from "../database/schema.ts";
import type { Reader, Tx } from "../database/store.ts";

/**
 * A notice for a project's feed, and its recipient; a null `userId` means everyone in the project.
 */
export type Notice = Omit<Change, "seq"> & {
  projectId: string;
  userId: string | null;
  /**
   * For a change to several assets at once. Only servers read it: a tab refetches the list it
   * shows.
   */
  assetIds?: readonly string[];
};
/** A notice with its position in the feed. */
export type FeedChange = Notice & { seq: number };

const takePlaces = prepared((db, { projectId, places }: { projectId: string; places: number }) =>
  db
    .updateTable("project")
    .set((e) => ({ seq: e("seq", "+", places) }))
    .where("id", "=", projectId)
    .returning("seq"),
);

const insertRows = preparedRows((db, rows: ChangeRow[]) => db.insertInto("change").values(rows));

/**
 * Appends a unit's notices to their projects' feeds. Each seq is taken under the project's row
 * lock, so that seq order is commit order. Projects are locked in id order and after all other rows
 * of the unit, so that units can't deadlock. Repeated notices about one thing are merged.
 */
export async function writeChanges(tx: Tx, notices: readonly Notice[]): Promise<FeedChange[]> {
  const byProject = Map.groupBy(mergeNotices(notices), (notice) => notice.projectId);
  const written: FeedChange[] = [];
  for (const [projectId, changes] of [...byProject].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [project] = await takePlaces(tx, { projectId, places: changes.length });
    if (!project) throw new Error(`the project ${projectId} of a notice is not there`);
    const { seq } = project;
    const placed = changes.map(
      (change, i): FeedChange => ({ ...change, seq: seq - changes.length + 1 + i }),
    );
    await insertRows(
      tx,
      placed.map(({ seq: place, userId, kind, id, messageIds, assetIds, at }) => ({
        project_id: projectId,
        seq: place,
        user_id: userId,
        kind,
        id,
        message_ids: toJsonOrNull(messageIds),
        asset_ids: toJsonOrNull(assetIds),
        at,
      })),
    );
    written.push(...placed);
  }
  return written;
}

/** Merges notices to one per thing and recipient, with the message ids of all of them. */
function mergeNotices(notices: readonly Notice[]): Notice[] {
  const merged = new Map<string, Notice>();
  for (const notice of notices) {
    const key = `${notice.kind} ${notice.id} ${notice.userId ?? ""}`;
    const before = merged.get(key);
    const messageIds = joined(before?.messageIds, notice.messageIds);
    const assetIds = joined(before?.assetIds, notice.assetIds);
    merged.set(key, {
      ...notice,
      ...(messageIds.length > 0 && { messageIds }),
      ...(assetIds.length > 0 && { assetIds }),
    });
  }
  return [...merged.values()];
}

const joined = (...lists: (readonly string[] | undefined)[]): string[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];

/** Lists the notices after a seq, in order: those for everyone and those for this person. */
export async function listChanges(
  db: Reader,
  projectId: string,
  userId: string,
  after: number,
  limit: number,
): Promise<FeedChange[]> {
  const rows = await db
    .selectFrom("change")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("seq", ">", after)
    .where((e) => e.or([e("user_id", "is", null), e("user_id", "=", userId)]))
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    projectId: row.project_id,
    userId: row.user_id,
    seq: row.seq,
    kind: row.kind as Change["kind"],
    id: row.id,
    ...(row.message_ids !== null && { messageIds: fromJson<string[]>(row.message_ids) }),
    at: row.at,
  }));
}

/**
 * Returns the feed's last seq and its time (0 when no notice is kept), and the oldest notice still
 * kept.
 */
export async function feedEnds(
  db: Reader,
  projectId: string,
): Promise<{ seq: number; changedAt: number; oldest: number }> {
  const project = await db
    .selectFrom("project")
    .select("seq")
    .where("id", "=", projectId)
    .executeTakeFirst();
  const ends = (order: "asc" | "desc") =>
    db
      .selectFrom("change")
      .select(["seq", "at"])
      .where("project_id", "=", projectId)
      .orderBy("seq", order)
      .limit(1)
      .executeTakeFirst();
  const [oldest, newest] = [await ends("asc"), await ends("desc")];
  const seq = project?.seq ?? 0;
  return { seq, changedAt: newest?.at ?? 0, oldest: oldest?.seq ?? seq + 1 };
}

/** Returns the feed's last seq. It advances with every unit that changes the project's lists. */
export async function feedPlace(db: Reader, projectId: string): Promise<number> {
  const [project] = await findPlace(db, { projectId });
  return project?.seq ?? 0;
}

const findPlace = prepared((db, { projectId }: { projectId: string }) =>
  db.selectFrom("project").select("seq").where("id", "=", projectId),
);

/**
 * Lists the assets that changed after one seq and up to another, regardless of who may see them,
 * without duplicates. Includes the inputs and outputs of changed runs, because a run's cost and its
 * use of an asset are searchable.
 * @returns undefined when some of these notices have been pruned
 */
export async function listChangedAssets(
  db: Reader,
  projectId: string,
  after: number,
  upTo: number,
): Promise<string[] | undefined> {
  const rows = await db
    .selectFrom("change")
    .select(["kind", "id", "asset_ids"])
    .where("project_id", "=", projectId)
    .where("seq", ">", after)
    .where("seq", "<=", upTo)
    .execute();
  if (rows.length < upTo - after) return undefined;
  const idsOf = (wanted: string) => rows.flatMap(({ kind, id }) => (kind === wanted ? id : []));
  const runs = toJson([...new Set(idsOf("run"))]);
  const made = db
    .selectFrom("asset")
    .select("id")
    .where(isOneOf(db, "run_id", runs));
  const taken = db
    .selectFrom("run_input")
    .select("asset_id as id")
    .where(isOneOf(db, "run_id", runs));
  const ofRuns = runs === "[]" ? [] : await made.unionAll(taken).execute();
  const ofActs = rows.flatMap(({ asset_ids: ids }) =>
    ids === null ? [] : fromJson<string[]>(ids),
  );
  return [...new Set([...idsOf("asset"), ...ofActs, ...ofRuns.map(({ id }) => id)])];
}

/**
 * Deletes up to `most` notices.
 * @returns whether more may be left
 */
export async function pruneChanges(tx: Tx, before: number, most: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("change")
    .where((e) =>
      e(
        e.refTuple("project_id", "seq"),
        "in",
        e
          .selectFrom("change")
          .select(["project_id", "seq"])
          .where("at", "<", before)
          .orderBy("at")
          .limit(most)
          .$asTuple("project_id", "seq"),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === most;
}
