import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Problem } from "#contract/errors.ts";
import { isFinal, type RunStep } from "#domain/runs/run-machine.ts";
import { insertRuns } from "#engine/admit/insert-runs.ts";
import { cancelRun, resolveRun } from "#engine/follow/cancel.ts";
import { emptyOutcome, settleRun } from "#engine/settle/settle.ts";
import { insertConnection } from "#store/models/connections.ts";
import { claimRuns } from "#store/runs/claims.ts";
import { listRunEvents } from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, Fenced, getRun, moveRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import { adoptRuns, insertWorker, removeWorker, retakeRuns } from "#store/runs/workers.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { expectRightBooks } from "../../../support/databases/right-books.ts";
import { buildConnection, buildRun } from "../../../support/databases/store-rows.ts";
import { type Caller, createInstance, type Instance } from "../../../support/server/instance.ts";

const owners = ["ada's server", "bob's server"] as const;
const heldMicros = 500;

/**
 * The steps that end a run or advance it. Each is tried in every state, by the run's owner and by a
 * server that believes to be the owner.
 */
const ends: RunStep[] = [
  { type: "stored" },
  { type: "outputs-lost" },
  { type: "failed" },
  { type: "cancelled" },
  { type: "refused", again: false },
];
const moves: RunStep[] = [
  { type: "stream-began" },
  { type: "job-accepted" },
  { type: "answered-whole" },
  { type: "provider-runs" },
  { type: "provider-done" },
  { type: "lost" },
  { type: "restarted" },
  { type: "refused", again: true },
  { type: "found" },
];
const leaves = new Set<RunStep["type"]>(["lost", "restarted", "refused"]);

type Act =
  | { do: "claim"; by: string }
  | { do: "take"; by: string; how: "over" | "again" }
  | { do: "move"; by: string; step: RunStep; isInHand: boolean }
  | { do: "end"; by: string; step: RunStep; cost: number | null }
  | { do: "tell"; by: string; events: number }
  | { do: "say"; what: "cancel" | "not made" };
const by = fc.constantFrom(...owners);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("claim" as const), by }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      by,
      step: fc.constantFrom(...moves),
      isInHand: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("end" as const),
      by,
      step: fc.constantFrom(...ends),
      cost: fc.option(fc.nat(900)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("tell" as const),
      by,
      events: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("take" as const),
      by,
      how: fc.constantFrom("over" as const, "again" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      what: fc.constantFrom("cancel" as const, "not made" as const),
    }),
  },
);

forEachDatabase((name, create) => {
  let instance: Instance;
  let person: Caller;
  const connectionId = uuid();
  beforeAll(async () => {
    instance = await createInstance(await create(), { start: false });
    person = await instance.createPerson("ada@example.org", { role: "owner" });
    await instance.commit(({ tx }) =>
      insertConnection(
        tx,
        buildConnection({ id: connectionId, places: { text: 100, media: 100 } }),
      ),
    );
    const setting = {
      period: "total",
      timeZone: "UTC",
      onLimit: "block",
      limitMicros: 1_000_000_000,
    };
    await person.call("setBudgets", {
      body: { scope: "user", scopeIds: [person.user.id], ...setting },
    });
  });
  afterAll(() => instance.close());

  async function admit(): Promise<string> {
    const { engineDeps, commit } = instance;
    const at = engineDeps.clock.now();
    const facts = {
      projectId: person.projectId,
      userId: person.user.id,
      connectionId,
      heldMicros,
      at,
    };
    const { waitingFor: _, ...planned } = buildRun(facts);
    const [run] = await commit((unit) =>
      insertRuns(unit, engineDeps, [{ ...planned, isBounded: true }]),
    );
    return run!.id;
  }

  /**
   * Two servers, and each one's last known version of the run, whatever has happened to it since.
   */
  function createWorld(runId: string) {
    const { engineDeps: deps, commit } = instance;
    const believes = new Map<string, OwnedRun>();
    let claims = 0;

    async function perform(what: Act): Promise<"done" | "fenced" | "nothing"> {
      if (what.do === "say") {
        await (what.what === "cancel"
          ? cancelRun(deps, runId, () => undefined)
          : resolveRun(deps, runId, { outcome: "not-made" }));
        return "done";
      }
      if (what.do === "claim") return claim(what.by);
      if (what.do === "take") return take(what.how, what.by);
      const run = believes.get(what.by);
      if (!run) return "nothing";
      if (what.do === "tell") {
        const events = Array.from({ length: what.events }, (_, i) => ({
          type: "text-delta" as const,
          payload: { text: `${i}` },
        }));
        await commit((unit) => appendRunEvents(unit, run, events, {}));
        return "done";
      }
      if (what.do === "end") {
        const outcome = {
          ...emptyOutcome,
          steps: [what.step],
          interrupted: true,
          costMicros: what.cost,
        };
        return moved((unit) => settleRun(unit, deps, run, outcome));
      }
      const set = leaves.has(what.step.type) ? { worker_id: null } : {};
      const change = {
        runId,
        fence: run.fence,
        step: what.step,
        set,
        events: [{ type: "run-running" as const, payload: {} }],
      };
      return moved((unit) => moveRun(unit, what.isInHand ? { ...change, from: run } : change));
    }

    /** A step returns the run as its row is then, whether or not that was read. */
    async function moved(
      step: (unit: Unit) => Promise<OwnedRun | undefined>,
    ): Promise<"done" | "nothing"> {
      return commit(async (unit) => {
        const run = await step(unit);
        if (run) expect(run).toEqual(await getRun(unit.tx, runId));
        return run ? "done" : "nothing";
      });
    }

    async function claim(by: string): Promise<"done" | "nothing"> {
      const ask = { connectionId, workerId: by, clientToken: uuid, most: 1 };
      const [claimed] = await commit((unit) => claimRuns(unit, ask));
      if (!claimed) return "nothing";
      claims++;
      const { clientToken: _, isProbe: __, ...run } = claimed;
      believes.set(by, run);
      return "done";
    }

    /** The other is considered dead, or a dropped run is adopted again. */
    async function take(how: "over" | "again", by: string): Promise<"done" | "nothing"> {
      const other = owners.find((one) => one !== by)!;
      const taken = await commit(async ({ tx }) => {
        if (how === "again") return retakeRuns(tx, by, [runId]);
        const runs = (await removeWorker(tx, other)) ? await adoptRuns(tx, by, 10) : [];
        await revive(tx, other);
        return runs;
      });
      // Runs of earlier schedules are taken over too.
      const mine = taken.find(({ id }) => id === runId);
      if (mine) believes.set(by, mine);
      return mine ? "done" : "nothing";
    }

    return {
      claims: () => claims,
      believed: (by: string) => believes.get(by)?.fence,
      perform: (what: Act) =>
        perform(what).catch((error) => {
          if (error instanceof Fenced) return "fenced" as const;
          if (error instanceof Problem && error.code === "conflict") return "nothing" as const;
          throw error;
        }),
    };
  }

  const revive = async (tx: Parameters<typeof insertWorker>[0], id: string): Promise<void> => {
    const known = await tx
      .selectFrom("worker")
      .select("id")
      .where("id", "=", id)
      .executeTakeFirst();
    if (!known) await insertWorker(tx, { id, bootId: id, beat: 0, host: "h", startedAt: 0 });
  };

  async function expectRight(before: OwnedRun, after: OwnedRun, claims: number): Promise<void> {
    const { store } = instance;
    const events = await listRunEvents(store.db, after.id, 0, 5_000);
    expect(events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: after.lastSeq }, (_, i) => i + 1),
    );
    expect(after.fence).toBeGreaterThanOrEqual(before.fence);
    if (isFinal(before.state)) expect(after).toEqual(before);
    const books = await store.db
      .selectFrom("ledger_entry")
      .selectAll()
      .where("run_id", "=", after.id)
      .execute();
    const sumOf = (...kinds: string[]) =>
      books.reduce((sum, { kind, micros }) => sum + (kinds.includes(kind) ? Number(micros) : 0), 0);
    expect(sumOf("hold", "release")).toBe(after.heldMicros);
    expect(after.heldMicros).toBe(isFinal(after.state) ? 0 : heldMicros);
    expect(books.filter(({ settlement }) => settlement !== null)).toHaveLength(
      isFinal(after.state) ? 1 : 0,
    );
    if (isFinal(after.state)) expect(sumOf("spend", "overage")).toBe(after.costMicros);
    if (isFinal(after.state) || after.state === "queued" || after.state === "unconfirmed")
      expect(after.workerId).toBeNull();
    expect(after.attempts).toBe(claims);
    expect(
      await store.db
        .selectFrom("attempt")
        .select("number")
        .where("run_id", "=", after.id)
        .execute(),
    ).toHaveLength(claims);
  }

  it("under any actions of two servers and a person on a run, valid or not, late or at once: one owner, one end, one settlement, no gap", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(act, act), { minLength: 5, maxLength: 25 }),
        async (pairs) => {
          const { store, commit } = instance;
          await commit(async ({ tx }) => {
            for (const id of owners) await revive(tx, id);
          });
          const runId = await admit();
          const world = createWorld(runId);
          let run = (await getRun(store.db, runId))!;
          for (const pair of pairs) {
            const stale = pair.map(
              (what) =>
                "by" in what &&
                world.believed(what.by) !== undefined &&
                world.believed(what.by)! < run.fence,
            );
            const results = await Promise.all(pair.map(world.perform));
            for (const [i, what] of pair.entries())
              if (stale[i] && ["move", "end", "tell"].includes(what.do))
                expect([what.do, results[i]]).toEqual([what.do, "fenced"]);
            const after = (await getRun(store.db, runId))!;
            await expectRight(run, after, world.claims());
            run = after;
          }
          if (run.state === "queued") await world.perform({ do: "say", what: "cancel" });
          await commit(({ tx }) =>
            tx.updateTable("run").set({ waiting_for: "restore" }).where("id", "=", runId).execute(),
          );
        },
      ),
      { numRuns: name === "sqlite" ? 120 : 40 },
    );
    await expectRightBooks(instance.store.db);
  });
});
