import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import { migrate } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { insertConnection } from "#store/models/connections.ts";
import { upsertModels } from "#store/models/models.ts";
import { insertProject } from "#store/people/projects.ts";
import { insertRun } from "#store/runs/runs.ts";
import {
  isRunSearch,
  searchedInputBytes,
  searchedMost,
  searchRuns,
} from "#store/runs/search-runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import { forEachDatabase, type TestDatabase } from "../../../support/databases/databases.ts";
import { plansOf } from "../../../support/databases/query-plans.ts";
import {
  at,
  buildConnection,
  buildModel,
  buildRun,
} from "../../../support/databases/store-rows.ts";
import { openTestStore } from "../../../support/databases/test-store.ts";

/** Activity's search: words and filters over a window of the history. */
const of = { projectId: "p", userId: "u", state: "all", limit: 10 } as const;

type Made = Partial<Parameters<typeof buildRun>[0]> & { state?: string; error?: string };
async function openWith(database: TestDatabase, made: readonly Made[]): Promise<Store> {
  const store = openTestStore(database);
  await migrate(store, 0);
  await store.write(async (tx) => {
    await insertProject(tx, { id: "p", name: "p", description: "", ownerId: "u", at: 0 });
    await insertConnection(tx, buildConnection({ id: "c" }));
    await upsertModels(tx, [buildModel({ connectionId: "c", modelId: "m", name: "Flux Áurea" })]);
    for (const { state, error, ...facts } of made) {
      const run = buildRun({ projectId: "p", userId: "u", connectionId: "c", ...facts });
      await insertRun(newUnit(tx, at), run);
      if (state)
        await tx
          .updateTable("run")
          .set({
            state,
            finished_at: at,
            error: error ? JSON.stringify({ code: "provider_error", message: error }) : null,
          })
          .where("id", "=", run.id)
          .execute();
    }
  });
  return store;
}
const prompts = async (store: Store, filter: Partial<Parameters<typeof searchRuns>[1]>) => {
  const { runs, next } = await searchRuns(store, { ...of, ...filter });
  return { prompts: runs.map(({ input }) => input.prompt), next };
};

forEachDatabase((_, create) => {
  it("finds runs by words of the prompt, the model, the task and the error, newest first", async () => {
    const store = await openWith(await create(), [
      { input: { prompt: "Arches of the hárbor" } },
      { input: { prompt: "a boat" }, state: "failed", error: "The harbor quota is used up." },
      { input: { prompt: "a cat" }, task: "video" },
    ]);
    expect((await prompts(store, { q: "harbor" })).prompts).toEqual([
      "a boat",
      "Arches of the hárbor",
    ]);
    expect((await prompts(store, { q: "harbor arch" })).prompts).toEqual(["Arches of the hárbor"]);
    expect((await prompts(store, { q: "aurea" })).prompts).toHaveLength(3);
    expect((await prompts(store, { q: "video aurea" })).prompts).toEqual(["a cat"]);
    expect((await prompts(store, { q: "harbor", state: "failed" })).prompts).toEqual(["a boat"]);
    expect(await prompts(store, { q: "nothing" })).toEqual({ prompts: [], next: null });
  });

  it("returns only runs that fit every filter", async () => {
    const store = await openWith(await create(), [
      { input: { prompt: "mine" }, state: "failed" },
      { input: { prompt: "theirs" }, userId: "v", state: "failed" },
      { input: { prompt: "other model" }, modelId: "n", state: "failed" },
      { input: { prompt: "done" }, state: "succeeded" },
    ]);
    const filter = { createdBy: "u", connectionId: "c", modelId: "m", state: "failed" } as const;
    expect(isRunSearch({ ...of, ...filter })).toBe(true);
    expect(isRunSearch({ ...of, state: "failed" })).toBe(false);
    expect((await prompts(store, filter)).prompts).toEqual(["mine"]);
  });

  it("finds no private run of another person, by any word or filter", async () => {
    const store = await openWith(await create(), [
      { input: { prompt: "their secret" }, userId: "v", visibility: "author" },
    ]);
    expect((await prompts(store, { q: "secret" })).prompts).toEqual([]);
    expect((await prompts(store, { createdBy: "v", task: "image" })).prompts).toEqual([]);
    expect((await prompts(store, { q: "secret", userId: "v" })).prompts).toEqual(["their secret"]);
  });

  it("skips long inputs: such a run is found by its model, task and error", async () => {
    const long = "tide ".repeat(searchedInputBytes / 5);
    const store = await openWith(await create(), [
      { input: { prompt: long }, state: "failed", error: "The harbor quota is used up." },
      // Bytes count, not characters.
      { input: { prompt: `tide ${"é".repeat(searchedInputBytes / 2)}` } },
      { input: { prompt: "tide".padEnd(searchedInputBytes - 20, ".") } },
    ]);
    expect((await prompts(store, { q: "tide" })).prompts).toEqual([
      expect.stringMatching(/^tide\.+$/),
    ]);
    expect((await prompts(store, { q: "harbor quota" })).prompts).toEqual([long]);
    expect((await prompts(store, { q: "picture aurea" })).prompts).toHaveLength(3);
    const ofTask = { task: "image", createdBy: "u" } as const;
    expect((await prompts(store, ofTask)).prompts).toHaveLength(3);
    const queries = await plansOf(store, (watched) => searchRuns(watched, { ...of, ...ofTask }));
    expect(queries[0]!.query).not.toContain("input");
  });

  it("searches part of the history at a time, and continues where it stopped", async () => {
    const store = await openWith(await create(), [
      { id: uuid(), input: { prompt: "the oldest tide" } },
      ...Array.from({ length: searchedMost }, () => ({ input: { prompt: "a tree" } })),
    ]);
    const first = await prompts(store, { q: "tide" });
    expect(first.prompts).toEqual([]);
    expect(first.next).not.toBeNull();
    const second = await prompts(store, { q: "tide", cursor: first.next! });
    expect(second).toEqual({ prompts: ["the oldest tide"], next: null });
    // A full page's cursor continues after its own last run.
    const trees = await prompts(store, { q: "tree", limit: 2 });
    expect((await prompts(store, { q: "tree", limit: 2, cursor: trees.next! })).next).not.toBe(
      trees.next,
    );
  });
});
