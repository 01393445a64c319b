import { afterEach, beforeEach, expect, it } from "vitest";
import { type FalSimulator, startFal } from "../../../../test/simulators/fal.ts";
import type { BilledEvent, CallContext } from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { listBilled } from "./catalog/billing.ts";

const dayMs = 24 * 60 * 60_000;
const begin = Date.parse("2026-01-01T00:00:00Z");
let sim: FalSimulator;
let outbound: Outbound;
beforeEach(async () => {
  outbound = createOutbound();
  sim = await startFal({ billsPerPage: 3 });
});
afterEach(async () => {
  await outbound.close();
  await sim.stop();
});

async function list(days: number, secret = sim.adminKey): Promise<BilledEvent[]> {
  const context: CallContext = {
    connection: { id: "c1", kind: "fal", addresses: sim.addresses, options: {}, secret },
    fetch: outbound.open({ privateOrigins: [sim.url] }),
    signal: new AbortController().signal,
    clock: { now: () => begin },
  };
  const events: BilledEvent[] = [];
  for await (const page of listBilled({ fromMs: begin, toMs: begin + days * dayMs }, context))
    events.push(...page);
  return events;
}
const bill = (day: number, nanoUsd: number, requestId = `r${day}`) =>
  sim.ledger.billing.push({
    requestId,
    at: begin + day * dayMs,
    model: "sim/flux/dev",
    units: "1",
    unitPrice: 0.025,
    nanoUsd,
  });

it("every page of a bill is read, also beyond the days in one answer, and each event once", async () => {
  for (let day = 0; day < 200; day += 5) bill(day, 25_000_000);
  const events = await list(195);
  expect(events.map(({ requestId }) => requestId)).toEqual(
    Array.from({ length: 39 }, (_, i) => `r${i * 5}`),
  );
  expect(events[0]).toEqual({ requestId: "r0", model: "sim/flux/dev", at: begin, micros: "25000" });
});

it("nano-dollars are exact to the last digit", async () => {
  bill(0, 1_234_567);
  bill(1, 1);
  bill(2, 0);
  expect((await list(3)).map(({ micros }) => micros)).toEqual(["1234.567", "0.001", "0"]);
});

it("a key without billing rights is not called wrong, and neither appears in the error", async () => {
  for (const [key, code] of [
    [sim.key, "provider_forbidden"],
    ["wrong-id:wrong-secret", "provider_auth"],
  ] as const) {
    const refused = await list(1, key).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, accepted: "no" });
    expect(JSON.stringify(refused)).not.toContain(key.split(":")[1]);
  }
});

it("an event with unreadable money ends the reading, because a bill without it would look too small", async () => {
  bill(0, 5);
  bill(1, Number.NaN);
  await expect(list(2)).rejects.toMatchObject({ code: "provider_protocol" });
});
