import { ApiError, type QueueStatus, ValidationError } from "@fal-ai/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { KeyScope } from "#contract/key-scopes.ts";
import { queuePriority, startTimeout } from "#providers/services/fal/run-headers.ts";
import { insertMember } from "#store/people/projects.ts";
import { getRun } from "#store/runs/runs.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  type FalDoor,
  falModel,
  openFalDoor,
  smallPicture,
} from "../../support/studio/fal-door.ts";

const isPng = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes).subarray(1, 4).toString() === "PNG";
type Pictures = {
  images: { url: string; content_type: string; width: number; height: number }[];
  seed: number;
  prompt: string;
};
const pictureOf = (data: unknown): string => (data as Pictures).images[0]!.url;
const bytesAt = async (url: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(url)).arrayBuffer());
const submitTo = `https://queue.fal.run/${falModel}`;
const requestOf = (id: string, action = "") =>
  `https://queue.fal.run/sim/flux/requests/${id}${action}`;
/** The refusal of a call by fal's client. */
const refusalOf = async (
  call: Promise<unknown>,
): Promise<ApiError<{ detail: unknown; code: string }>> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`not refused as fal refuses: ${error}`);
  return error as ApiError<{ detail: unknown; code: string }>;
};

onSqlite((create) => {
  let door: FalDoor;
  beforeAll(async () => {
    door = await openFalDoor(await create());
  });
  afterAll(() => door.studio.close());
  const inputOf = (prompt: string) => ({ prompt, ...smallPicture });
  const submit = async (prompt: string): Promise<string> =>
    (await door.fal.queue.submit(falModel, { input: inputOf(prompt) })).request_id;

  it("a job that fal's client subscribes to through the proxy is a priced run, answered in the model's own shape", async () => {
    const seen: string[] = [];
    const { data, requestId } = await door.fal.subscribe(falModel, {
      input: { ...inputOf("a harbour"), seed: 7 },
      logs: true,
      onQueueUpdate: (update: QueueStatus) => void seen.push(update.status),
    });
    expect(data).toEqual({
      images: [
        {
          url: expect.stringMatching(`^${door.url}/api/fal/files/`),
          content_type: "image/png",
          file_name: "image-1.png",
          file_size: expect.any(Number),
          width: 64,
          height: 64,
        },
      ],
      timings: { inference: 0.5 },
      seed: 7,
      has_nsfw_concepts: [false],
      prompt: "a harbour",
    });
    expect(isPng(await bytesAt(pictureOf(data)))).toBe(true);
    expect(seen.at(-1)).toBe("COMPLETED");
    const run = await door.studio.runOf(requestId);
    expect(run).toMatchObject({
      state: "succeeded",
      modelId: falModel,
      costMicros: 25_000,
      apiKeyId: door.key.id,
    });
    expect((await door.studio.spentOf(run.id)).map(({ micros }) => micros)).toEqual([25_000]);
    expect([door.postsOf("a harbour"), door.billedOf("a harbour")]).toEqual([1, 1]);
  });

  it("a submit returns addresses on fal's own hosts; status, result and cancel use the run's ID", async () => {
    const queued = await door.fal.queue.submit(falModel, { input: inputOf("[sim:hold] a pier") });
    expect(queued).toEqual({
      status: "IN_QUEUE",
      request_id: queued.request_id,
      queue_position: 0,
      status_url: requestOf(queued.request_id, "/status"),
      response_url: requestOf(queued.request_id),
      cancel_url: requestOf(queued.request_id, "/cancel"),
    });
    const { request_id: requestId } = queued;
    const status = () => door.fal.queue.status(falModel, { requestId, logs: true });
    const running = await until("it runs", async () => {
      const told = await status();
      return told.status === "IN_PROGRESS" && told.logs.length > 0 && told;
    });
    expect(running.logs[0]).toMatchObject({
      message: expect.any(String),
      source: "USER",
      timestamp: expect.stringMatching(/^\d{4}-/),
    });
    expect((await door.call(requestOf(requestId, "/status"))).status).toBe(202);
    expect(await refusalOf(door.fal.queue.result(falModel, { requestId }))).toMatchObject({
      status: 400,
      body: { detail: "Request is still in progress" },
    });
    door.studio.fal.release("a pier");
    await until("it is made", async () => (await status()).status === "COMPLETED");
    const result = await door.fal.queue.result(falModel, { requestId });
    expect([result.requestId, isPng(await bytesAt(pictureOf(result.data)))]).toEqual([
      requestId,
      true,
    ]);
  });

  it("an already known status is held back until it changes", async () => {
    const requestId = await submit("[sim:hold] a wharf");
    await door.studio.inState(requestId, "running");
    const tell = () => door.fal.queue.status(falModel, { requestId });
    // Once everything so far is reported, the next request waits.
    const held = await until("a status waits", async () => {
      const asked = tell();
      const first = await Promise.race([
        asked,
        new Promise((resolve) => setTimeout(resolve, 200, "waits")),
      ]);
      return first === "waits" && { asked };
    });
    door.studio.fal.release("a wharf");
    expect((await held.asked).status).toMatch(/IN_PROGRESS|COMPLETED/);
    await door.studio.ended(requestId);
  });

  it("a canceled request ends and reports it", async () => {
    const requestId = await submit("[sim:hold-queue] a dry dock");
    await door.studio.inState(requestId, "submitted");
    await door.fal.queue.cancel(falModel, { requestId });
    expect(await door.studio.ended(requestId)).toMatchObject({ state: "cancelled" });
    expect(await door.fal.queue.status(falModel, { requestId })).toMatchObject({
      status: "COMPLETED",
      error: expect.any(String),
    });
    expect(await refusalOf(door.fal.queue.result(falModel, { requestId }))).toMatchObject({
      status: 499,
      body: { error_type: "client_cancelled" },
    });
    expect(await refusalOf(door.fal.queue.cancel(falModel, { requestId }))).toMatchObject({
      status: 400,
      body: { status: "ALREADY_COMPLETED" },
    });
    expect(door.billedOf("[sim:hold-queue] a dry dock")).toBe(0);
  });

  it("a status stream follows the run to its end, each log line once", async () => {
    const seen: QueueStatus[] = [];
    const { data } = await door.fal.subscribe(falModel, {
      input: inputOf("a slipway"),
      mode: "streaming",
      logs: true,
      onQueueUpdate: (update: QueueStatus) => void seen.push(structuredClone(update)),
    });
    expect(isPng(await bytesAt(pictureOf(data)))).toBe(true);
    expect(seen.at(-1)!.status).toBe("COMPLETED");
    const last = seen.at(-1) as { logs: { message: string }[] };
    expect(last.logs.length).toBeGreaterThan(0);
    expect(new Set(last.logs.map(({ message }) => message)).size).toBe(last.logs.length);
  });

  it("a status stream whose key is revoked rejects in fal's client, and its last event isn't a status", async () => {
    const { instance, person, fal } = door.studio;
    const key = await instance.createKey(person);
    const client = door.clientOf(key);
    const { request_id: requestId } = await client.queue.submit(falModel, {
      input: inputOf("[sim:hold] a weir"),
    });
    const stream = await client.queue.streamStatus(falModel, { requestId });
    stream.on("data", () => void person.call("revokeKey", { params: { keyId: key.id } }));
    await expect(stream.done()).rejects.toMatchObject({ name: "ApiError" });
    fal.release("[sim:hold] a weir");
    await door.studio.ended(requestId);
  });

  it("a direct run waits for the run and returns its result", async () => {
    const { data, requestId } = await door.fal.run(falModel, { input: inputOf("a lock gate") });
    expect(isPng(await bytesAt(pictureOf(data)))).toBe(true);
    expect(await door.studio.runOf(requestId)).toMatchObject({
      state: "succeeded",
      costMicros: 25_000,
    });
    expect(door.postsOf("a lock gate")).toBe(1);
  });

  it("a stream ends with the result, after previews if the model streams", async () => {
    const stream = async (prompt: string) => {
      const seen: unknown[] = [];
      const stream = await door.fal.stream(falModel, { input: inputOf(prompt) });
      stream.on("data", (data) => void seen.push(data));
      return { data: await stream.done(), seen };
    };
    const whole = await stream("a beacon");
    expect([
      isPng(await bytesAt(pictureOf(whole.data))),
      whole.seen.length,
      door.postsOf("a beacon"),
    ]).toEqual([true, 1, 1]);
    await door.studio.instance.engine.changeConnection(door.studio.models.fal.connectionId, {
      values: { streamModels: falModel },
    });
    const parts = await stream("a second beacon");
    await door.studio.instance.engine.changeConnection(door.studio.models.fal.connectionId, {
      values: { streamModels: "" },
    });
    const step = (n: number) => ({
      images: [
        { url: expect.stringMatching(/^data:image\/png;base64,/), content_type: "image/png" },
      ],
      progress: n / 3,
      note: `step ${n}`,
      partial: true,
    });
    expect(parts.seen.slice(0, -1)).toEqual([step(1), step(2), step(3)]);
    expect([isPng(await bytesAt(pictureOf(parts.data))), door.postsOf("a second beacon")]).toEqual([
      true,
      1,
    ]);
    const refused = await refusalOf(
      (await door.fal.stream(falModel, { input: { ...inputOf("no beacon"), seed: -1 } })).done(),
    );
    expect(refused.status).toBe(422);
  });

  it.each(["sse-torn", "sse-error", "sse-half"])(
    "a stream that breaks off at fal (%s) rejects in fal's client, and its last event isn't a result",
    async (fault) => {
      const { connectionId } = door.studio.models.fal;
      const { changeConnection } = door.studio.instance.engine;
      await changeConnection(connectionId, { values: { streamModels: falModel } });
      const stream = await door.fal.stream(falModel, {
        input: inputOf(`[sim:${fault}] a beacon in a storm`),
      });
      await expect(stream.done()).rejects.toMatchObject({ name: "ApiError" });
      await changeConnection(connectionId, { values: { streamModels: "" } });
    },
  );

  it("equal sequential submits are separate requests, as at fal", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      ids.push(await submit("one of four variations"));
      // Its answer is sent, and nobody has polled it.
      await until("it is not found as a repeat", async () => {
        const run = await getRun(door.studio.instance.store.db, ids[i]!);
        return run?.idempotencyScope === null;
      });
    }
    expect(new Set(ids).size).toBe(4);
    await Promise.all(ids.map((id) => door.studio.ended(id)));
    expect(door.postsOf("one of four variations")).toBe(4);
  });

  it("an app's priority and start timeout go to fal with the job, and are settings of the run", async () => {
    const { request_id: id } = await door.fal.queue.submit(falModel, {
      input: inputOf("a patient pilot"),
      priority: "low",
      startTimeout: 90,
    });
    expect((await door.studio.runOf(id)).input).toMatchObject({
      [queuePriority]: "low",
      [startTimeout]: 90,
    });
    await door.studio.ended(id);
    const { headers, input } = door.studio.fal.ledger.posts.find(
      (post) => (post.input as { prompt?: string }).prompt === "a patient pilot",
    )!;
    expect(headers).toMatchObject({ [queuePriority]: "low", [startTimeout]: "90" });
    expect(Object.keys(input as object)).not.toContain(queuePriority);
    const usual = await submit("a usual pilot");
    expect(Object.keys((await door.studio.runOf(usual)).input)).not.toContain(queuePriority);
    await door.studio.ended(usual);
  });

  it("files are saved here and reach fal by the run's own private upload", async () => {
    const picture = await bytesAt(
      pictureOf((await door.fal.run(falModel, { input: inputOf("a gull") })).data),
    );
    const url = await door.fal.storage.upload(
      new File([picture as Uint8Array<ArrayBuffer>], "gull.png", { type: "image/png" }),
    );
    expect(url).toMatch(`${door.url}/api/fal/files/`);
    expect(await bytesAt(url)).toEqual(picture);
    const model = "sim/flux/dev/image-to-image";
    const { data, requestId } = await door.fal.subscribe(model, {
      input: { prompt: "a gull on a post", image_url: url },
    });
    expect(isPng(await bytesAt(pictureOf(data)))).toBe(true);
    const sent = door.studio.fal.ledger.posts.at(-1)!.input as { image_url: string };
    expect(sent.image_url).toMatch(`${door.studio.fal.url}/cdn/`);
    const file = [...door.studio.fal.files.values()].find(({ id }) => sent.image_url.includes(id))!;
    expect([file.isPrivate, file.size]).toEqual([true, picture.length]);
    expect(((await door.studio.runOf(requestId)).input as { image_url: string }).image_url).toMatch(
      /^asset:/,
    );
    // The client uploads a file inside an input by itself.
    const blob = new Blob([picture as Uint8Array<ArrayBuffer>], { type: "image/png" });
    const again = await door.fal.subscribe(model, {
      input: { prompt: "a gull again", image_url: blob as unknown as string },
    });
    expect(isPng(await bytesAt(pictureOf(again.data)))).toBe(true);
    const inline = `data:image/png;base64,${Buffer.from(picture).toString("base64")}`;
    const third = await door.fal.subscribe(model, {
      input: { prompt: "a third gull", image_url: inline },
    });
    expect(
      ((await door.studio.runOf(third.requestId)).input as { image_url: string }).image_url,
    ).toMatch(/^asset:/);
  });

  it("a model's refusal returns with its field, a permanent one with fal's own reason", async () => {
    const wrong = await refusalOf(
      door.fal.subscribe(falModel, { input: { prompt: "a quay", num_inference_steps: 900 } }),
    );
    expect(wrong).toBeInstanceOf(ValidationError);
    expect(
      (wrong as unknown as ValidationError).getFieldErrors("num_inference_steps"),
    ).toHaveLength(1);
    const without = (await refusalOf(
      door.fal.subscribe(falModel, { input: smallPicture as never }),
    )) as unknown as ValidationError;
    expect([
      without.status,
      without.getFieldErrors("prompt").length,
      door.postsOf("a quay"),
    ]).toEqual([422, 1, 0]);
    const flagged = await refusalOf(
      door.fal.subscribe(falModel, { input: inputOf("[sim:content-policy] a wreck") }),
    );
    expect([flagged.status, (flagged as unknown as ValidationError).fieldErrors[0]!.type]).toEqual([
      422,
      "content_policy_violation",
    ]);
    expect((await refusalOf(door.fal.run("sim/no-such-model", { input: {} }))).status).toBe(404);
  });

  it("the client doesn't repeat an unconfirmed run", async () => {
    const refused = await refusalOf(
      door.fal.run(falModel, { input: inputOf("[sim:lost-reply] a fog bank") }),
    );
    expect([refused.status, refused.body.code]).toEqual([424, "outcome_unknown"]);
    expect(door.postsOf("[sim:lost-reply] a fog bank")).toBe(1);
  });

  it("the result of a failed or unconfirmed request has fal's status and type, as its webhook does", async () => {
    const { instance, inState, person } = door.studio;
    const requestId = await submit("[sim:lost-reply] a far fog");
    const read = async () => {
      const refused = await door.call(requestOf(requestId));
      const { error_type: type, code } = (await refused.json()) as Record<string, string>;
      return [refused.status, type, code];
    };
    await inState(requestId, "unconfirmed");
    expect(await read()).toEqual([502, "internal_error", "outcome_unknown"]);
    await person.call("resolveRun", {
      params: { runId: requestId },
      body: { outcome: "not-made" },
    });
    const error = JSON.stringify({ code: "provider_timeout", message: "It took too long." });
    await instance.store.write((tx) =>
      tx.updateTable("run").set({ error }).where("id", "=", requestId).execute(),
    );
    expect(await read()).toEqual([504, "request_timeout", "provider_timeout"]);
  });

  it("an exhausted budget refuses in fal's format before anything is sent", async () => {
    const key = await door.studio.instance.createKey(door.studio.person, {
      budget: { period: "total", timeZone: "UTC", limitMicros: 30_000, onLimit: "block" },
    });
    const fal = door.clientOf(key);
    await fal.subscribe(falModel, { input: { ...inputOf("a cheap buoy"), seed: 1 } });
    const refused = await refusalOf(
      fal.subscribe(falModel, { input: { ...inputOf("a dear buoy"), seed: 2 } }),
    );
    expect(refused).toMatchObject({
      status: 402,
      body: { detail: expect.stringMatching(/budget/i), code: "budget_exceeded" },
    });
    expect(door.postsOf("a dear buoy")).toBe(0);
  });

  it("another person's request doesn't exist, in another project or the same one", async () => {
    const { studio } = door;
    const requestId = await submit("[sim:hold] a lighthouse keeper");
    const other = await studio.instance.createPerson(`other-${requestId}@example.org`);
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, {
        projectId: studio.person.projectId,
        userId: other.user.id,
        role: "manager",
        at: 0,
      }),
    );
    const strangers = [
      await studio.instance.createKey(other),
      await studio.instance.createKey(other, { projectId: studio.person.projectId }),
    ];
    for (const stranger of strangers) {
      const fal = door.clientOf(stranger);
      const attempts = [
        await refusalOf(fal.queue.status(falModel, { requestId })),
        await refusalOf(fal.queue.result(falModel, { requestId })),
        await refusalOf(fal.queue.cancel(falModel, { requestId })),
      ];
      expect(attempts.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(
        (await door.call(requestOf(requestId, "/status/stream"), {}, stranger.token)).status,
      ).toBe(404);
    }
    studio.fal.release("a lighthouse keeper");
    expect(await studio.ended(requestId)).toMatchObject({
      state: "succeeded",
      cancelRequestedAt: null,
    });
    // Nor does the person's own run under another model's name, or one that isn't fal's.
    expect(
      (await door.call(`https://queue.fal.run/sim/whisper/requests/${requestId}/status`)).status,
    ).toBe(404);
    const elsewhere = await studio.make("a strange picture", { model: studio.models.openaiImage });
    expect(
      (await door.call(`https://queue.fal.run/sim-image/requests/${elsewhere.id}/status`)).status,
    ).toBe(404);
  });

  it("a wrong key, a missing scope and a missing key are refused in fal's format", async () => {
    for (const token of ["key-id:key-secret", "bottega_wrong"]) {
      const refused = await refusalOf(
        door.clientOf({ token }).queue.submit(falModel, { input: inputOf("a thief") }),
      );
      expect(refused).toMatchObject({
        status: 401,
        body: { detail: expect.stringContaining("This API key is unknown") },
      });
    }
    const narrow = async (scopes: KeyScope[]) =>
      door.clientOf(await door.studio.instance.createKey(door.studio.person, { scopes }));
    const reader = await narrow(["runs:read"]);
    expect(
      await refusalOf(reader.queue.submit(falModel, { input: inputOf("a thief") })),
    ).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("runs:write") },
    });
    const runner = await narrow(["runs:write"]);
    expect(await refusalOf(runner.storage.upload(new Blob(["x"])))).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("assets:write") },
    });
    expect(
      (await fetch(door.proxyUrl, { method: "POST", headers: { "x-fal-target-url": submitTo } }))
        .status,
    ).toBe(401);
    expect(door.postsOf("a thief")).toBe(0);
  });

  it("only fal's own addresses and calls are accepted, and nothing is sent to where they point", async () => {
    const requests = door.studio.fal.ledger.requests.length;
    const targets = [
      "http://queue.fal.run/sim/flux/dev",
      "https://queue.fal.run.evil.example/sim/flux/dev",
      "https://queue.fal.run@evil.example/sim/flux/dev",
      "https://user:pass@queue.fal.run/sim/flux/dev",
      "https://queue.fal.run:8443/sim/flux/dev",
      "https://evil.example/fal.run/sim/flux/dev",
      `${door.studio.fal.addresses.queue}/${falModel}`,
      "https://api.fal.ai/v1/models",
      "https://rest.fal.ai/storage/auth/token",
      "https://rest.fal.ai/keys",
      "file:///etc/passwd",
      "queue.fal.run/sim/flux/dev",
      "https://queue.fal.run/",
      "https://queue.fal.run/sim/flux/dev%00",
      "https://fal.run/sim/flux/dev%0Astream",
      "https://queue.fal.run/%ff",
      "",
    ];
    for (const target of targets) {
      const answer = await door.call(target, {
        method: "POST",
        body: JSON.stringify(inputOf("a smuggler")),
      });
      expect([target, answer.status]).toEqual([target, 422]);
    }
    const got = await door.call(submitTo, { method: "GET" });
    expect([got.status, (await got.json()).detail[0].msg]).toEqual([
      422,
      expect.stringContaining(`GET queue.fal.run/${falModel} is not a supported call`),
    ]);
    expect((await door.call(submitTo, { method: "PUT" })).status).toBe(422);
    expect(door.studio.fal.ledger.requests.length).toBe(requests);
  });
});
