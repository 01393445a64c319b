import type { LeftReason } from "#contract/filters/asset-filters.ts";
import { limits } from "#contract/limits.ts";
import { bytesLeft } from "#domain/files/storage-limit.ts";
import { type Actor, decide } from "#domain/people/policy.ts";
import type { Ids } from "#domain/runs/ids.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { toJson } from "../database/json.ts";
import type { AssetRow } from "../database/schema.ts";
import type { Store, Tx } from "../database/store.ts";
import type { Unit } from "../runs/unit.ts";
import type { ActOutcome, AssetAct } from "./act-outcomes.ts";
import { lockSeen, notifyAssets } from "./asset-acts.ts";
import { lockStorageUse } from "./storage-limits.ts";
import { countTags, findTags, lockTags, notifyTags, putTags } from "./tags.ts";

type Deps = { store: Pick<Store, "lockName">; ids: Ids };
type ProjectMove = { actor: Actor; from: string; to: string };

/**
 * Moves one slice of assets that the person may see to another project
 * (docs/decisions/0030-a-moved-file.md). Tags move along by name. Collections don't, but the undo
 * restores the positions in them.
 */
export async function moveAssets(
  unit: Unit,
  { store, ids: newIds }: Deps,
  { actor, from, to }: ProjectMove,
  ids: readonly string[],
): Promise<ActOutcome> {
  const { tx } = unit;
  const { userId } = actor;
  const uses = await lockStorageUse(store, tx, { userId, projectId: to });
  if (!(await mayEditAll(tx, actor, [from, to])))
    return { changed: 0, left: new Map([["mayNotMove", ids.length]]), undo: [] };
  const seen = await lockSeen(tx, userId, ids);
  const rows = seen.filter((row) => row.project_id === from);
  const left = new Map<LeftReason, number>();
  const leave = (reason: LeftReason, count = 1) =>
    count > 0 && left.set(reason, (left.get(reason) ?? 0) + count);
  const already = seen.filter((row) => row.project_id === to).length;
  leave("already", already);
  leave("gone", ids.length - rows.length - already);

  const temporary = await runsOfTemporaryChats(tx, rows);
  const tagged = await listTagged(tx, rows);
  const tagsOf = Map.groupBy(tagged, (tag) => tag.asset_id);
  const known = new Set((await findTags(tx, to, namesOf(tagged))).keys());
  let tagRoom = limits.tagsPerProject - (await countTags(tx, to));
  let room = bytesLeft(uses.filter(({ of }) => of === "project"));
  const moving: AssetRow[] = [];
  for (const row of rows) {
    const unknown = (tagsOf.get(row.id) ?? []).filter(({ folded }) => !known.has(folded));
    if (row.trashed_at !== null) leave("inTrash");
    else if (row.run_id !== null && temporary.has(row.run_id)) leave("ofTemporaryChat");
    else if (row.bytes > room) leave("storageFull");
    else if (unknown.length > tagRoom) leave("tagsFull");
    else {
      moving.push(row);
      room -= row.bytes;
      tagRoom -= unknown.length;
      for (const { folded } of unknown) known.add(folded);
    }
  }
  if (moving.length === 0) return { changed: 0, left, undo: [] };

  const isMoved = new Set(moving.map(({ id }) => id));
  const moved = await setProject(tx, moving, to);
  await retag(
    unit,
    newIds,
    { userId, to },
    tagged.filter((tag) => isMoved.has(tag.asset_id)),
  );
  const items = await tx
    .deleteFrom("collection_item")
    .where(isOneOf(tx, "asset_id", toJson([...isMoved])))
    .returning(["collection_id", "asset_id", "order_key"])
    .execute();
  notifyAssets(unit, from, moving);
  notifyAssets(unit, to, moved);
  const back: AssetAct = { projectId: to, action: "move", toProjectId: from };
  return {
    changed: moving.length,
    left,
    undo: [{ act: back, ids: [...isMoved] }, ...(await putBack(tx, from, items))],
  };
}

/**
 * Whether the person may edit all these projects. Their memberships are locked, so the right can't
 * be revoked before the unit ends.
 */
async function mayEditAll(tx: Tx, actor: Actor, projectIds: readonly string[]): Promise<boolean> {
  const rows = await tx
    .selectFrom("project_member")
    .select(["project_id", "role"])
    .where("user_id", "=", actor.userId)
    .where("project_id", "in", projectIds)
    .orderBy("project_id")
    .forNoKeyUpdate()
    .execute();
  const roles = new Map(rows.map((row) => [row.project_id, row.role]));
  return projectIds.every(
    (projectId) =>
      decide(actor, "edit", { projectId, projectRole: roles.get(projectId) }) === "allowed",
  );
}

/**
 * Returns those of the runs that a temporary chat shows. Deleting the chat deletes their results in
 * every project.
 */
async function runsOfTemporaryChats(tx: Tx, rows: readonly AssetRow[]): Promise<Set<string>> {
  const found = await tx
    .selectFrom("run")
    .innerJoin("message", "message.id", "run.message_id")
    .innerJoin("conversation", "conversation.id", "message.conversation_id")
    .select("run.id")
    .where(isOneOf(tx, "run.id", toJson(runsOf(rows))))
    .where("conversation.temporary", "=", 1)
    .execute();
  return new Set(found.map(({ id }) => id));
}

const runsOf = (rows: readonly AssetRow[]): string[] => [
  ...new Set(rows.flatMap(({ run_id: id }) => id ?? [])),
];

type Tagged = { asset_id: string; user_id: string; at: number; name: string; folded: string };

const listTagged = (tx: Tx, rows: readonly AssetRow[]): Promise<Tagged[]> =>
  tx
    .selectFrom("asset_tag")
    .innerJoin("tag", "tag.id", "asset_tag.tag_id")
    .select(["asset_tag.asset_id", "asset_tag.user_id", "asset_tag.at", "tag.name", "tag.folded"])
    .where(isOneOf(tx, "asset_tag.asset_id", toJson(rows.map(({ id }) => id))))
    .execute();

const namesOf = (tags: readonly Tagged[]): string[] => [
  ...new Map(tags.map(({ folded, name }) => [folded, name])).values(),
];

/**
 * Writes the assets' project. An asset that returns to its run's project gets the run's current
 * visibility, because the conversation may have been shared or unshared meanwhile.
 * @returns the assets as they are now
 */
async function setProject(tx: Tx, rows: readonly AssetRow[], to: string): Promise<AssetRow[]> {
  const runs = await tx
    .selectFrom("run")
    .select(["id", "project_id", "visibility"])
    .where(isOneOf(tx, "id", toJson(runsOf(rows))))
    .execute();
  const byId = new Map(runs.map((run) => [run.id, run]));
  const moved = rows.map((row): AssetRow => {
    const run = row.run_id === null ? undefined : byId.get(row.run_id);
    const isHome = run?.project_id === to;
    const visibility = isHome ? run.visibility : row.visibility;
    return { ...row, project_id: to, made_in: isHome || !run ? null : run.project_id, visibility };
  });
  const moves = Map.groupBy(moved, (row) => `${row.made_in} ${row.visibility}`);
  for (const some of moves.values()) {
    const { project_id, made_in, visibility } = some[0]!;
    await tx
      .updateTable("asset")
      .set({ project_id, made_in, visibility })
      .where(isOneOf(tx, "id", toJson(some.map(({ id }) => id))))
      .execute();
  }
  return moved;
}

/** Replaces the tags with those of the same names in the new project, and creates missing ones. */
async function retag(
  unit: Unit,
  newIds: Ids,
  { userId, to }: { userId: string; to: string },
  tags: readonly Tagged[],
): Promise<void> {
  if (tags.length === 0) return;
  const { tx, at } = unit;
  const names = namesOf(tags);
  const known = await findTags(tx, to, names);
  const found = await putTags(tx, newIds, { projectId: to, userId, at }, names);
  if (found.size > known.size) notifyTags(unit, to);
  // A tag that somebody deletes at this moment is dropped here too.
  const there = new Set(await lockTags(tx, [...found.values()]));
  await tx
    .deleteFrom("asset_tag")
    .where(isOneOf(tx, "asset_id", toJson(tags.map((tag) => tag.asset_id))))
    .execute();
  const rows = tags.flatMap(({ asset_id, user_id, at: taggedAt, folded }) => {
    const id = found.get(folded)?.id;
    return id && there.has(id) ? [{ asset_id, tag_id: id, user_id, at: taggedAt }] : [];
  });
  if (rows.length > 0) await tx.insertInto("asset_tag").values(rows).execute();
}

/**
 * Returns the acts that restore the assets' positions in their collections. A collection in the
 * trash accepts nothing.
 */
async function putBack(
  tx: Tx,
  projectId: string,
  items: readonly { collection_id: string; asset_id: string; order_key: string }[],
): Promise<ActOutcome["undo"]> {
  const byCollection = Map.groupBy(items, (item) => item.collection_id);
  const open = await tx
    .selectFrom("collection")
    .select("id")
    .where(isOneOf(tx, "id", toJson([...byCollection.keys()])))
    .where("trashed_at", "is", null)
    .orderBy("id")
    .execute();
  return open.map(({ id: collectionId }) => {
    const some = byCollection.get(collectionId)!;
    return {
      act: { projectId, action: "collect", collectionId },
      ids: some.map((item) => item.asset_id),
      orderKeys: some.map((item) => item.order_key),
    };
  });
}
