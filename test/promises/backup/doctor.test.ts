import { afterAll, beforeAll, expect, it } from "vitest";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { runBottega } from "../../support/server/run-command.ts";
import {
  createDoctorStudio,
  type DoctorStudio,
  foundBy,
} from "../../support/studio/doctor-studio.ts";

/** The doctor's findings in the ledger. */
forEachDatabase((_, create) => {
  let here: DoctorStudio;
  beforeAll(async () => {
    here = await createDoctorStudio(await create());
  });
  afterAll(() => here.close());

  it("finds nothing while the server works, and says so", async () => {
    const { database, studio, runId } = here;
    const ended = await runBottega(["doctor", "--deep"], database.env);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("No problems found.") });
    expect(ended.stdout.match(/^ok /gm)).toHaveLength(19);
    expect((await studio.spentOf(runId)).length).toBe(1);
  });

  it("a balance that is not the sum of its entries is found, and recomputed only with --mend", async () => {
    const { change, ask } = here;
    await change((tx) =>
      tx
        .updateTable("balance")
        .set((e) => ({ spent_micros: e("spent_micros", "+", 5), held_micros: 7 }))
        .execute(),
    );
    const found = await ask();
    expect(found.code).toBe(1);
    expect(foundBy(found)).toEqual([
      {
        check: "balances",
        subject: expect.stringContaining("budget-1"),
        text: expect.stringContaining("held $0.000007"),
      },
    ]);
    expect(await ask()).toMatchObject({ code: 1 });
    const mended = await ask("mend");
    expect(mended.code).toBe(0);
    expect(foundBy(mended)).toMatchObject([{ mended: "recomputed from the ledger" }]);
  });

  it("a day of usage that isn't the sum of its bookings is found and fixed", async () => {
    const { change, ask } = here;
    await change((tx) =>
      tx
        .updateTable("usage_day")
        .set((e) => ({ micros: e("micros", "+", 3) }))
        .where("model_id", "=", "sim/flux/dev")
        .execute(),
    );
    const subject = expect.stringContaining("sim/flux/dev");
    // Its month no longer equals the sum of its days either.
    expect(foundBy(await ask())).toMatchObject([
      { check: "usage", subject },
      { check: "months", subject },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a month of usage that isn't the sum of its days is found and fixed", async () => {
    const { change, ask } = here;
    await change((tx) =>
      tx
        .updateTable("usage_month")
        .set((e) => ({ micros: e("micros", "-", 3) }))
        .where("model_id", "=", "sim/flux/dev")
        .execute(),
    );
    expect(foundBy(await ask())).toMatchObject([
      { check: "months", text: expect.stringMatching(/^shows \$.*; its days add up to \$/) },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
  });

  it("an API key's day that isn't the sum of its bookings is found and fixed, together with its month", async () => {
    const { store, keyId, change, ask } = here;
    const shown = () => store.read.selectFrom("usage_key_day").selectAll().execute();
    const asBooked = await shown();
    await change((tx) =>
      tx
        .updateTable("usage_key_day")
        .set((e) => ({ micros: e("micros", "+", 3) }))
        .execute(),
    );
    const subject = expect.stringContaining(`API key ${keyId}`);
    expect(foundBy(await ask())).toMatchObject([
      {
        check: "key-usage",
        subject,
        text: expect.stringMatching(/^shows \$.*; the ledger says \$/),
      },
      { check: "key-months", subject },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(foundBy(await ask())).toEqual([]);
    expect(await shown()).toEqual(asBooked);
  });

  it("an API key's missing or wrong month is found and fixed", async () => {
    const { store, keyId, change, ask } = here;
    const shown = () => store.read.selectFrom("usage_key_month").selectAll().execute();
    const asBooked = await shown();
    expect(asBooked).toMatchObject([{ api_key_id: keyId, runs: 1 }]);
    await change((tx) => tx.deleteFrom("usage_key_month").execute());
    expect(foundBy(await ask())).toMatchObject([
      { check: "key-months", text: expect.stringMatching(/^shows \$.*; its days add up to \$/) },
    ]);
    expect(await ask("mend")).toMatchObject({ code: 0 });
    expect(await shown()).toEqual(asBooked);
  });

  it("a run whose reservation, cost or settlement differs from the ledger is found, and nothing fixes it", async () => {
    const { studio, runId, change, ask } = here;
    await change((tx) =>
      tx
        .updateTable("run")
        .set((e) => ({ held_micros: 11, cost_micros: e("cost_micros", "+", 1) }))
        .where("id", "=", runId)
        .execute(),
    );
    const found = await ask("mend");
    expect(found.code).toBe(1);
    expect(foundBy(found)).toEqual([
      {
        check: "runs",
        subject: `run ${runId} (succeeded)`,
        text: expect.stringMatching(/holds \$0\.000011.*; cost/),
      },
    ]);
    await change((tx) =>
      tx
        .updateTable("run")
        .set((e) => ({ held_micros: 0, cost_micros: e("cost_micros", "-", 1) }))
        .where("id", "=", runId)
        .execute(),
    );
    const setBasis = (cost_basis: "known" | "assumed") =>
      change((tx) => tx.updateTable("run").set({ cost_basis }).where("id", "=", runId).execute());
    await setBasis("assumed");
    expect(foundBy(await ask())).toMatchObject([
      { check: "runs", text: expect.stringMatching(/^is assumed to be free, the ledger says \$/) },
    ]);
    await setBasis("known");
    const [entry] = await studio.spentOf(runId);
    await change(async (tx) => {
      for (const micros of [9, -9])
        await tx
          .insertInto("ledger_entry")
          .values({ ...entry!, id: `second${micros}`, settlement: `second${micros}`, micros })
          .execute();
    });
    expect(foundBy(await ask())).toMatchObject([{ check: "runs", text: "was settled 3 times" }]);
    await change((tx) => tx.deleteFrom("ledger_entry").where("id", "like", "second%").execute());
  });

  it("a run over its reservation without a warning is found and gets the warning", async () => {
    const { studio, runId, change, ask } = here;
    const [entry] = await studio.spentOf(runId);
    const row = {
      ...entry!,
      id: "overage",
      kind: "overage" as const,
      settlement: null,
      micros: 300,
    };
    await change(async (tx) => {
      await tx.insertInto("ledger_entry").values(row).execute();
      await tx
        .updateTable("ledger_entry")
        .set((e) => ({ micros: e("micros", "-", 300) }))
        .where("id", "=", entry!.id)
        .execute();
    });
    const subject = `run ${runId} (succeeded)`;
    const text =
      "cost $0.025000, which is $0.000300 more than was reserved for it, and does not say so";
    expect(foundBy(await ask())).toEqual([{ check: "overages", subject, text }]);
    expect(foundBy(await ask("mend"))).toMatchObject([
      { check: "overages", mended: "the run carries the warning now" },
    ]);
    expect((await studio.runOf(runId)).warnings).toEqual([
      {
        type: "overage",
        feature: "cost",
        message: "This cost $0.025, more than the $0.0247 reserved for it.",
      },
    ]);
    expect(foundBy(await ask())).toEqual([]);
  });

  it("a succeeded run without a cost that its price and usage determine is found and booked once", async () => {
    const { studio, store, runId, change, ask } = here;
    const run = await store.read
      .selectFrom("run")
      .selectAll()
      .where("id", "=", runId)
      .executeTakeFirstOrThrow();
    const without = { cost_micros: null, cost_basis: null };
    const price_snapshot = JSON.stringify([{ unit: "image", micros: "400" }]);
    const usage = JSON.stringify({ units: { images: "2" } });
    await change(async (tx) => {
      await tx.deleteFrom("ledger_entry").where("run_id", "=", runId).execute();
      const ofRun = tx.updateTable("run").where("id", "=", runId);
      await ofRun.set({ ...without, price_snapshot, usage: "{}" }).execute();
    });
    await ask("mend");
    // Nothing determines its cost.
    expect(foundBy(await ask())).toEqual([]);
    await change((tx) => tx.updateTable("run").set({ usage }).where("id", "=", runId).execute());
    expect(foundBy(await ask())).toEqual([
      {
        check: "unpriced",
        subject: `run ${runId} (succeeded)`,
        text: "has no cost; by its price and usage it cost $0.000800",
      },
    ]);
    expect(foundBy(await ask("mend"))).toMatchObject([{ mended: "its cost is booked now" }]);
    expect(await studio.runOf(runId)).toMatchObject({ costMicros: 800, costBasis: "known" });
    const booked = await studio.ledgerOf(runId);
    expect(booked).toMatchObject([
      { kind: "adjust", micros: 800, note: "From the price and the usage." },
    ]);
    // Balances and usage include it too.
    expect(foundBy(await ask("mend"))).toEqual([]);
    expect(await studio.ledgerOf(runId)).toEqual(booked);
    const { cost_micros, cost_basis } = run;
    await change((tx) =>
      tx
        .updateTable("run")
        .set({ usage: run.usage, price_snapshot: run.price_snapshot, cost_micros, cost_basis })
        .where("id", "=", runId)
        .execute(),
    );
    await change((tx) =>
      tx
        .updateTable("ledger_entry")
        .set({ micros: cost_micros! })
        .where("run_id", "=", runId)
        .execute(),
    );
    await ask("mend");
  });
});
