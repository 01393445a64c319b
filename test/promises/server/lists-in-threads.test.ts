import { afterAll, beforeAll, expect, it } from "vitest";
import { rate } from "#domain/votes/bradley-terry.ts";
import { createLists } from "#engine/threads/lists/lists.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await createStudio(await createTestDatabase("sqlite"), {
    instance: { listThreads: true },
  });
});
afterAll(() => studio.close());

type Layout = { count: number };
const layout = async (): Promise<Layout> =>
  (await studio.person.call("layoutAssets", { query: { projectId: studio.person.projectId } }))
    .body as Layout;

it("a commit doesn't wait for an embedded database's library to be read", async () => {
  // In a single thread the read, which started first, would finish before the commit.
  const order: string[] = [];
  const read = layout().then(() => order.push("the library"));
  const write = studio.instance.store
    .write(async () => undefined)
    .then(() => order.push("a commit"));
  await Promise.all([read, write]);
  expect(order).toEqual(["a commit", "the library"]);
});

it("a committed change is in the next list", async () => {
  const before = (await layout()).count;
  const run = await studio.ended((await studio.make("just made")).id);
  expect(run.state).toBe("succeeded");
  expect((await layout()).count).toBe(before + 1);
  const [counts, list, found] = await Promise.all([
    studio.person.call("countAssets", { query: { projectId: studio.person.projectId } }),
    studio.person.call("listAssets", { query: { projectId: studio.person.projectId } }),
    studio.person.call("listAssets", {
      query: { projectId: studio.person.projectId, q: "just mad" },
    }),
  ]);
  expect(counts.body).toMatchObject({ all: before + 1 });
  expect((list.body as { assets: unknown[] }).assets).toHaveLength(before + 1);
  expect((found.body as { assets: unknown[] }).assets).toHaveLength(1);
});

it("models are rated in the threads, whichever database has the votes", async () => {
  const { lists, close } = createLists({ ...studio.instance.store, file: undefined });
  const board = { size: 2, wins: [{ winner: 1, loser: 0, count: 3 }] };
  expect(await lists.rate(board)).toEqual(rate(board.size, board.wins));
  // Without its threads, it isn't computed anywhere else.
  await close();
  await expect(lists.rate(board)).rejects.toMatchObject({ code: "unavailable" });
});
