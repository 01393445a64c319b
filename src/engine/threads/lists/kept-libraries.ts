import { readLibraryRows } from "#store/content/libraries.ts";
import {
  countColumns,
  type LibraryColumns,
  type LibraryCounts,
  type LibraryView,
  updateColumns,
  viewerOf,
} from "#store/content/library-columns.ts";
import {
  assetsOfPart,
  forgetParts,
  type LayoutParts,
  type LibraryLayout,
  layOutColumns,
} from "#store/content/library-layout.ts";
import type { Store } from "#store/database/store.ts";
import { feedPlace, listChangedAssets } from "#store/runs/changes.ts";

/** A project's library as it was at a place of its feed, what it was asked there, and of each layout what a change leaves as it is. */
type Kept = {
  place: number;
  columns: LibraryColumns;
  answers: Map<string, unknown>;
  layouts: Map<string, LayoutParts>;
};

/** About 50 MB; the library that was used last is kept whatever its size. */
const assetsMost = 1_000_000;
/** What a library takes beside its columns, in assets. */
const answersSize = 1_000;
/** Of so many notices the changed assets are read alone; beyond it the whole library is. */
const noticesMost = 2_000;
/** A layout of 100,000 has 400 KB, and some dozen views are in use at once. */
const answersMost = 12;

export type KeptLibraries = {
  count(projectId: string, userId: string): Promise<LibraryCounts>;
  layOut(
    of: LibraryView & { projectId: string; userId: string },
    pageSize: number,
  ): Promise<LibraryLayout>;
};

/**
 * Libraries in memory, so that numbers and layouts do not read every asset again. Each answer begins with the place of the project's feed,
 * which every change of an asset moves in its own unit; the assets of the notices since then are read, and nothing else. So an answer is
 * never older than the question, whichever server wrote.
 * @param readLibrary reads a whole library, in a thread where there is one
 * @param partSize assets that a layout looks at again when one of them changes
 */
export function createKeptLibraries(
  { read }: Pick<Store, "read">,
  readLibrary: (projectId: string) => Promise<LibraryColumns>,
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
      before && notices > 0 && notices <= noticesMost
        ? await listChangedAssets(read, projectId, before.place, place)
        : undefined;
    if (!before || !changed)
      return {
        place,
        columns: await readLibrary(projectId),
        answers: new Map(),
        layouts: new Map(),
      };
    if (changed.length === 0) return { ...before, place };
    const rows = await readLibraryRows(read, changed);
    const touched = updateColumns(before.columns, changed, rows);
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

  async function answer<T>(
    { projectId, userId }: { projectId: string; userId: string },
    view: object,
    make: (kept: Kept, viewer: number, key: string) => T,
  ): Promise<T> {
    const kept = await current(projectId);
    const viewer = viewerOf(kept.columns, userId);
    const key = JSON.stringify([viewer, view]);
    const known = kept.answers.get(key);
    if (known !== undefined) return known as T;
    const made = make(kept, viewer, key);
    keepSome(kept.answers, key, made);
    return made;
  }

  return {
    count: (projectId, userId) =>
      answer({ projectId, userId }, {}, ({ columns }, viewer) => countColumns(columns, viewer)),
    layOut: (of, pageSize) => {
      const { kind, pick, source, connectionId, modelId, trash } = of;
      const view: LibraryView = { kind, pick, source, connectionId, modelId, trash };
      return answer(of, { ...view, pageSize }, ({ columns, layouts }, viewer, key) => {
        const parts = layouts.get(key) ?? [];
        keepSome(layouts, key, parts);
        return layOutColumns(columns, viewer, view, pageSize, parts, partSize);
      });
    },
  };
}

/** The one used last behind the others, of which so many are kept. */
function keepSome<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= answersMost) map.delete(map.keys().next().value!);
  map.set(key, value);
}
