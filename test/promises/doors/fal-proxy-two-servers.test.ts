import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { until } from "../../support/server/instance.ts";
import { runEnds } from "../../support/server/server-client.ts";
import { startTwoServers, type TwoServers } from "../../support/server/two-servers.ts";
import { falModel, smallPicture } from "../../support/studio/fal-door.ts";

/** The minimum wait of fal's client before a retry (@fal-ai/client 1.10.1, retry.ts). */
const clientWaitMs = 375;
const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const idOf = (answer: Response): string | null => answer.headers.get("x-fal-request-id");
type Method = "POST" | "GET";
type Place = "here" | "there";

let two: TwoServers;
let token: string;
beforeAll(async () => {
  two = await startTwoServers();
  await until("the models are there", async () => {
    const { body } = await two.here.call<{ models: { modelId: string }[] }>("listModels", {
      query: { projectId: two.here.projectId },
    });
    return body.models?.some(({ modelId }) => modelId === falModel);
  });
  const body = { name: "app", projectId: two.here.projectId, scopes: ["runs:write", "runs:read"] };
  token = (await two.here.call<{ token: string }>("createKey", { body })).body.token;
});
afterAll(() => two?.stop());

const call = (place: Place, target: string, method: Method, init: RequestInit = {}) =>
  fetch(`${two[place].url}/api/fal/proxy`, {
    method,
    headers: {
      authorization: `Key ${token}`,
      "content-type": "application/json",
      "x-fal-target-url": target,
    },
    ...init,
  });
const send = (
  place: Place,
  host: "queue.fal.run" | "fal.run",
  prompt: string,
  signal?: AbortSignal,
) =>
  call(place, `https://${host}/${falModel}`, "POST", {
    body: JSON.stringify({ prompt, ...smallPicture }),
    ...(signal && { signal }),
  });
const runsOf = async (prompt: string): Promise<Run[]> => {
  const { body } = await two.there.call<{ runs: Run[] }>("listRuns", {
    query: { projectId: two.there.projectId },
  });
  return body.runs.filter(({ input }) => input.prompt === prompt);
};
const running = (prompt: string, times: number) =>
  until(`${times} are running`, async () => {
    const runs = (await runsOf(prompt)).filter(({ state }) => state === "running");
    return runs.length === times && runs;
  });

it("equal direct runs at two servers with waiting clients are two runs", async () => {
  const prompt = "[sim:hold] one in each hand";
  const first = send("here", "fal.run", prompt);
  await running(prompt, 1);
  const second = send("there", "fal.run", prompt);
  await running(prompt, 2);
  two.fal.release(prompt);
  const ids = [idOf(await first), idOf(await second)];
  expect(new Set(ids).size).toBe(2);
  expect(two.fal.ledger.postsOf(prompt)).toBe(2);
});

it("a direct run whose connection broke at one server is waited for at the other", async () => {
  const prompt = "[sim:hold] from hand to hand";
  const left = new AbortController();
  const first = send("here", "fal.run", prompt, left.signal).catch(() => undefined);
  const [run] = await running(prompt, 1);
  left.abort();
  await first;
  await pass(clientWaitMs);
  const again = send("there", "fal.run", prompt);
  // Enough time to start another run.
  await pass(2 * clientWaitMs);
  two.fal.release(prompt);
  expect(idOf(await again)).toBe(run!.id);
  expect([(await runsOf(prompt)).length, two.fal.ledger.postsOf(prompt)]).toEqual([1, 1]);
});

it("a submit answered by one server isn't repeated by the other, polled or not", async () => {
  const submit = async (place: Place, prompt: string) =>
    idOf(await send(place, "queue.fal.run", prompt))!;
  const [asked, silent] = [
    await submit("here", "asked about"),
    await submit("here", "not asked about"),
  ];
  expect(
    (await call("there", `https://queue.fal.run/sim/flux/requests/${asked}/status`, "GET")).ok,
  ).toBe(true);
  const [another, other] = [
    await submit("there", "asked about"),
    await submit("there", "not asked about"),
  ];
  expect(new Set([asked, another, silent, other]).size).toBe(4);
  for (const id of [asked, another, silent, other]) await runEnds(two.there, id);
  expect([
    two.fal.ledger.postsOf("asked about"),
    two.fal.ledger.postsOf("not asked about"),
  ]).toEqual([2, 2]);
});

it("a run started by a dead server is found at the other, and not bought again", async () => {
  const prompt = "[sim:hold] a numb hand";
  const first = send("here", "fal.run", prompt).catch(() => undefined);
  const [run] = await running(prompt, 1);
  two.first.child.kill("SIGSTOP");
  const again = send("there", "fal.run", prompt);
  await pass(4 * clientWaitMs);
  expect((await runsOf(prompt)).map(({ id }) => id)).toEqual([run!.id]);
  two.first.child.kill("SIGCONT");
  two.fal.release(prompt);
  expect(idOf(await again)).toBe(run!.id);
  await first;
  expect(two.fal.ledger.postsOf(prompt)).toBe(1);
});
