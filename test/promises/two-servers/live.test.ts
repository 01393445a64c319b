import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { until } from "../../support/server/instance.ts";
import { openLive } from "../../support/server/live-socket.ts";
import {
  askServer,
  fileOnServer,
  runEnds,
  runOnServer,
  shownText,
  uploadToServer,
  watchRun,
} from "../../support/server/server-client.ts";
import { startTwoServers, type TwoServers } from "../../support/server/two-servers.ts";

/** 15 s by reliability.md, with room for a busy machine. */
const boundMs = 20_000;
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

let two: TwoServers;
beforeAll(async () => {
  two = await startTwoServers();
});
afterAll(() => two?.stop());

it("both servers execute runs, no run is executed twice, and each one's files are read through the other", async () => {
  const prompts = Array.from({ length: 12 }, (_, i) => `both ${i} [sim:hold]`);
  const draw = (prompt: string, i: number) => two.draw(i % 2 ? two.here : two.there, prompt);
  // In sequence and held, so that neither server has the connection's places to itself.
  const begun: { id: string; owner: string }[] = [];
  for (const [i, prompt] of prompts.slice(0, 4).entries())
    begun.push(await two.claimed(draw(prompt, i)));
  expect(new Set(begun.map(({ owner }) => owner)).size).toBe(2);
  const runs = [...begun, ...(await Promise.all(prompts.slice(4).map(draw)))];
  const done = await until("all are made", async () => {
    two.fal.release("both");
    const details = await Promise.all(runs.map((run) => runOnServer(two.here, run.id)));
    return details.every((detail) => detail.run.state === "succeeded") && details;
  });
  for (const prompt of prompts) expect(two.fal.ledger.postsOf(prompt)).toBe(1);
  for (const { assets } of done) {
    expect(hashOf(await fileOnServer(two.here, assets[0]!.id))).toBe(assets[0]!.sha256);
    expect(hashOf(await fileOnServer(two.there, assets[0]!.id))).toBe(assets[0]!.sha256);
  }
  const bytes = new Uint8Array(Buffer.from("kept at one, read at the other"));
  const upload = await uploadToServer(two.here, "note.txt", bytes);
  expect(hashOf(await fileOnServer(two.there, upload.id))).toBe(hashOf(bytes));
});

it("an answer streaming at one server is watched live through the other, word by word", async () => {
  two.openai.script({ text: "one two three four", gate: { name: "third", at: 2 } });
  const { run } = await askServer(two.here, two.chat, "count for the other");
  const sockets = await Promise.all([
    openLive(two.here.url, two.here.cookie),
    openLive(two.there.url, two.there.cookie),
  ]);
  for (const socket of sockets) {
    onTestFinished(socket.drop);
    socket.subscribe(`run:${run.id}`, 0);
  }
  await two.openai.reached("third");
  for (const socket of sockets)
    await until("two words are shown", async () => shownText(socket.events(run.id)) === "one two");
  two.openai.open("third");
  for (const socket of sockets)
    await until(
      "the end is shown",
      async () => socket.events(run.id).at(-1)?.type === "run-settled",
    );
  expect(sockets[0]!.events(run.id)).toEqual(sockets[1]!.events(run.id));
  expect(shownText(sockets[0]!.events(run.id))).toBe("one two three four");
});

it("a cancel at either server stops a run on any server", async () => {
  for (const [i, client] of [two.here, two.there].entries()) {
    two.openai.script({ text: "one two three", gate: { name: `cancel ${i}`, at: 1 } });
    const { run } = await askServer(two.here, two.chat, `stop me ${i}`);
    await two.openai.reached(`cancel ${i}`);
    expect((await client.call("cancelRun", { params: { runId: run.id } })).status).toBe(200);
    expect((await runEnds(two.here, run.id)).run.state).toBe("cancelled");
    await until(
      "the provider sees that we left",
      async () => two.openai.posts.at(-1)?.state === "client-left",
    );
    two.openai.open(`cancel ${i}`);
  }
});

it("a key revoked at one server ends at once at the other, with its streaming answer there", async () => {
  const body = { name: "both", projectId: two.here.projectId, scopes: ["chat", "models:read"] };
  const { key, token } = (
    await two.here.call<{ key: { id: string }; token: string }>("createKey", { body })
  ).body;
  const authorization = `Bearer ${token}`;
  const listed = (await (
    await fetch(`${two.there.url}/v1/models`, { headers: { authorization } })
  ).json()) as { data: { id: string }[] };
  const model = listed.data.find(({ id }) => id.endsWith("/sim-chat"))!.id;
  two.openai.script({ text: ["first", " secret"], gate: { name: "revoked", at: 1 } });
  const answer = await fetch(`${two.there.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "x" }] }),
  });
  expect(answer.status).toBe(200);
  await two.here.call("revokeKey", { params: { keyId: key.id } });
  // The stream ends by itself, while the model still holds the rest back.
  const told = await answer.text();
  expect(told).toContain("first");
  expect(told).toContain("invalid_api_key");
  two.openai.open("revoked");
  expect((await fetch(`${two.there.url}/v1/models`, { headers: { authorization } })).status).toBe(
    401,
  );
});

it("the other server takes over a killed server's runs: jobs continue, answers keep their text, nothing is sent again", async () => {
  const jobs = await Promise.all(
    Array.from({ length: 6 }, (_, i) => two.claimed(two.draw(two.here, `taken ${i} [sim:hold]`))),
  );
  two.openai.script({ text: "one two three", gate: { name: "never", at: 2 } });
  const asked = await askServer(two.here, two.chat, "cut off");
  await two.openai.reached("never");
  const { owner: victim, mine: dying, other: living } = await two.sidesOf(asked.run.id);
  const orphans = jobs.filter((job) => job.owner === victim);
  await until(
    "all of its jobs are at the provider",
    async () => two.fal.ledger.posts.filter((post) => post.prompt.startsWith("taken")).length === 6,
  );
  await until("all have been accepted", async () =>
    (await Promise.all(jobs.map((job) => runOnServer(living, job.id)))).every(
      ({ run }) => run.state === "submitted" || run.state === "running",
    ),
  );
  const watch = watchRun(living, asked.run.id);
  onTestFinished(watch.stop);
  await until("two words are shown", async () => shownText(watch.events) === "one two");
  await dying.kill9();
  await until(
    "every orphan has an owner that lives",
    async () => {
      const owners = await Promise.all([
        ...orphans.map((job) => two.ownerOf(job.id)),
        two.ownerOf(asked.run.id),
      ]);
      return owners.every((owner) => owner !== victim);
    },
    boundMs,
  );
  two.fal.release("taken");
  for (const job of jobs) expect((await runEnds(living, job.id)).run.state).toBe("succeeded");
  const cut = await runEnds(living, asked.run.id);
  expect(cut.run).toMatchObject({ state: "failed", error: { code: "provider_interrupted" } });
  await until("the end is shown", async () => watch.events.at(-1)?.type === "run-settled");
  expect(shownText(watch.events)).toBe("one two");
  for (let i = 0; i < 6; i++) expect(two.fal.ledger.postsOf(`taken ${i} [sim:hold]`)).toBe(1);
  expect(
    two.openai.posts.filter((post) => JSON.stringify(post.body).includes("cut off")),
  ).toHaveLength(1);
});
