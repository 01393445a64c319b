import { expect, it, onTestFinished } from "vitest";
import { until } from "../../support/server/instance.ts";
import { askServer, runEnds } from "../../support/server/server-client.ts";
import { startTwoServers } from "../../support/server/two-servers.ts";

it("two servers share one circuit: one probe goes out, and a probing server that is killed leaves nothing stuck", async () => {
  const two = await startTwoServers();
  onTestFinished(() => two.stop());
  const { here, there, openai, chat } = two;
  const opened = async () =>
    (await two.query("select 1 from circuit where opened_at is not null")).length;
  for (let i = 0; i < 5; i++) {
    openai.script({ fault: { kind: "status", status: 500 } });
    const { run } = await askServer(here, chat, `fails ${i}`);
    expect((await runEnds(here, run.id)).run.state).toBe("failed");
  }
  // Longer than this test takes until it ends the pause itself.
  const setPause = (ms: number) =>
    two.query("update circuit set paused_until = $1", [Date.now() + ms]);
  await setPause(300_000);
  expect(await opened()).toBe(1);

  const before = openai.posts.length;
  openai.script({ gate: { name: "probe", at: "head" } });
  const asked = [
    await askServer(here, chat, "one"),
    await askServer(there, chat, "two"),
    await askServer(there, chat, "three"),
  ].map(({ run }) => run.id);
  expect(openai.posts).toHaveLength(before);
  await setPause(0);
  await openai.reached("probe");
  // A server that could claim anything besides the probe claims it no later than these.
  const vision = { ...chat, modelId: "owner/sim-vision" };
  for (const client of [here, there]) {
    const { run } = await askServer(client, vision, "another model");
    expect((await runEnds(client, run.id)).run.state).toBe("succeeded");
  }
  const owners = await Promise.all(asked.map(two.ownerOf));
  expect(owners.filter((owner) => owner !== null)).toHaveLength(1);
  expect(openai.posts).toHaveLength(before + 3);

  const probe = asked[owners.findIndex((owner) => owner !== null)]!;
  const { mine, other } = await two.sidesOf(probe);
  await mine.kill9();
  // Replaces the probe's half minute.
  await setPause(0);
  for (const id of asked)
    if (id !== probe) expect((await runEnds(other, id)).run.state).toBe("succeeded");
  await until("nothing is paused any more", async () => (await opened()) === 0);
});

it("a server killed before it probes a service leaves the probe to the other", async () => {
  // Longer than it takes to find the server that asks, and to kill it.
  const two = await startTwoServers({ failpoints: "circuit.ask=delay:8000" });
  onTestFinished(() => two.stop());
  const { first, second, here, there, openai, chat } = two;
  const gateway = { kind: "status", status: 502, body: "<html>Bad gateway</html>" } as const;
  for (let i = 0; i < 5; i++) {
    openai.script({ fault: gateway });
    const { run } = await askServer(here, chat, `fails ${i}`);
    expect((await runEnds(here, run.id)).run.state).toBe("failed");
  }
  const questions = () => openai.requests.filter((request) => request === "GET /v1/models").length;
  const before = questions();
  const asks = (server: typeof first) => server.output().includes("failpoint circuit.ask");
  const asker = await until("one of them asks", async () => [first, second].find(asks));
  const [other, client] = asker === first ? [second, there] : [first, here];
  await asker.kill9();
  expect(asks(other)).toBe(false);
  expect(questions()).toBe(before);
  // Replaces the check's half minute.
  await two.query("update circuit set paused_until = $1", [Date.now()]);
  const { run } = await askServer(client, chat, "is anybody there");
  expect((await runEnds(client, run.id)).run.state).toBe("succeeded");
  expect(questions()).toBe(before + 1);
  expect(await two.query("select 1 from circuit")).toEqual([]);
});
