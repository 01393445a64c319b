import { setImmediate } from "node:timers/promises";
import type { Collection } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { collectionRoutes } from "#contract/routes/collections.ts";
import { sentences } from "#contract/sentences/index.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import {
  dissolveCollection,
  getCollection,
  insertCollection,
  listCollections,
  moveItems,
  type StoredCollection,
  updateCollection,
} from "#store/content/collections.ts";
import { fromCursor, page } from "#store/database/cursor.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";

export function collectionHandlers(deps: ServerDeps): Handlers<keyof typeof collectionRoutes> {
  const { store, lists, commit } = deps;

  /**
   * Prepares collections for one person: counts and covers leave out other people's private assets.
   */
  async function shownTo(
    userId: string,
    projectId: string,
    rows: readonly StoredCollection[],
  ): Promise<Collection[]> {
    const counts = await lists.libraries.countLabels(projectId, userId);
    const coversOf = ({ id, coverAssetId }: StoredCollection): string[] =>
      [coverAssetId, counts.get(id)?.newestId].filter((one) => typeof one === "string");
    const covers = await getAssetsIn(store.read, projectId, userId, rows.flatMap(coversOf));
    const byId = new Map(covers.map((asset) => [asset.id, asset]));
    return rows.map(({ projectId: _, coverAssetId: _chosen, ...row }, i) => ({
      ...row,
      count: counts.get(row.id)?.count ?? 0,
      cover:
        coversOf(rows[i]!)
          .flatMap((id) => byId.get(id) ?? [])
          .find((asset) => asset.trashedAt === null) ?? null,
    }));
  }
  const show = async (userId: string, row: StoredCollection) => {
    const [collection] = await shownTo(userId, row.projectId, [row]);
    return { collection: collection! };
  };
  const one = async (id: string): Promise<StoredCollection> => {
    const row = await getCollection(store.read, id);
    if (!row) throw new Problem("not_found", { message: sentences.collections.gone });
    return row;
  };

  return {
    async listCollections({ actor, query }) {
      const { projectId, trash, kind, cursor, limit } = query;
      const [name, id] = cursor ? (fromCursor(cursor, ["string", "string"]) as string[]) : [];
      const rows = (await listCollections(store.read, projectId, { trash: trash === "true" }))
        .filter((row) => kind === undefined || row.kind === kind)
        .map((row) => ({ row, name: row.name.toLowerCase() }))
        .sort((a, b) => compare(a.name, b.name) || compare(a.row.id, b.row.id));
      const after = cursor
        ? rows.filter(({ row, name: own }) => (compare(own, name!) || compare(row.id, id!)) > 0)
        : rows;
      const shown = page(after.slice(0, limit + 1), limit, ({ row, name: own }) => [own, row.id]);
      const collections = await shownTo(
        actor.userId,
        projectId,
        shown.rows.map(({ row }) => row),
      );
      return { collections, next: shown.next };
    },
    getCollection: async ({ actor, params }) => show(actor.userId, await one(params.collectionId)),
    async createCollection({ actor, body }) {
      const { projectId, kind, name, query } = body;
      if (kind === "smart" && !query)
        throw new Problem("invalid_input", {
          field: "query",
          message: sentences.collections.filterMissing,
        });
      refuseFilterOf(kind, query);
      const made = { id: deps.ids(), projectId, kind, name, query: query ?? null };
      return show(
        actor.userId,
        await commit((unit) => insertCollection(unit, { ...made, createdBy: actor.userId })),
      );
    },
    async updateCollection({ actor, params, body }) {
      const { coverAssetId, trashed, ...rest } = body;
      const row = await one(params.collectionId);
      refuseFilterOf(row.kind, body.query);
      if (
        coverAssetId &&
        (await getAssetsIn(store.read, row.projectId, actor.userId, [coverAssetId])).length === 0
      )
        throw new Problem("invalid_input", {
          field: "coverAssetId",
          message: sentences.collections.coverElsewhere,
        });
      const updated = await commit((unit) =>
        updateCollection(unit, row.id, {
          ...rest,
          ...(coverAssetId !== undefined && { coverAssetId }),
          // A collection that is already in the trash keeps its date.
          ...(trashed !== undefined &&
            trashed !== (row.trashedAt !== null) && { trashedAt: trashed ? unit.at : null }),
        }),
      );
      return show(actor.userId, updated);
    },
    async orderCollection({ actor, params, body }) {
      const of = { collectionId: params.collectionId, userId: actor.userId };
      return { moved: await commit((unit) => moveItems(unit, of, body.ids, body.after)) };
    },
    async removeCollection({ params }) {
      const { id, trashedAt } = await one(params.collectionId);
      if (trashedAt === null)
        throw new Problem("conflict", { message: sentences.collections.notInTrash });
      // In slices, so that other work runs in between. Repeated after a crash, it continues where
      // it stopped.
      while (!(await commit((unit) => dissolveCollection(unit, id)))) await setImmediate();
      return {};
    },
  };
}

function refuseFilterOf(kind: Collection["kind"], query: object | undefined): void {
  if (kind === "manual" && query)
    throw new Problem("invalid_input", {
      field: "query",
      message: sentences.collections.filterUnwanted,
    });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
