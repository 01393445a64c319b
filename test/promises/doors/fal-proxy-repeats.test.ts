import { once } from "node:events";
import { request } from "node:http";
import { createFalClient } from "@fal-ai/client";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Run } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { findFreePort } from "../../support/server/free-port.ts";
import { until } from "../../support/server/instance.ts";
import { connectKind, runEnds, setUpServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import {
  type FalDoor,
  falModel,
  openFalDoor,
  smallPicture,
} from "../../support/studio/fal-door.ts";

type Fetch = typeof globalThis.fetch;
/** Three quarters of its 500 ms (@fal-ai/client 1.10.1, retry.ts). */
const clientWaitMs = 375;
const inputOf = (prompt: string) => ({ prompt, ...smallPicture });
const isPost = (init: RequestInit | undefined): boolean => init?.method === "POST";

/**
 * Drops the answers of the first `times` POSTs after they were sent: the client sees a broken
 * connection.
 */
function losingAnswers(times: number): { fetch: Fetch; posts(): number } {
  let posts = 0;
  return {
    posts: () => posts,
    async fetch(input, init) {
      const answer = await fetch(input, init);
      if (!isPost(init) || posts++ >= times) return answer;
      await answer.arrayBuffer();
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
      });
    },
  };
}

forEachDatabase((_, create) => {
  let door: FalDoor;
  beforeAll(async () => {
    door = await openFalDoor(await create());
  });
  afterAll(() => door.studio.close());
  const idsOf = async (prompt: string): Promise<string[]> =>
    (await door.runs()).filter(({ input }) => input.prompt === prompt).map(({ id }) => id);

  it("a submit whose answer was lost behind the server finds its run by the app's own key", async () => {
    const line = losingAnswers(2);
    const { request_id: id } = await door.clientOf(door.key, line.fetch).queue.submit(falModel, {
      input: inputOf("a lost letter"),
      headers: { "idempotency-key": "a letter" },
    });
    await door.studio.ended(id);
    expect([line.posts(), door.postsOf("a lost letter"), door.billedOf("a lost letter")]).toEqual([
      3, 1, 1,
    ]);
    expect(await idsOf("a lost letter")).toEqual([id]);
  });

  it("a direct run whose result was lost finds its run when the client repeats it", async () => {
    const line = losingAnswers(1);
    const { requestId } = await door
      .clientOf(door.key, line.fetch)
      .run(falModel, { input: inputOf("a lost parcel") });
    expect([line.posts(), door.postsOf("a lost parcel")]).toEqual([2, 1]);
    expect(await idsOf("a lost parcel")).toEqual([requestId]);
  });

  it("a direct run whose connection broke while waiting is waited for again", async () => {
    const prompt = "[sim:hold] a slow parcel";
    const gone = new AbortController();
    const target = { method: "POST", body: JSON.stringify(inputOf(prompt)) };
    const first = door
      .call(`https://fal.run/${falModel}`, { ...target, signal: gone.signal })
      .catch(() => undefined);
    const [id] = await until("the run is there", async () => {
      const ids = await idsOf(prompt);
      return ids.length > 0 && ids;
    });
    await door.studio.inState(id!, "running");
    gone.abort();
    await first;
    // At least the client's minimum wait: before the server has noticed the disconnect, an equal
    // request counts as another one.
    await new Promise((resolve) => setTimeout(resolve, clientWaitMs));
    const again = door.call(`https://fal.run/${falModel}`, target);
    door.studio.fal.release(prompt);
    expect((await again).headers.get("x-fal-request-id")).toBe(id);
    expect([await idsOf(prompt), door.postsOf(prompt)]).toEqual([[id], 1]);
  });

  it("simultaneous equal requests stay separate, and none counts as a repeat", async () => {
    const client = door.clientOf(door.key);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        client.subscribe(falModel, { input: inputOf("four of a kind") }),
      ),
    );
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(4);
    expect(door.postsOf("four of a kind")).toBe(4);
  });

  it("two equal direct runs whose results were lost each find their own run", async () => {
    const prompt = "[sim:hold] two lost twins";
    const line = losingAnswers(2);
    const client = door.clientOf(door.key, line.fetch);
    const both = Promise.all([0, 1].map(() => client.run(falModel, { input: inputOf(prompt) })));
    // Neither is answered before both have arrived: later, the second would be the first's repeat.
    await until("both are there", async () => door.postsOf(prompt) === 2);
    door.studio.fal.release(prompt);
    expect(new Set((await both).map(({ requestId }) => requestId)).size).toBe(2);
    expect([line.posts(), door.postsOf(prompt)]).toEqual([4, 2]);
  });

  it("an equal request is new once the client has polled the earlier one or received its result", async () => {
    const client = door.clientOf(door.key);
    const [first, second] = [
      await client.subscribe(falModel, { input: inputOf("once more") }),
      await client.subscribe(falModel, { input: inputOf("once more") }),
    ];
    expect(first.requestId).not.toBe(second.requestId);
    const third = await client.run(falModel, { input: inputOf("once more") });
    const fourth = await client.run(falModel, { input: inputOf("once more") });
    expect(new Set([first, second, third, fourth].map(({ requestId }) => requestId)).size).toBe(4);
    expect(door.postsOf("once more")).toBe(4);
  });

  it("an equal request that arrived before the first was answered is new, however long its body takes", async () => {
    const body = JSON.stringify(inputOf("a slow sender"));
    const { promise: slow, resolve } = Promise.withResolvers<string | undefined>();
    const headers = { authorization: `Key ${door.key.token}`, "content-type": "application/json" };
    const sender = request(door.proxyUrl, {
      method: "POST",
      headers: {
        ...headers,
        expect: "100-continue",
        "content-length": body.length,
        "x-fal-target-url": `https://queue.fal.run/${falModel}`,
      },
    });
    sender.on("response", (answer) =>
      resolve(answer.resume().headers["x-fal-request-id"] as string),
    );
    sender.write(body.slice(0, 10));
    // The server has read its headers and confirmed them.
    await once(sender, "continue");
    const first = await door.fal.queue.submit(falModel, { input: inputOf("a slow sender") });
    // Longer than the client waits before it retries a submit.
    await new Promise((passed) => setTimeout(passed, 2 * clientWaitMs));
    sender.end(body.slice(10));
    const ids = [first.request_id, (await slow)!];
    expect((await idsOf("a slow sender")).sort()).toEqual(ids.sort());
    expect(new Set(ids).size).toBe(2);
    await Promise.all(ids.map((id) => door.studio.ended(id)));
  });

  it("the caller's own key identifies a request: it is one run, however often it arrives", async () => {
    const headers = { "idempotency-key": "order 17" };
    const submit = (prompt: string) =>
      door.fal.queue.submit(falModel, { input: inputOf(prompt), headers });
    const [first, second] = [await submit("an order"), await submit("an order")];
    expect(second.request_id).toBe(first.request_id);
    await expect(submit("another order")).rejects.toMatchObject({
      status: 409,
      body: { code: "idempotency_mismatch" },
    });
    await door.studio.ended(first.request_id);
    expect(door.postsOf("an order")).toBe(1);
  });

  it("a repeat with another key of the same person is a new request", async () => {
    const other = await door.studio.instance.createKey(door.studio.person);
    const ids = [];
    for (const key of [door.key, other])
      ids.push(
        (await door.clientOf(key).queue.submit(falModel, { input: inputOf("two apps") }))
          .request_id,
      );
    expect(new Set(ids).size).toBe(2);
    await Promise.all(ids.map((id) => door.studio.ended(id)));
  });

  it("requests that fal definitely refused are retried by the client's own repeats", async () => {
    door.studio.fal.script("a crowded quay", "429", 4);
    const { data } = await door.fal.run(falModel, { input: inputOf("a crowded quay") });
    expect(data).toMatchObject({ prompt: "a crowded quay" });
    expect(door.billedOf("a crowded quay")).toBe(1);
  });
});

forEachDatabase((name, create) => {
  it(`kill -9 on ${name}, with the run admitted and unanswered: the client's repeat finds the run, and nothing is bought twice`, async () => {
    const [fal, database, port] = await Promise.all([startFal(), create(), findFreePort()]);
    onTestFinished(() => fal.stop());
    const start = (failpoints?: string) =>
      startServer({
        dataFolder: database.dataFolder,
        env: {
          ...database.env,
          PORT: String(port),
          ...(failpoints && { BOTTEGA_FAILPOINTS: failpoints }),
        },
      });
    // Nothing is claimed here, so no request is active when the server is killed.
    let server = await start("claim.begin=hang;run.admitted@stormy=kill");
    onTestFinished(() => server.kill9());
    const person = await setUpServer(server);
    await connectKind(person, "fal", fal.values);
    await until("the models are there", async () => {
      const { body } = await person.call<{ models: { modelId: string }[] }>("listModels", {
        query: { projectId: person.projectId },
      });
      return body.models?.some(({ modelId }) => modelId === falModel);
    });
    const made = await person.call<{ token: string }>("createKey", {
      body: { name: "app", projectId: person.projectId, scopes: ["runs:write"] },
    });
    /** A client whose retries reach the new server, however long its start takes. */
    function restarting() {
      const back = Promise.withResolvers<void>();
      let calls = 0;
      const patient: Fetch = async (input, init) => {
        if (calls++ > 0) await back.promise;
        return fetch(input, init);
      };
      const proxyUrl = { url: `${server.url}/api/fal/proxy`, when: "always" } as const;
      return {
        client: createFalClient({ proxyUrl, credentials: made.body.token, fetch: patient }),
        isBack: back.resolve,
      };
    }

    const stormy = restarting();
    const queued = stormy.client.subscribe(falModel, { input: inputOf("a stormy night") });
    await server.ended;
    server = await start();
    stormy.isBack();
    const { requestId } = await queued;
    expect((await runEnds(person, requestId)).run.state).toBe("succeeded");
    expect(fal.ledger.postsOf("a stormy night")).toBe(1);

    // A direct run in the same situation, killed while its result is awaited.
    const long = restarting();
    const direct = long.client.run(falModel, { input: inputOf("[sim:hold] a long night") });
    await until("fal has it, and its job's name is kept", async () => {
      const { body } = await person.call<{ runs: Run[] }>("listRuns", {
        query: { projectId: person.projectId },
      });
      return body.runs?.some(
        ({ input, state }) => input.prompt === "[sim:hold] a long night" && state === "running",
      );
    });
    await server.kill9();
    server = await start();
    long.isBack();
    fal.release("a long night");
    const result = await direct;
    expect((await runEnds(person, result.requestId)).run.state).toBe("succeeded");
    expect([fal.ledger.posts.length, fal.ledger.billed.length]).toEqual([2, 2]);
  });
});
