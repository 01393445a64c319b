import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { Asset, RunState } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertAsset, updateAssets } from "#store/content/assets.ts";
import { insertConnection } from "#store/models/connections.ts";
import { insertMember } from "#store/people/projects.ts";
import { insertRun, type NewRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { buildAsset, buildConnection, buildRun } from "../../../support/databases/store-rows.ts";
import { type Caller, createInstance } from "../../../support/server/instance.ts";

const day = "2026-03-04";
const endedAt = Date.parse(`${day}T12:00:00Z`);

forEachDatabase((_, create) => {
  it("a kept file costs all spending on its model and prompt, including failures and rejects", async () => {
    const instance = await createInstance(await create(), { endsWithTest: true, start: false });
    const { commit } = instance;
    const ada = await instance.createPerson("ada@example.org");
    const ben = await instance.createPerson("ben@example.org");
    const { projectId } = ada;
    const connection = buildConnection();
    await commit(async (unit) => {
      await insertConnection(unit.tx, connection);
      await insertMember(unit.tx, {
        projectId,
        userId: ben.user.id,
        role: "editor",
        at: unit.at,
      });
    });
    type Made = Partial<NewRun> & { cost: number | null; state?: RunState; at?: number };
    const make = async (
      { cost, state = "succeeded", at = endedAt, ...facts }: Made,
      results: Partial<Asset>[],
    ): Promise<string[]> => {
      const run = buildRun({
        projectId,
        userId: ada.user.id,
        connectionId: connection.id,
        modelId: "brush",
        task: "image",
        ...facts,
      });
      const ids = results.map(() => uuid());
      await commit(async (unit) => {
        await insertRun(unit, run);
        await unit.tx
          .updateTable("run")
          .set({ cost_micros: cost, state, finished_at: at })
          .where("id", "=", run.id)
          .execute();
        for (const [i, result] of results.entries())
          await insertAsset(
            unit,
            buildAsset({
              projectId,
              createdBy: run.userId,
              visibility: run.visibility,
              sha256: `hash of ${ids[i]}`,
              promptText: "a heron",
              ...result,
              id: ids[i]!,
              runId: run.id,
              outputIndex: i,
            }),
          );
      });
      return ids;
    };
    const keep = (...ids: string[]) => commit((unit) => updateAssets(unit, ids, { pick: "kept" }));
    const keepers = async (who: Caller) =>
      (
        await who.call<RouteOutput<"getKeepers">>("getKeepers", {
          query: { projectId, from: day, to: day },
        })
      ).body;

    const four = await make({ cost: 40_000 }, [{}, {}, {}, {}]);
    await keep(four[0]!, four[1]!);
    const [trashed] = await make({ cost: 7 }, [{}]);
    await keep(trashed!);
    await commit((unit) => updateAssets(unit, [trashed!], { trashedAt: unit.at }));
    await make({ cost: 500, state: "failed" }, []);
    const [stork] = await make({ cost: null, modelId: "chisel" }, [{ promptText: "a stork" }]);
    await keep(stork!);
    await make({ cost: 9_000, modelId: "chisel" }, [{ promptText: "a stork" }]);
    // Another day, a chat, and Ben's own work.
    await make({ cost: 1_000_000, at: endedAt + 86_400_000 }, [{}]);
    await make({ cost: 1_000_000, task: "chat" }, []);
    const [own] = await make({ cost: 300, userId: ben.user.id, visibility: "author" }, [
      { promptText: "hidden" },
    ]);
    await keep(own!);

    const connectionId = connection.id;
    expect(await keepers(ada)).toEqual({
      total: { micros: 49_507, runs: 5, unpricedRuns: 1, kept: 3 },
      models: [
        {
          connectionId,
          id: "brush",
          name: "brush",
          micros: 40_507,
          runs: 3,
          unpricedRuns: 0,
          kept: 2,
        },
        {
          connectionId,
          id: "chisel",
          name: "chisel",
          micros: 9_000,
          runs: 2,
          unpricedRuns: 1,
          kept: 1,
        },
      ],
      prompts: [
        { prompt: "a heron", micros: 40_007, runs: 2, unpricedRuns: 0, kept: 2 },
        { prompt: "a stork", micros: 9_000, runs: 2, unpricedRuns: 1, kept: 1 },
        { prompt: "", micros: 500, runs: 1, unpricedRuns: 0, kept: 0 },
      ],
    });
    const bens = await keepers(ben);
    expect(bens.total).toEqual({ micros: 49_807, runs: 6, unpricedRuns: 1, kept: 4 });
    expect(bens.prompts.map(({ prompt }) => prompt)).toContain("hidden");
    const stranger = await instance.createPerson("eve@example.org");
    expect(JSON.stringify(await keepers(stranger))).not.toContain("heron");
  });
});
