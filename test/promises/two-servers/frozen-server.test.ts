import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../support/server/instance.ts";
import { askServer, runEnds, runOnServer } from "../../support/server/server-client.ts";
import { startTwoServers, type TwoServers } from "../../support/server/two-servers.ts";

/** 40 s by the promise, with room for a busy machine. */
const boundMs = 90_000;

let two: TwoServers;
beforeAll(async () => {
  two = await startTwoServers();
});
afterAll(() => two?.stop());

it("a server that is frozen and resumed finds its runs taken over: its late text is saved, nothing else is written, and one POST was sent for each", async () => {
  two.openai.script({ text: "one two three four", gate: { name: "thaw", at: 2 } });
  const asked = await askServer(two.here, two.chat, "frozen in mid-answer");
  await two.openai.reached("thaw");
  const { owner: frozenId, mine: frozen, other } = await two.sidesOf(asked.run.id);
  const jobs = await Promise.all(
    Array.from({ length: 6 }, (_, i) => two.claimed(two.draw(two.here, `frozen ${i} [sim:hold]`))),
  );
  const held = jobs.filter(({ owner }) => owner === frozenId);
  expect(held.length).toBeGreaterThan(0);
  await until("all are at the provider", async () =>
    (await Promise.all(jobs.map(({ id }) => runOnServer(other, id)))).every(({ run }) =>
      ["submitted", "running"].includes(run.state),
    ),
  );
  frozen.child.kill("SIGSTOP");
  await until(
    "the other server owns all of its runs",
    async () =>
      (await Promise.all(held.map(({ id }) => two.ownerOf(id)))).every(
        (owner) => owner !== frozenId,
      ),
    boundMs,
  );
  const cut = await runEnds(other, asked.run.id, boundMs);
  expect(cut.run).toMatchObject({ state: "failed", error: { code: "provider_interrupted" } });
  two.fal.release("frozen");
  for (const { id } of jobs) expect((await runEnds(other, id)).run.state).toBe("succeeded");
  const before = await Promise.all(
    [asked.run.id, ...jobs.map(({ id }) => id)].map((id) => runOnServer(other, id)),
  );

  frozen.child.kill("SIGCONT");
  two.openai.open("thaw");
  await until("the woken server answers", async () => (await fetch(`${frozen.url}/healthz`)).ok);
  await until("it works again, under another name", async () => {
    const made = await two.claimed(two.draw(two.here, "after the thaw"));
    return (await runEnds(two.here, made.id)).run.state === "succeeded";
  });
  const again = () => Promise.all(before.map(({ run }) => runOnServer(other, run.id)));
  await until("the words that came late are saved", async () =>
    (await again())[0]?.run.warnings.some(({ type }) => type === "late"),
  );
  const after = await again();
  expect(after.slice(1).map(({ run }) => run)).toEqual(before.slice(1).map(({ run }) => run));
  expect(after[0]?.run).toMatchObject({ state: "failed", finishedAt: cut.run.finishedAt });
  for (let i = 0; i < 6; i++) expect(two.fal.ledger.postsOf(`frozen ${i} [sim:hold]`)).toBe(1);
  expect(
    two.openai.posts.filter(({ body }) => JSON.stringify(body).includes("frozen in mid-answer")),
  ).toHaveLength(1);
  const spent = await two.query<{ n: number }>(
    "select run_id, count(*)::int as n from ledger_entry where settlement is not null group by run_id",
  );
  expect(spent.every(({ n }) => n === 1)).toBe(true);
});
