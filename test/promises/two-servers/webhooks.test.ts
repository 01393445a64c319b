import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { until } from "../../support/server/instance.ts";
import { runEnds, runOnServer } from "../../support/server/server-client.ts";
import { startTwoServers, type TwoServers } from "../../support/server/two-servers.ts";
import { publicUrl } from "../../support/studio/webhook-studio.ts";

let two: TwoServers;
beforeAll(async () => {
  two = await startTwoServers({ publicUrl });
});
afterAll(() => two?.stop());
// Each lost answer is a failure of the service, which would be paused after five in a row.
beforeEach(() => two.query("delete from circuit"));

const lost = async (prompt: string) => {
  const { id } = await two.draw(two.here, prompt);
  expect((await runEnds(two.there, id)).run.state).toBe("unconfirmed");
  return id;
};
const succeeds = (runId: string) =>
  until(`run ${runId} is made`, async () => {
    const detail = await runOnServer(two.there, runId);
    return detail.run.state === "succeeded" && detail;
  });

/**
 * Expects that it was made once: one POST, one result, one notice, one payment, known by its
 * provider's id.
 */
async function expectOnce(runId: string, prompt: string): Promise<void> {
  const { run, assets, attempts } = await succeeds(runId);
  expect(run).toMatchObject({ costMicros: 25_000, heldMicros: 0, error: null });
  expect(assets).toHaveLength(1);
  expect(attempts).toMatchObject([
    { number: 1, providerRequestId: two.fal.requestIdOf(prompt), state: "ended" },
  ]);
  expect(two.fal.ledger.postsOf(prompt)).toBe(1);
  const settled = await two.query<{ kind: string; micros: string }>(
    "select kind, micros from ledger_entry where run_id = $1 and kind not in ('hold', 'release')",
    [runId],
  );
  expect(settled.map(({ kind, micros }) => [kind, Number(micros)])).toEqual([["spend", 25_000]]);
  const events = await two.query<{ type: string; payload: string }>(
    "select type, payload from run_event where run_id = $1",
    [runId],
  );
  const told = events.map(({ type, payload }) =>
    type === "run-settled" ? String(JSON.parse(payload).state) : type,
  );
  for (const once of ["succeeded", "output-stored"])
    expect(told.filter((word) => word === once)).toHaveLength(1);
  expect(told.filter((word) => word === "run-found")).toHaveLength(
    told.includes("unconfirmed") ? 1 : 0,
  );
}

/** Every delivered webhook of a job, by its answer's status. */
const answersOf = (prompt: string): number[] =>
  two.fal.deliveries.filter((told) => told.prompt === prompt).map(({ status }) => status);
const workersNamed = async (): Promise<string[]> =>
  (await two.query<{ id: string }>("select id from worker")).map(({ id }) => id);

it("ten copies of one webhook, spread over both servers at once, find an unconfirmed run once", async () => {
  for (let round = 0; round < 4; round++) {
    const prompt = `ten at two ${round} [sim:lost-reply][sim:webhook-hold]`;
    const runId = await lost(prompt);
    const told = await two.fal.deliver(prompt, { copies: 10 });
    expect(told.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    await expectOnce(runId, prompt);
  }
  expect(await workersNamed()).toHaveLength(2);
});

it("a webhook that reaches a server other than the run's makes nothing twice, on either server", async () => {
  const prompts = Array.from(
    { length: 6 },
    (_, i) => `elsewhere ${i} [sim:hold][sim:webhook-hold]`,
  );
  const runs = await Promise.all(
    prompts.map((prompt, i) => two.claimed(two.draw(i % 2 ? two.here : two.there, prompt))),
  );
  await until("all have been accepted", async () =>
    (await Promise.all(runs.map(({ id }) => runOnServer(two.here, id)))).every(
      ({ attempts }) => attempts[0]?.providerRequestId,
    ),
  );
  two.fal.release("elsewhere");
  await Promise.all(
    runs.map(async ({ id, owner }, i) => {
      const { other } = await two.sidesOf(id);
      expect(owner).toBe(await two.ownerOf(id));
      const { connectionId } = two.flux;
      const [attempt] = await two.query<{ client_token: string }>(
        "select client_token from attempt where run_id = $1",
        [id],
      );
      const url = `${other.url}/api/webhooks/${connectionId}/${id}?token=${attempt!.client_token}`;
      const told = await two.fal.deliver(prompts[i]!, { url, copies: 3 });
      expect(told.map(({ status }) => status)).toEqual([200, 200, 200]);
      await expectOnce(id, prompts[i]!);
    }),
  );
});

it("ten webhooks that reach both servers before the submit's answer are one result, whether the answer arrives or not", async () => {
  const early = Array.from(
    { length: 3 },
    (_, i) => `early ${i} [sim:webhook-early][sim:webhook-x10]`,
  );
  const andLost = Array.from(
    { length: 3 },
    (_, i) => `early and lost ${i} [sim:webhook-early][sim:webhook-x10][sim:lost-reply]`,
  );
  const prompts = [...early, ...andLost];
  const made = await Promise.all(
    prompts.map((prompt, i) => two.draw(i % 2 ? two.here : two.there, prompt)),
  );
  for (const [i, prompt] of prompts.entries()) {
    await expectOnce(made[i]!.id, prompt);
    await until("all copies were answered", async () => answersOf(prompt).length === 10);
    expect(new Set(answersOf(prompt))).toEqual(new Set([200]));
  }
});

it("webhooks out of order, ten copies of each at both servers, each resolve their own run", async () => {
  const prompts = Array.from(
    { length: 4 },
    (_, i) => `late ${i} [sim:lost-reply][sim:webhook-hold]`,
  );
  const ids = await Promise.all(prompts.map(lost));
  await Promise.all(prompts.toReversed().map((prompt) => two.fal.deliver(prompt, { copies: 10 })));
  for (const [i, prompt] of prompts.entries()) await expectOnce(ids[i]!, prompt);
});
