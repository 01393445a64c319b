import type { ModelRef } from "#contract/entities.ts";
import { listItems } from "#store/content/collections.ts";
import { type LibraryWords, readLibraryRows } from "#store/content/libraries.ts";
import {
  findPlaces,
  type LibraryColumns,
  markIds,
  updateColumns,
  viewerOf,
} from "#store/content/library-columns.ts";
import {
  assetsOfPart,
  forgetParts,
  type LayoutParts,
  layOutColumns,
} from "#store/content/library-layout.ts";
import {
  layOutOrder,
  orderColumns,
  pageColumns,
  renewOrder,
} from "#store/content/library-orders.ts";
import {
  countColumns,
  countLabels,
  countLabelsAt,
  countModels,
  isSeenBy,
  type LabelCounts,
  type LibraryCounts,
  type LibraryLayout,
  type LibraryView,
} from "#store/content/library-views.ts";
import type { Store } from "#store/database/store.ts";
import { feedPlace, listChangedAssets } from "#store/runs/changes.ts";

/** The order of a view, and the places of what changed since it was made. */
type KeptOrder = { order: Uint32Array; touched: Set<number> };
/** A project's library as it was at a place of its feed, what it was asked there, and of each order and layout what a change leaves as it is. */
type Kept = {
  place: number;
  columns: LibraryColumns;
  answers: Map<string, unknown>;
  orders: Map<string, KeptOrder>;
  layouts: Map<string, LayoutParts>;
};

/** About 90 MB; the library that was used last is kept whatever its size. */
const assetsMost = 1_000_000;
/** What a library takes beside its columns, in assets. */
const answersSize = 1_000;
/** Of so many notices, and so many changed assets, these are read alone; beyond it the whole library is. */
const changesMost = 2_000;
/** A layout or an order of 100,000 has 400 KB, and some dozen views are in use at once. */
const answersMost = 24;

/** Whose view of which library; words are looked up in the database. */
export type LibraryScope = { projectId: string; userId: string } & Partial<
  Pick<LibraryWords, "q" | "tagged">
>;
export type KeptLibraries = {
  count(projectId: string, userId: string): Promise<LibraryCounts>;
  layOut(scope: LibraryScope, view: LibraryView, pageSize: number): Promise<LibraryLayout>;
  /** A page of a view in its order, from a cursor of its layout or of the page before. */
  page(
    scope: LibraryScope,
    view: LibraryView,
    part: { cursor?: string; limit: number },
  ): Promise<{ ids: string[]; next: string | null }>;
  /** How many of a view's order come before an asset; null where it is not among them. */
  locate(scope: LibraryScope, view: LibraryView, assetId: string): Promise<number | null>;
  /** The models that made what a person sees, most first. */
  countModels(projectId: string, userId: string): Promise<(ModelRef & { count: number })[]>;
  /** The tags and collections of a library that a person may know, and of each its newest asset. */
  countLabels(projectId: string, userId: string): Promise<LabelCounts>;
  /** Those of these assets as far as the person sees them, or of all that a view shows. */
  countLabelsOf(
    scope: LibraryScope,
    of: readonly string[] | LibraryView,
  ): Promise<{ assets: number; counts: LabelCounts }>;
};
type LibraryReads = {
  /** Reads a whole library, in a thread where there is one. */
  readLibrary(projectId: string): Promise<LibraryColumns>;
  /** The same with the assets that have certain words. */
  findInLibrary(words: LibraryWords): Promise<Uint8Array>;
};

/**
 * Libraries in memory, so that numbers and layouts do not read every asset again. Each answer begins with the place of the project's feed,
 * which every change of an asset moves in its own unit; the assets of the notices since then are read, and nothing else. So an answer is
 * never older than the question, whichever server wrote.
 * @param partSize assets that a layout looks at again when one of them changes
 */
export function createKeptLibraries(
  { read }: Pick<Store, "read">,
  { readLibrary, findInLibrary }: LibraryReads,
  partSize = assetsOfPart,
): KeptLibraries {
  /** By project, the one used last behind the others. */
  const libraries = new Map<string, Promise<Kept>>();
  const sizes = new Map<string, number>();

  async function renew(projectId: string, before: Kept | undefined): Promise<Kept> {
    // Read before the assets: what changes meanwhile is read again the next time.
    const place = await feedPlace(read, projectId);
    if (before?.place === place) return before;
    const notices = before ? place - before.place : Number.POSITIVE_INFINITY;
    const changed =
      before && notices > 0 && notices <= changesMost
        ? await listChangedAssets(read, projectId, before.place, place)
        : undefined;
    if (!before || !changed || changed.length > changesMost)
      return {
        place,
        columns: await readLibrary(projectId),
        answers: new Map(),
        orders: new Map(),
        layouts: new Map(),
      };
    if (changed.length === 0) return { ...before, place };
    const rows = await readLibraryRows(read, projectId, changed);
    const { count } = before.columns;
    const touched = updateColumns(before.columns, changed, rows);
    touchOrders(before, touched, count);
    for (const parts of before.layouts.values()) forgetParts(parts, touched, partSize);
    return { ...before, place, answers: new Map() };
  }

  /** One after the other for each project: of several that ask at once the first reads. */
  async function current(projectId: string): Promise<Kept> {
    const before = libraries.get(projectId);
    const now = before
      ? before.then(
          (kept) => renew(projectId, kept),
          () => renew(projectId, undefined),
        )
      : renew(projectId, undefined);
    libraries.delete(projectId);
    libraries.set(projectId, now);
    try {
      const kept = await now;
      sizes.set(projectId, kept.columns.count + answersSize);
      forgetOldest();
      return kept;
    } catch (error) {
      if (libraries.get(projectId) === now) {
        libraries.delete(projectId);
        sizes.delete(projectId);
      }
      throw error;
    }
  }

  function forgetOldest(): void {
    let assets = sizes.values().reduce((sum, size) => sum + size, 0);
    for (const projectId of libraries.keys()) {
      if (assets <= assetsMost || libraries.size === 1) return;
      assets -= sizes.get(projectId) ?? 0;
      libraries.delete(projectId);
      sizes.delete(projectId);
    }
  }

  /** An answer from a library as it is now, kept until the library changes. */
  function answer<T>({ answers }: Kept, question: unknown[], make: () => T): T {
    const key = JSON.stringify(question);
    const known = answers.get(key);
    if (known !== undefined) return known as T;
    const made = make();
    keepSome(answers, key, made);
    return made;
  }

  /** Its columns change in their place: what is made of them is made in one go. */
  async function look<T>(
    scope: LibraryScope,
    view: LibraryView,
    use: (kept: Kept, order: Uint32Array, viewer: number) => T,
  ): Promise<T> {
    const { projectId, userId, q, tagged } = scope;
    const kept = await current(projectId);
    const { columns } = kept;
    if (q === undefined && view.sort?.by !== "position") {
      const viewer = viewerOf(columns, userId);
      return use(kept, orderOf(kept, viewer, view), viewer);
    }
    const words = q === undefined ? undefined : { projectId, q, ...(tagged && { tagged }) };
    const found = words && (await findWords(kept, words));
    const items =
      view.sort?.by === "position" ? await readItems(kept, view.sort.collectionId) : undefined;
    const viewer = viewerOf(columns, userId);
    const order = answer(kept, ["order", viewer, q, tagged, view], () =>
      orderColumns(columns, viewer, view, { marks: found && markIds(columns, found), items }),
    );
    return use(kept, order, viewer);
  }

  /** The assets of a collection in its order, whoever sees them. A move is told as a change of the assets that moved. */
  async function readItems(kept: Kept, collectionId: string): Promise<readonly string[]> {
    try {
      return await answer(kept, ["items", collectionId], async () =>
        (await listItems(read, collectionId)).map(({ assetId }) => assetId),
      );
    } catch (error) {
      kept.answers.clear();
      throw error;
    }
  }

  async function findWords(kept: Kept, words: LibraryWords): Promise<Uint8Array> {
    try {
      return await answer(kept, ["words", words], () => findInLibrary(words));
    } catch (error) {
      kept.answers.clear();
      throw error;
    }
  }

  return {
    async count(projectId, userId) {
      const kept = await current(projectId);
      const viewer = viewerOf(kept.columns, userId);
      return answer(kept, ["counts", viewer], () => countColumns(kept.columns, viewer));
    },
    async layOut(scope, view, pageSize) {
      const { projectId, userId, q, tagged } = scope;
      if (q !== undefined || view.sort || view.group || view.similarTo !== undefined)
        return look(scope, view, (kept, order, viewer) =>
          answer(kept, ["layout", viewer, q, tagged, view, pageSize], () =>
            layOutOrder(kept.columns, order, view, pageSize),
          ),
        );
      const kept = await current(projectId);
      const { columns, layouts } = kept;
      const viewer = viewerOf(columns, userId);
      const question = ["layout", viewer, view, pageSize];
      return answer(kept, question, () => {
        const key = JSON.stringify(question);
        const parts = layouts.get(key) ?? [];
        keepSome(layouts, key, parts);
        return layOutColumns(columns, viewer, view, pageSize, parts, partSize);
      });
    },
    locate: (scope, view, assetId) =>
      look(scope, view, ({ columns }, order) => {
        const [place] = findPlaces(columns, [assetId]);
        const index = place === undefined ? -1 : order.indexOf(place);
        return index < 0 ? null : index;
      }),
    async countModels(projectId, userId) {
      const kept = await current(projectId);
      const viewer = viewerOf(kept.columns, userId);
      return answer(kept, ["models", viewer], () => countModels(kept.columns, viewer));
    },
    async countLabels(projectId, userId) {
      const kept = await current(projectId);
      const viewer = viewerOf(kept.columns, userId);
      return answer(kept, ["labels", viewer], () => countLabels(kept.columns, viewer));
    },
    async countLabelsOf(scope, of) {
      if (!Array.isArray(of))
        return look(scope, of as LibraryView, ({ columns }, order) => ({
          assets: order.length,
          counts: countLabelsAt(columns, order),
        }));
      const { columns } = await current(scope.projectId);
      const viewer = viewerOf(columns, scope.userId);
      const places = findPlaces(columns, of).filter((place) => isSeenBy(columns, viewer, place));
      return { assets: places.length, counts: countLabelsAt(columns, places) };
    },
    page: (scope, view, part) =>
      look(scope, view, ({ columns }, order) => pageColumns(columns, order, view, part)),
  };
}

/** @param count assets before the change */
function touchOrders(
  { columns, orders }: Kept,
  { places, movedFrom }: ReturnType<typeof updateColumns>,
  count: number,
): void {
  // Nearly all that comes is put behind the others. Where it is not, the places in every order are others' now.
  if (movedFrom < count) orders.clear();
  for (const [key, { touched }] of orders) {
    for (const place of places) touched.add(place);
    for (let place = count; place < columns.count; place += 1) touched.add(place);
    if (touched.size > changesMost) orders.delete(key);
  }
}

/** Sorted whole once; then what changed is put in its place when somebody asks. */
function orderOf({ columns, orders }: Kept, viewer: number, view: LibraryView): Uint32Array {
  const key = JSON.stringify([viewer, view]);
  const known = orders.get(key);
  const order =
    !known || (view.group && known.touched.size > 0)
      ? orderColumns(columns, viewer, view)
      : known.touched.size > 0
        ? renewOrder(columns, viewer, view, known.order, known.touched)
        : known.order;
  keepSome(orders, key, { order, touched: new Set<number>() });
  return order;
}

/** The one used last behind the others, of which so many are kept. */
function keepSome<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= answersMost) map.delete(map.keys().next().value!);
  map.set(key, value);
}
