import { type InfiniteData, InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { expect, it, onTestFinished } from "vitest";
import { type Key, keys } from "./keys.ts";
import { refreshLists, refreshWholeLists } from "./refresh-pages.ts";

type Batch = { id: string; runs: { id: string; state: string }[] };
type Page = { batches: Batch[]; next: string | null };
const size = 10;

/**
 * A server's feed of batches, newest first, of which the client watches all pages or only the
 * first.
 */
async function watchFeed(count: number, isReadThrough = true) {
  const rows: Batch[] = Array.from({ length: count }, (_, i) => ({
    id: `b${1900 - i}`,
    runs: [{ id: `r${1900 - i}`, state: "queued" }],
  }));
  const asked: (string | undefined)[] = [];
  const client = new QueryClient();
  const queryKey = keys.batches("p");
  const observer = new InfiniteQueryObserver<
    Page,
    Error,
    InfiniteData<Page>,
    Key,
    string | undefined
  >(client, {
    queryKey,
    queryFn: async ({ pageParam }) => {
      asked.push(pageParam);
      const from = pageParam === undefined ? 0 : rows.findIndex(({ id }) => id < pageParam);
      const batches = structuredClone(from < 0 ? [] : rows.slice(from, from + size));
      return { batches, next: from + size < rows.length ? batches.at(-1)!.id : null };
    },
    initialPageParam: undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  });
  onTestFinished(observer.subscribe(() => undefined));
  await observer.refetch();
  while (isReadThrough && observer.getCurrentResult().hasNextPage) await observer.fetchNextPage();
  asked.length = 0;
  const shown = () => observer.getCurrentResult().data!.pages.flatMap(({ batches }) => batches);
  return {
    rows,
    asked,
    shown,
    observer,
    refresh: (...ids: string[]) => refreshLists(client, queryKey, new Set(ids)),
    refreshWhole: () => refreshWholeLists(client, queryKey),
  };
}

it("a change deep in a long feed reloads its page and the first one, and is shown", async () => {
  const feed = await watchFeed(95);
  feed.rows[57]!.runs[0]!.state = "succeeded";
  await feed.refresh(feed.rows[57]!.runs[0]!.id);
  expect(feed.asked).toEqual([undefined, feed.rows[49]!.id]);
  expect(feed.shown()).toEqual(feed.rows);
});

it.each(["refresh", "refreshWhole"] as const)(
  "a page being loaded is added although a change is reported meanwhile (%s)",
  async (how) => {
    const feed = await watchFeed(45, false);
    const more = feed.observer.fetchNextPage();
    feed.rows[3]!.runs[0]!.state = "succeeded";
    await Promise.all([more, feed[how](feed.rows[3]!.runs[0]!.id)]);
    expect(feed.shown()).toEqual(feed.rows.slice(0, 20));
  },
);

it("new items appear at the top, and nothing is lost behind the first page", async () => {
  const feed = await watchFeed(45);
  feed.rows.unshift({ id: "b2001", runs: [] }, { id: "b2000", runs: [] });
  await feed.refresh("b2000", "b2001");
  expect(feed.shown()).toEqual(feed.rows);
  feed.rows.unshift({ id: "b2002", runs: [] });
  await feed.refresh("b2002");
  expect(feed.shown()).toEqual(feed.rows);
});

it("removed items go, moved items appear once, and the end is still reachable", async () => {
  const feed = await watchFeed(45);
  const [gone] = feed.rows.splice(23, 1);
  const [moved] = feed.rows.splice(31, 1);
  feed.rows.unshift({ ...moved!, id: moved!.id });
  await feed.refresh(gone!.id, moved!.id);
  expect(feed.shown().map(({ id }) => id)).toEqual(feed.rows.map(({ id }) => id));
  expect(feed.observer.getCurrentResult().hasNextPage).toBe(false);
});

it("a short feed is reloaded whole", async () => {
  const feed = await watchFeed(25);
  feed.rows[20]!.runs[0]!.state = "failed";
  await feed.refresh("no such run");
  expect(feed.asked).toHaveLength(3);
  expect(feed.shown()).toEqual(feed.rows);
});
