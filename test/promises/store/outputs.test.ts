import { expect, it } from "vitest";
import { listOutputs, promiseOutputs } from "#store/runs/outputs.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { createStudio } from "../../support/studio/studio.ts";

const file = (letter: string) => ({
  name: letter,
  remoteUrl: null,
  expiresAt: null,
  sha256: letter.repeat(64),
  facts: {},
});

forEachDatabase((_, create) => {
  it("a different file for a taken place gets a new place, and the same file keeps its own, however often it arrives", async () => {
    const { instance, ...studio } = await createStudio(await create(), { endsWithTest: true });
    const { id } = await studio.make("never sent [sim:hold]");
    await studio.inState(id, "running");
    const place = (...letters: string[]) =>
      instance.commit(async ({ tx }) =>
        (await promiseOutputs(tx, id, letters.map(file))).map(({ index }) => index),
      );
    expect(await place("a", "b")).toEqual([0, 1]);
    expect(await place("c", "d")).toEqual([2, 3]);
    expect(await place("a", "b")).toEqual([0, 1]);
    expect(await place("c", "d")).toEqual([2, 3]);
    expect(await place("e", "b")).toEqual([4, 1]);
    // Two equal pictures in one answer each have a place.
    expect(await place("e", "b", "f", "f")).toEqual([4, 1, 5, 6]);
    expect((await listOutputs(instance.store.db, id)).map(({ name }) => name).join("")).toBe(
      "abcdeff",
    );
  });

  it("two simultaneous answers for one run lose neither's file", async () => {
    const { instance, ...studio } = await createStudio(await create(), { endsWithTest: true });
    const { id } = await studio.make("two at once [sim:hold]");
    await studio.inState(id, "running");
    const letters = [..."abcdef"];
    await Promise.all(
      letters.map((letter) => instance.commit(({ tx }) => promiseOutputs(tx, id, [file(letter)]))),
    );
    const names = (await listOutputs(instance.store.db, id)).map(({ name }) => name);
    expect(names.sort()).toEqual(letters);
  });
});
