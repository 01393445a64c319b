import type { InfiniteData, Query, QueryClient, QueryKey } from "@tanstack/react-query";

type Item = { id: string; runs?: readonly { id: string }[]; assets?: readonly { id: string }[] };
type Page = { next: string | null };
type Pages = InfiniteData<Page, unknown>;

/**
 * Up to this many pages are refetched whole, which is simpler and no slower than finding the
 * changed ones.
 */
const maxWhole = 3;

/**
 * Refreshes lists after a known change. A long scrolled list isn't refetched whole at each notice:
 * only its first page, which has new items, and the pages that contain changed items.
 */
export async function refreshLists(
  queryClient: QueryClient,
  queryKey: QueryKey,
  ids: ReadonlySet<string>,
): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey });
  await Promise.all(
    queries.map(async (query) => {
      await pageOnItsWay(query);
      const isLong = isPages(query.state.data) && query.state.data.pages.length > maxWhole;
      // A pending fetch would write its older pages over these.
      const isRefreshed =
        isLong &&
        query.isActive() &&
        query.state.fetchStatus === "idle" &&
        (await refreshSome(queryClient, query, ids));
      if (!isRefreshed)
        await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }),
  );
}

/** Refreshes lists if the changes aren't known. */
export async function refreshWholeLists(
  queryClient: QueryClient,
  queryKey: QueryKey,
): Promise<void> {
  await Promise.all(
    queryClient
      .getQueryCache()
      .findAll({ queryKey })
      .map(async (query) => {
        await pageOnItsWay(query);
        await queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
      }),
  );
}

/** Waits for a requested next page, because a refresh would cancel the request for good. */
async function pageOnItsWay(query: Query): Promise<void> {
  if (query.state.fetchMeta?.fetchMore) await query.promise?.catch(() => undefined);
}

const isPages = (data: unknown): data is Pages =>
  typeof data === "object" && data !== null && "pages" in data && "pageParams" in data;

async function refreshSome(
  queryClient: QueryClient,
  query: Query,
  ids: ReadonlySet<string>,
): Promise<boolean> {
  const { queryFn } = query.options;
  if (typeof queryFn !== "function") return false;
  const before = query.state.data as Pages;
  const stale = before.pageParams.filter(
    (_, i) => i === 0 || itemsOf(before.pages[i]!).items.some((item) => mentions(item, ids)),
  );
  try {
    const { signal } = new AbortController();
    const ask = (pageParam: unknown) =>
      queryFn({
        client: queryClient,
        queryKey: query.queryKey,
        signal,
        meta: undefined,
        pageParam,
        direction: "forward",
      }) as Promise<Page>;
    const fresh = new Map(
      await Promise.all(stale.map(async (param) => [param, await ask(param)] as const)),
    );
    queryClient.setQueryData<Pages>(query.queryKey, (now) => now && mergePages(now, fresh, ids));
    return true;
  } catch {
    // The regular refetch reports the error in the usual way.
    return false;
  }
}

const mentions = (item: Item, ids: ReadonlySet<string>): boolean =>
  ids.has(item.id) ||
  !!item.runs?.some(({ id }) => ids.has(id)) ||
  !!item.assets?.some(({ id }) => ids.has(id));

/** A page's only list, with its field's name. */
function itemsOf(page: Page): { name: string; items: readonly Item[] } {
  const [name, items] = Object.entries(page).find(([, value]) => Array.isArray(value)) ?? ["", []];
  return { name, items: items as readonly Item[] };
}

/**
 * Replaces pages with fresh ones read from the same cursors. Unchanged items pushed off a fresh
 * page's end stay after it; an item now on two pages is shown on the first.
 */
function mergePages(
  now: Pages,
  fresh: ReadonlyMap<unknown, Page>,
  ids: ReadonlySet<string>,
): Pages {
  const shown = new Set<string>();
  const pages = now.pages.map((old, i) => {
    const page = fresh.get(now.pageParams[i]) ?? old;
    const { name, items } = itemsOf(page);
    const here = new Set(items.map(({ id }) => id));
    const slid =
      page === old
        ? []
        : itemsOf(old).items.filter((item) => !here.has(item.id) && !mentions(item, ids));
    const once = [...items, ...slid].filter(({ id }) => !shown.has(id));
    for (const { id } of once) shown.add(id);
    return { ...page, [name]: once, next: slid.length > 0 ? old.next : page.next };
  });
  return { ...now, pages };
}
