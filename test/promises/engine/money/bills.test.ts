import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BillComparison } from "#contract/schemas/bills.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { readInvoice } from "#engine/bills/read-invoice.ts";
import { findRunsOfRequests, listBookedIds } from "#store/money/bills.ts";
import { updateUser } from "#store/people/people.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import type { Caller } from "../../../support/server/instance.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

/** How often the event loop ran other work before this was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isDone = true;
  return turns;
}

type Requests = NonNullable<BillComparison["requests"]>;
type Invoice = RouteOutput<"compareInvoice">;

/** A fal bill with every possible discrepancy, compared with the ledger of its runs. */
forEachDatabase((_, create) => {
  let studio: Studio;
  let eve: Caller;
  let range: { from: string; to: string };
  const runs: Record<"agreed" | "dearer" | "cheaper" | "unbilled" | "lost", string> = {
    agreed: "",
    dearer: "",
    cheaper: "",
    unbilled: "",
    lost: "",
  };
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { billsPerPage: 2 } });
    eve = await studio.instance.createPerson("eve@example.org");
    for (const name of ["agreed", "dearer", "cheaper", "unbilled"] as const) {
      runs[name] = (await studio.make(`${name} as billed`)).id;
      expect((await studio.ended(runs[name])).costMicros).toBe(25_000);
    }
    studio.fal.script("lost on the way", "lost-reply");
    runs.lost = (await studio.make("lost on the way")).id;
    await studio.inState(runs.lost, "unconfirmed");
    billOf("dearer").nanoUsd = 31_234_567;
    billOf("cheaper").nanoUsd = 0;
    const { billing } = studio.fal.ledger;
    billing.splice(billing.indexOf(billOf("unbilled")), 1);
    const today = new Date(studio.instance.deps.clock.now()).toISOString().slice(0, 10);
    range = { from: today, to: today };
    billing.push({
      ...billOf("agreed"),
      requestId: "a-stranger",
      model: "sim/other",
      nanoUsd: 7_000_000,
    });
  });
  afterAll(() => studio.close());

  const billOf = (name: string) =>
    studio.fal.ledger.billing.find(({ requestId }) => requestId === studio.fal.requestIdOf(name))!;
  const params = () => ({ connectionId: studio.models.fal.connectionId });
  async function compare(): Promise<Requests> {
    const { status, body } = await studio.person.call<RouteOutput<"compareBill">>("compareBill", {
      params: params(),
      body: { ...range, key: studio.fal.adminKey },
    });
    expect(status).toBe(200);
    return body.comparison.requests!;
  }
  const idsOf = (list: { rows: { runId: string }[] }) => list.rows.map(({ runId }) => runId);
  const adjusts = (runId: string) =>
    studio.spentOf(runId).then((entries) => entries.filter(({ kind }) => kind === "adjust"));

  it("a bill shows matches, differences, unidentified charges, and runs missing from it", async () => {
    const told = await compare();
    expect(told.agreed).toBe(1);
    expect(told.differing.rows).toMatchObject([
      { runId: runs.cheaper, billedMicros: 0, bookedMicros: 25_000, mayOpen: true },
      {
        runId: runs.dearer,
        billedMicros: 31_235,
        bookedMicros: 25_000,
        requestId: studio.fal.requestIdOf("dearer"),
      },
    ]);
    expect(told.differing).toMatchObject({ count: 2, micros: 6_235 - 25_000 });
    expect(told.unbilled).toMatchObject({
      count: 1,
      micros: 25_000,
      rows: [{ runId: runs.unbilled }],
    });
    const [unnamed, stranger] = told.unknown.rows.toSorted(
      (a, b) => b.billedMicros - a.billedMicros,
    );
    // Its submit's answer was lost, so its id is unknown here; one unconfirmed run has its model
    // and time.
    expect(unnamed).toMatchObject({
      requestId: studio.fal.requestIdOf("lost on"),
      maybe: { runId: runs.lost, mayOpen: true },
    });
    expect(stranger).toMatchObject({
      requestId: "a-stranger",
      modelId: "sim/other",
      billedMicros: 7_000,
      maybe: null,
    });
    expect(told.billed).toEqual({ count: 5, micros: 25_000 + 31_235 + 25_000 + 7_000 });
    expect(told.booked).toEqual({ count: 4, micros: 100_000 });
  });

  it("a comparison records only that it was made, and reveals nothing about the prompts", async () => {
    const before = await studio.instance.store.db.selectFrom("ledger_entry").selectAll().execute();
    const told = JSON.stringify(await compare());
    expect(await studio.instance.store.db.selectFrom("ledger_entry").selectAll().execute()).toEqual(
      before,
    );
    for (const word of ["as billed", "lost on the way", "ada@"]) expect(told).not.toContain(word);
  });

  it("the billing key is never stored, and a key without billing rights is refused at its field", async () => {
    await compare();
    const tables = await Promise.all(
      (["connection", "audit_event", "run_event", "ledger_entry"] as const).map((table) =>
        studio.instance.store.db.selectFrom(table).selectAll().execute(),
      ),
    );
    expect(JSON.stringify(tables)).not.toContain("sim-admin");
    for (const key of [studio.fal.key, "wrong:key"]) {
      const refused = await studio.person.call("compareBill", {
        params: params(),
        body: { ...range, key },
      });
      expect(refused).toMatchObject({ status: 422, body: { field: "key" } });
      expect(JSON.stringify(refused.body)).not.toContain(key);
    }
    expect((await studio.inState(runs.agreed, "succeeded")).state).toBe("succeeded");
  });

  it("only people who manage a connection compare or adopt, and see whether they may open a run", async () => {
    const asEve = (route: "compareBill" | "adoptBill", body: unknown) =>
      eve.call(route, { params: params(), body });
    const costs = [{ runId: runs.dearer, billedMicros: 0, bookedMicros: 25_000 }];
    expect((await asEve("compareBill", { ...range, key: studio.fal.adminKey })).status).toBe(403);
    expect((await asEve("adoptBill", { costs, source: "bill" })).status).toBe(403);
    expect(await adjusts(runs.dearer)).toEqual([]);
    await studio.instance.commit(({ tx }) => updateUser(tx, eve.user.id, { role: "admin" }));
    const { body } = await eve.call<RouteOutput<"compareBill">>("compareBill", {
      params: params(),
      body: { ...range, key: studio.fal.adminKey },
    });
    expect(body.comparison.requests?.differing.rows.map(({ mayOpen }) => mayOpen)).toEqual([
      false,
      false,
    ]);
    await studio.instance.commit(({ tx }) => updateUser(tx, eve.user.id, { role: "member" }));
  });

  it("a CSV invoice with request IDs gives the same result as the bill", async () => {
    const lines = studio.fal.ledger.billing.map(
      ({ requestId, at, model, nanoUsd }) =>
        `${requestId},${new Date(at).toISOString()},${model},$${(nanoUsd / 1e9).toFixed(9)}`,
    );
    const told = await invoice(
      ["request_id,timestamp,endpoint_id,cost", ...lines, ",,,999.00"].join("\n"),
    );
    expect(told).toMatchObject({
      columns: { request: 0, date: 1, model: 2, cost: 3 },
      missing: [],
      lines: { read: lines.length, outside: 0, empty: 1 },
    });
    const [ofInvoice, ofBill] = [told.comparison?.requests, await compare()];
    expect(ofInvoice).toEqual(ofBill);
  });

  it("an invoice without request IDs is compared with its connection's days and models", async () => {
    const told = await invoice(
      `Datum;Model;Betrag\n${range.from};sim/flux/dev;0.1\n${range.from};sim/other;"1,000.00"\n2020-01-01;m;5`,
      {
        date: "0",
        cost: "2",
      },
    );
    expect(told.lines).toEqual({ read: 2, outside: 1, empty: 0 });
    expect(told.comparison?.days).toMatchObject({
      billed: { micros: 1_000_100_000 },
      booked: { micros: 100_000 },
      agreed: 1,
      differing: {
        count: 1,
        rows: [{ modelId: "sim/other", billedMicros: 1_000_000_000, bookedMicros: 0 }],
      },
    });
  });

  it("unrecognized columns are asked for, with the file's column names", async () => {
    expect(await invoice("what,when,how much\na,b,c")).toMatchObject({
      header: ["what", "when", "how much"],
      missing: ["date", "model", "cost"],
      comparison: null,
    });
  });

  it.each([
    ["", "empty"],
    ["just words", "names fewer than two columns"],
    ['request_id,cost\nr1,"1.00', "broken"],
    ["request_id,cost\nr1,much", "Line 2: “much” under “cost” is no amount"],
    ["request_id,date,cost\nr1,01/02/2026,1", "Line 2: “01/02/2026” under “date” is no date"],
    ["request_id,cost\nr1,1\0", "not a text file"],
  ])("%j is refused with a sentence", async (csv, words) => {
    const answer = await send(csv, range);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(words);
  });

  it("an invoice with too many bytes or lines is refused", async () => {
    const wide = await send(`request_id,cost\n${"r,1\n".repeat(200_001)}`, range);
    expect([wide.status, await wide.text()]).toEqual([
      413,
      expect.stringContaining("200,000 lines"),
    ]);
    const large = await send(`request_id,cost\n"${"x".repeat(20 * 1024 ** 2)}",1\n`, range);
    expect([large.status, await large.text()]).toEqual([413, expect.stringContaining("20 MB")]);
  });

  it("the billed amount is booked as a difference, with who confirmed it, and then nothing differs", async () => {
    const told = await compare();
    const costs = told.differing.rows.map(({ runId, billedMicros, bookedMicros }) => ({
      runId,
      billedMicros,
      bookedMicros,
    }));
    const adopt = () =>
      studio.person.call("adoptBill", { params: params(), body: { costs, source: "bill" } });
    expect((await adopt()).body).toEqual({ adopted: 2, left: [] });
    for (const [runId, micros] of [
      [runs.dearer, 6_235],
      [runs.cheaper, -25_000],
    ] as const)
      expect(await adjusts(runId)).toMatchObject([
        { micros, actor_id: studio.person.user.id, note: expect.stringContaining("bill") },
      ]);
    expect(await studio.runOf(runs.dearer)).toMatchObject({
      state: "succeeded",
      costMicros: 31_235,
      costBasis: "known",
    });
    const after = await compare();
    expect(after).toMatchObject({ agreed: 3, differing: { count: 0 } });
    // The compared amounts are no longer the booked ones: repeated, it books only once.
    expect((await adopt()).body).toEqual({ adopted: 0, left: idsOf(told.differing) });
    expect(await adjusts(runs.dearer)).toHaveLength(1);
  });

  it("neither an open run nor another connection's run gets a cost from a bill", async () => {
    const chat = (await studio.ask("How are you?")).run.id;
    await studio.ended(chat);
    const costs = [runs.lost, chat].map((runId) => ({ runId, billedMicros: 5, bookedMicros: 0 }));
    const answer = await studio.person.call("adoptBill", {
      params: params(),
      body: { costs, source: "bill" },
    });
    expect(answer.body).toEqual({ adopted: 0, left: [runs.lost, chat] });
  });

  it("an unconfirmed run with a known job is reported as billed", async () => {
    const requestId = studio.fal.requestIdOf("lost on");
    await studio.instance.store.db
      .updateTable("attempt")
      .set({ provider_request_id: requestId })
      .where("run_id", "=", runs.lost)
      .execute();
    const told = await compare();
    expect(told.unconfirmed).toMatchObject({
      count: 1,
      rows: [{ runId: runs.lost, requestId, billedMicros: 25_000 }],
    });
    expect(told.unknown.count).toBe(1);
  });

  it("a connection whose provider has no bills says so", async () => {
    const answer = await studio.person.call("compareBill", {
      params: { connectionId: studio.models.openai.connectionId },
      body: { ...range, key: "k" },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("Upload its invoice as CSV") },
    });
  });

  it("other requests are served while a long bill or invoice is read", async () => {
    const { connectionId } = params();
    const { read } = studio.instance.store;
    const ids = Array.from({ length: 5_000 }, (__, i) => `none-${i}`);
    expect(await turnsDuring(findRunsOfRequests(read, connectionId, ids))).toBeGreaterThanOrEqual(
      10,
    );
    const dayMs = 24 * 60 * 60_000;
    expect(
      await turnsDuring(listBookedIds(read, connectionId, 0, 30 * dayMs)),
    ).toBeGreaterThanOrEqual(30);
    const lines = Buffer.from(`request_id,cost\n${"r,0.0001\n".repeat(100_000)}`);
    const invoice = readInvoice(Readable.from([lines]), {}, true);
    expect(await turnsDuring(invoice)).toBeGreaterThanOrEqual(10);
    expect((await invoice).lines).toHaveLength(100_000);
  });

  const send = (csv: string, query: Record<string, string>) =>
    studio.instance.request(
      `/api/v1/connections/${studio.models.fal.connectionId}/invoice-comparison?${new URLSearchParams(query)}`,
      {
        method: "POST",
        headers: {
          host: "127.0.0.1",
          cookie: studio.person.cookie,
          "content-type": "text/csv",
          origin: "http://127.0.0.1",
        },
        body: csv,
      },
    );
  async function invoice(csv: string, columns: Record<string, string> = {}): Promise<Invoice> {
    const answer = await send(csv, { ...range, ...columns });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Invoice;
  }

  it("a connection's manager may book a higher cost, but only an admin a lower one, because that frees budget", async () => {
    const run = await studio.make("of eve's own");
    expect((await studio.ended(run.id)).costMicros).toBe(25_000);
    // Like a service on the public internet, which a member may connect.
    const { connectionId } = studio.models.fal;
    await studio.instance.store.db
      .updateTable("connection")
      .set({ scope: "user", scope_id: eve.user.id })
      .where("id", "=", connectionId)
      .execute();
    await studio.instance.commit(({ tx }) => updateUser(tx, eve.user.id, { role: "member" }));
    const adopt = (billedMicros: number, bookedMicros: number) =>
      eve.call("adoptBill", {
        params: { connectionId },
        body: { costs: [{ runId: run.id, billedMicros, bookedMicros }], source: "bill" },
      });
    expect(await adopt(0, 25_000)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("Only an admin") },
    });
    expect((await studio.runOf(run.id)).costMicros).toBe(25_000);
    expect((await adopt(30_000, 25_000)).status).toBe(200);
    expect((await studio.runOf(run.id)).costMicros).toBe(30_000);
  });
});
