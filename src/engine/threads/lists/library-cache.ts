import { setImmediate as nextTurn } from "node:timers/promises";
import type { ModelRef } from "#contract/entities.ts";
import { listItems } from "#store/content/collections.ts";
import {
  type LibraryWords,
  readLibraryRows,
  renewTitles,
  sortByName,
} from "#store/content/libraries.ts";
import {
  findPlaces,
  type LibraryColumns,
  markIds,
  names,
  type RankedTitles,
  ranksByPlace,
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
  type OrderFacts,
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
  listNamed,
} from "#store/content/library-views.ts";
import type { Store } from "#store/database/store.ts";
import { feedPlace, listChangedAssets } from "#store/runs/changes.ts";

/** The numbers of titles, and the assets changed since. */
type CachedTitles = { ranked: RankedTitles; touched: ReadonlySet<string> };
/** The order of a view, and the positions changed since it was computed. */
type CachedOrder = { order: Uint32Array; touched: Set<number> };
/**
 * A project's library at a position of its change feed, with the answers, orders and layouts
 * computed from it.
 */
type CachedLibrary = {
  place: number;
  columns: LibraryColumns;
  answers: Map<string, unknown>;
  orders: Map<string, CachedOrder>;
  layouts: Map<string, LayoutParts>;
  /** Given once the library was sorted by title. */
  titles: CachedTitles | undefined;
};

/** About 110 MB. The library used last is kept whatever its size. */
const maxAssets = 1_000_000;
/** The memory of a library besides its columns, counted in assets. */
const answersSize = 1_000;
export type LibraryCacheSizes = {
  /** How many assets of a layout are recomputed when one of them changes. */
  partSize: number;
  /**
   * Up to this many notices and changed assets, or a quarter of the library, are applied
   * individually. Beyond that, reading the whole library costs less.
   */
  changesMost: number;
  /** How many changed assets are read and applied in one turn of the event loop. */
  changesAtOnce: number;
};
const usualSizes: LibraryCacheSizes = {
  partSize: assetsOfPart,
  changesMost: 2_000,
  changesAtOnce: 250,
};
/**
 * Up to this many titles are placed among the others in the server's own thread. More are left to a
 * list thread, which numbers all.
 */
const titlesAtOnce = 250;
/** How many notices are read in one turn of the event loop. */
const noticesAtOnce = 1_000;
/** A layout or order of 100,000 assets takes 400 KB, and some dozen views are in use at once. */
const maxAnswers = 24;

/** The sorts that need more than the columns. */
const outsideSorts: readonly (string | undefined)[] = ["position", "title", "person", "connection"];

/** The person and library of a view; text is searched in the database. */
export type LibraryScope = { projectId: string; userId: string } & Partial<
  Pick<LibraryWords, "q" | "tagged">
>;
export type LibraryCache = {
  count(projectId: string, userId: string): Promise<LibraryCounts>;
  layOut(scope: LibraryScope, view: LibraryView, pageSize: number): Promise<LibraryLayout>;
  /** Returns a page of a view in its order, from a cursor of its layout or of the previous page. */
  page(
    scope: LibraryScope,
    view: LibraryView,
    part: { cursor?: string; limit: number },
  ): Promise<{ ids: string[]; next: string | null }>;
  /** How many assets precede one in a view's order; null if it isn't in the view. */
  locate(scope: LibraryScope, view: LibraryView, assetId: string): Promise<number | null>;
  /** Counts the models of the assets that a person sees, most used first. */
  countModels(projectId: string, userId: string): Promise<(ModelRef & { count: number })[]>;
  /** The tags and collections that a person may see in a library, each with its newest asset. */
  countLabels(projectId: string, userId: string): Promise<LabelCounts>;
  /** The labels of these assets, as far as the person sees them, or of all assets in a view. */
  countLabelsOf(
    scope: LibraryScope,
    of: readonly string[] | LibraryView,
  ): Promise<{ assets: number; counts: LabelCounts }>;
};
type LibraryReads = {
  /** Reads a whole library, in a thread if there is one. */
  readLibrary(projectId: string): Promise<LibraryColumns>;
  /** Reads a library's assets that match a search. */
  findInLibrary(words: LibraryWords): Promise<Uint8Array>;
  /** Numbers a library's assets by title. */
  rankTitles(projectId: string): Promise<RankedTitles>;
};

/**
 * Keeps libraries in memory, so that counts and layouts don't read every asset again. Each answer
 * first reads the position of the project's change feed, which every change of an asset advances in
 * its own unit, and then only the assets changed since. An answer therefore includes everything
 * committed before the question, by any server.
 */
export function createLibraryCache(
  { read }: Pick<Store, "read">,
  { readLibrary, findInLibrary, rankTitles }: LibraryReads,
  { partSize, changesMost, changesAtOnce }: LibraryCacheSizes = usualSizes,
): LibraryCache {
  /** By project, ordered by last use. */
  const libraries = new Map<string, Promise<CachedLibrary>>();
  const sizes = new Map<string, number>();

  async function renew(
    projectId: string,
    before: CachedLibrary | undefined,
  ): Promise<CachedLibrary> {
    // Read before the assets, so that changes in the meantime are read again next time.
    const place = await feedPlace(read, projectId);
    if (before?.place === place) return before;
    const changed = before && (await listChanged(projectId, before, place));
    if (!changed)
      return {
        place,
        columns: await readLibrary(projectId),
        answers: new Map(),
        orders: new Map(),
        layouts: new Map(),
        titles: undefined,
      };
    if (changed.length === 0) return { ...before, place };
    for (let from = 0; from < changed.length; from += changesAtOnce) {
      if (from > 0) await nextTurn();
      await applyChanges(projectId, before, changed.slice(from, from + changesAtOnce));
    }
    return { ...before, place, answers: new Map(), titles: touchTitles(before.titles, changed) };
  }

  /** Lists the changed assets; undefined if reading the whole library costs less. */
  async function listChanged(
    projectId: string,
    { place: from, columns }: CachedLibrary,
    place: number,
  ): Promise<string[] | undefined> {
    const most = Math.max(changesMost, columns.count / 4);
    if (place < from || place - from > most) return undefined;
    const changed = new Set<string>();
    for (let after = from; after < place; after += noticesAtOnce) {
      const upTo = Math.min(after + noticesAtOnce, place);
      const some = await listChangedAssets(read, projectId, after, upTo);
      if (!some) return undefined;
      for (const id of some) changed.add(id);
      if (changed.size > most) return undefined;
      if (upTo < place) await nextTurn();
    }
    return [...changed];
  }

  async function applyChanges(
    projectId: string,
    library: CachedLibrary,
    changed: readonly string[],
  ): Promise<void> {
    const rows = await readLibraryRows(read, projectId, changed);
    const { count } = library.columns;
    const touched = updateColumns(library.columns, changed, rows);
    touchOrders(library, touched, count, changesMost);
    for (const parts of library.layouts.values()) forgetParts(parts, touched, partSize);
  }

  /**
   * Serializes the reads of each project: of several simultaneous questions, only the first reads.
   */
  async function current(projectId: string): Promise<CachedLibrary> {
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
      if (assets <= maxAssets || libraries.size === 1) return;
      assets -= sizes.get(projectId) ?? 0;
      libraries.delete(projectId);
      sizes.delete(projectId);
    }
  }

  /** Returns an answer from the current library, cached until the library changes. */
  function answer<T>({ answers }: CachedLibrary, question: unknown[], make: () => T): T {
    const key = JSON.stringify(question);
    const known = answers.get(key);
    if (known !== undefined) return known as T;
    const made = make();
    cacheRecent(answers, key, made);
    return made;
  }

  /** The columns change in place, so everything is computed from them without awaiting. */
  async function look<T>(
    scope: LibraryScope,
    view: LibraryView,
    use: (kept: CachedLibrary, order: Uint32Array, viewer: number, facts: OrderFacts) => T,
  ): Promise<T> {
    const { projectId, userId, q, tagged } = scope;
    const kept = await current(projectId);
    const { columns } = kept;
    if (q === undefined && !outsideSorts.includes(view.sort?.by)) {
      const viewer = viewerOf(columns, userId);
      return use(kept, orderOf(kept, viewer, view), viewer, {});
    }
    const words = q === undefined ? undefined : { projectId, q, ...(tagged && { tagged }) };
    const found = words && (await remember(kept, ["words", words], () => findInLibrary(words)));
    const sortFacts = await readSortFacts(projectId, kept, view.sort);
    const viewer = viewerOf(columns, userId);
    const order = answer(kept, ["order", viewer, q, tagged, view, sortFacts.named], () =>
      orderColumns(columns, viewer, view, {
        ...sortFacts,
        marks: found && markIds(columns, found),
      }),
    );
    return use(kept, order, viewer, sortFacts);
  }

  /** Reads what a sort needs besides the columns. */
  async function readSortFacts(
    projectId: string,
    kept: CachedLibrary,
    sort: LibraryView["sort"],
  ): Promise<OrderFacts> {
    if (sort?.by === "position") return { items: await readItems(kept, sort.collectionId) };
    const { columns } = kept;
    // Not remembered: a renamed person or connection doesn't change the library.
    if (sort?.by === "person")
      return { named: await sortByName(read, "user", listNamed(columns, names.maker)) };
    if (sort?.by === "connection")
      return { named: await sortByName(read, "connection", listNamed(columns, names.connection)) };
    if (sort?.by !== "title") return {};
    const ranked = await remember(kept, ["titles"], () => currentTitles(projectId, kept));
    return { titles: answer(kept, ["ranks"], () => ranksByPlace(columns, ranked)) };
  }

  /** Numbers all titles once, and afterwards only the changed ones, on demand. */
  async function currentTitles(projectId: string, kept: CachedLibrary): Promise<RankedTitles> {
    const { titles } = kept;
    if (titles?.touched.size === 0) return titles.ranked;
    const renewed =
      titles && (await renewTitles(read, projectId, titles.ranked, [...titles.touched]));
    const ranked = renewed ?? (await rankTitles(projectId));
    // A title that changed meanwhile may have misled the search of others.
    if (!renewed || (await feedPlace(read, projectId)) === kept.place)
      kept.titles = { ranked, touched: new Set() };
    return ranked;
  }

  /** Beyond `titlesAtOnce` changed assets, all titles are numbered again. */
  function touchTitles(
    titles: CachedTitles | undefined,
    changed: readonly string[],
  ): CachedTitles | undefined {
    const touched = titles && new Set([...titles.touched, ...changed]);
    return touched && touched.size <= titlesAtOnce ? { ...titles, touched } : undefined;
  }

  /**
   * The assets of a collection in its order, whether or not the viewer sees them. A reordering
   * appears in the feed as a change of the moved assets.
   */
  const readItems = (kept: CachedLibrary, collectionId: string): Promise<readonly string[]> =>
    remember(kept, ["items", collectionId], async () =>
      (await listItems(read, collectionId)).map(({ assetId }) => assetId),
    );

  /** Like `answer`, for a read that may fail. */
  async function remember<T>(
    kept: CachedLibrary,
    question: unknown[],
    make: () => Promise<T>,
  ): Promise<T> {
    try {
      return await answer(kept, question, make);
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
        return look(scope, view, (kept, order, viewer, facts) =>
          answer(kept, ["layout", viewer, q, tagged, view, pageSize, facts.named], () =>
            layOutOrder(kept.columns, viewer, order, view, pageSize, facts),
          ),
        );
      const kept = await current(projectId);
      const { columns, layouts } = kept;
      const viewer = viewerOf(columns, userId);
      const question = ["layout", viewer, view, pageSize];
      return answer(kept, question, () => {
        const key = JSON.stringify(question);
        const parts = layouts.get(key) ?? [];
        cacheRecent(layouts, key, parts);
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
      look(scope, view, ({ columns }, order, viewer, facts) =>
        pageColumns(columns, viewer, order, view, part, facts),
      ),
  };
}

/**
 * @param count how many assets the library had before the change
 * @param most beyond this many changed assets, an order is sorted again
 */
function touchOrders(
  { columns, orders }: CachedLibrary,
  { places, movedFrom }: ReturnType<typeof updateColumns>,
  count: number,
  most: number,
): void {
  // Nearly all new assets are appended. If one isn't, the positions in every order shift.
  if (movedFrom < count) orders.clear();
  for (const [key, { touched }] of orders) {
    for (const place of places) touched.add(place);
    for (let place = count; place < columns.count; place += 1) touched.add(place);
    if (touched.size > most) orders.delete(key);
  }
}

/** Sorts an order completely once, and afterwards inserts only the changed assets, on demand. */
function orderOf(
  { columns, orders }: CachedLibrary,
  viewer: number,
  view: LibraryView,
): Uint32Array {
  const key = JSON.stringify([viewer, view]);
  const known = orders.get(key);
  const order =
    !known || (view.group && known.touched.size > 0)
      ? orderColumns(columns, viewer, view)
      : known.touched.size > 0
        ? renewOrder(columns, viewer, view, known.order, known.touched)
        : known.order;
  cacheRecent(orders, key, { order, touched: new Set<number>() });
  return order;
}

/** Moves the entry to the end and removes the one used least recently beyond the limit. */
function cacheRecent<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= maxAnswers) map.delete(map.keys().next().value!);
  map.set(key, value);
}
