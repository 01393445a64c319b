import { expect, it } from "vitest";
import {
  buildFile,
  buildRequest,
  failureOf,
  picture,
  setUpFal,
} from "../../../../test/support/services/fal.ts";
import type { ProviderError } from "../../adapter.ts";
import { isPassing } from "../../wire/job-errors.ts";
import { fal } from "./adapter.ts";
import { runDirectly } from "./direct/direct.ts";

const scene = setUpFal();
const { buildContext, restart, submit, toDone, warnings } = scene;
const job = fal.job!;

it("a job goes through the queue to its files with one POST, and reports its place, progress and logs", async () => {
  const { handle, statuses } = await toDone("a lighthouse");
  expect(statuses.map(({ state }) => state)).toEqual([
    "queued",
    "queued",
    "running",
    "running",
    "running",
    "running",
    "running",
    "done",
  ]);
  expect(statuses.map(({ queuePlace }) => queuePlace).slice(0, 3)).toEqual([2, 1, undefined]);
  expect(statuses.at(4)?.progress).toEqual({ done: 2, total: 4 });
  const lines = statuses.flatMap(({ logs = [] }) => logs);
  expect(lines.map(({ message }) => message.slice(0, 4))).toEqual([
    "Prêt",
    "25%|",
    "50%|",
    "75%|",
    "100%",
  ]);

  const { files, result, usage } = await job.result(handle, buildContext());
  expect(files).toMatchObject([
    { name: "image-1.png", mime: "image/png", width: 128, height: 128 },
  ]);
  expect(result).toMatchObject({ seed: 42, images: [{ output: 0, width: 128 }] });
  expect(JSON.stringify(result)).not.toContain("http");
  expect(usage).toEqual({ units: { "billable-units": "1" } });
  const [file] = files;
  const bytes = await (await buildContext().fetch(file && "url" in file ? file.url : "")).bytes();
  expect([...bytes.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);

  expect(scene.sim.ledger.postsOf("a lighthouse")).toBe(1);
  expect(scene.sim.ledger.billed).toMatchObject([
    { requestId: handle.id, prompt: "a lighthouse", units: "1" },
  ]);
  expect(scene.sim.ledger.posts[0]?.headers).toMatchObject({
    "x-fal-no-retry": "1",
    authorization: `Key ${scene.sim.key}`,
  });
});

it("a job that advances in real time is followed to its end too", async () => {
  await restart({ pace: { by: "time", stepMs: 5 } });
  const { statuses } = await toDone("by itself");
  expect(statuses.at(-1)?.state).toBe("done");
});

it("polling reports the same as the stream", async () => {
  const handle = await submit("polled");
  const states: string[] = [];
  for (let look = 0; look < 20 && states.at(-1) !== "done"; look++)
    states.push((await job.status(handle, buildContext())).state);
  expect(states).toEqual([
    "queued",
    "queued",
    "running",
    "running",
    "running",
    "running",
    "running",
    "done",
  ]);
});

it.each([
  ["reset", "outcome_unknown", "unknown", 0],
  ["lost-reply", "outcome_unknown", "unknown", 1],
  ["cut-reply", "outcome_unknown", "unknown", 0],
  ["broken-json", "outcome_unknown", "unknown", 0],
  ["no-id", "outcome_unknown", "unknown", 0],
  ["500", "provider_failed", "no", 0],
  ["503", "provider_overloaded", "no", 0],
  ["504", "provider_timeout", "no", 0],
  ["429", "provider_rate_limited", "no", 0],
  ["locked", "provider_quota", "no", 0],
  ["422", "provider_invalid_input", "no", 0],
  ["html", "provider_protocol", "unknown", 0],
] as const)(
  "a submit that meets %s fails as %s, accepted %s, after exactly one POST",
  async (fault, code, accepted, billed) => {
    const prompt = `a cat [sim:${fault}]`;
    const error = await failureOf(submit(prompt));
    expect([error.code, error.accepted]).toEqual([code, accepted]);
    expect(scene.sim.ledger.postsOf(prompt)).toBe(1);
    expect(scene.sim.ledger.billed).toHaveLength(billed);
  },
);

it("a rate limit states the wait, and a refused setting its field", async () => {
  expect((await failureOf(submit("[sim:429]"))).detail.retryAfterMs).toBe(2_000);
  expect((await failureOf(submit("[sim:422]"))).detail).toMatchObject({
    field: "seed",
    message: "Not today",
  });
  const wrong = failureOf(
    job.submit(
      buildRequest("sim/flux/dev", { prompt: "x", image_size: { width: 0, height: 10 } }),
      buildContext(),
    ),
  );
  expect((await wrong).detail.field).toBe("image_size.width");
  const extra = failureOf(
    job.submit(buildRequest("sim/flux/dev", { prompt: "x", color: "red" }), buildContext()),
  );
  expect(await extra).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "color" },
  });
});

it("a wrong key, a removed model and an unreachable address were not accepted", async () => {
  expect(await failureOf(submit("x", buildContext({ secret: "wrong" })))).toMatchObject({
    code: "provider_auth",
    accepted: "no",
  });
  const gone = job.submit(buildRequest("sim/never-was", { prompt: "x" }), buildContext());
  expect(await failureOf(gone)).toMatchObject({ code: "model_gone", accepted: "no" });
  const addresses = { ...scene.sim.addresses };
  await scene.stop();
  expect(await failureOf(submit("x", buildContext({ addresses })))).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

it("a stream of single bytes loses no character", async () => {
  const { statuses } = await toDone("slowly [sim:stream-bytes]");
  expect(statuses.flatMap(({ logs = [] }) => logs)[0]?.message).toBe("Prêt ✨");
  expect(JSON.stringify(statuses)).not.toContain("\uFFFD");
});

it("a status stream that breaks off or is a web page is an error, and polling continues", async () => {
  const cut = await submit("[sim:stream-cut]");
  expect(await failureOf(job.follow!(cut, buildContext()))).toMatchObject({
    code: "provider_interrupted",
    accepted: "yes",
  });
  expect((await job.status(cut, buildContext())).state).toBe("running");
  const page = await submit("[sim:stream-html]");
  expect(await failureOf(job.follow!(page, buildContext()))).toMatchObject({
    code: "provider_protocol",
    accepted: "yes",
  });
});

it.each([
  ["result-422", "provider_invalid_input", "image_size.width"],
  ["content-policy", "provider_rejected", "prompt"],
  ["runner-failed", "provider_overloaded", undefined],
] as const)(
  "a job that ended in %s is %s, final, and was not billed",
  async (fault, code, field) => {
    const { handle } = await toDone(`x [sim:${fault}]`);
    const error = await failureOf(job.result(handle, buildContext()));
    expect(error).toMatchObject({ code, accepted: "yes", detail: { final: true } });
    expect(error.detail.field).toBe(field);
    expect(scene.sim.ledger.billed).toEqual([]);
  },
);

it("an unreadable result isn't the job's failure and is read the next time", async () => {
  scene.sim.script("busy", "result-busy");
  const { handle } = await toDone("busy");
  const error = await failureOf(job.result(handle, buildContext()));
  expect(error).toMatchObject({ code: "provider_overloaded", accepted: "yes" });
  expect(error.detail.final).toBeUndefined();
  expect((await job.result(handle, buildContext())).files).toHaveLength(1);
});

it("a web page in place of a result is a wrong address", async () => {
  const { handle } = await toDone("[sim:result-html]");
  expect(await failureOf(job.result(handle, buildContext()))).toMatchObject({
    code: "provider_protocol",
    accepted: "yes",
  });
});

it("a waiting job is canceled; a running one continues, is billed, and says so; an ended one can't be", async () => {
  const waiting = await submit("w [sim:hold-queue]");
  expect(await job.cancel(waiting, buildContext())).toBe(true);
  expect(await failureOf(job.result(waiting, buildContext()))).toMatchObject({
    detail: { final: true, reason: "client_cancelled" },
  });

  const running = await submit("r [sim:hold]");
  for (let look = 0; look < 4; look++) await job.status(running, buildContext());
  expect(await job.cancel(running, buildContext())).toBe(false);
  scene.sim.release("r [sim:hold]");
  for await (const _ of job.follow!(running, buildContext()));
  expect((await job.result(running, buildContext())).files).toHaveLength(1);
  expect(await job.cancel(running, buildContext())).toBe(false);

  const stopping = await submit("s [sim:stops-on-cancel]");
  for (let look = 0; look < 4; look++) await job.status(stopping, buildContext());
  expect(await job.cancel(stopping, buildContext())).toBe(true);
  expect(scene.sim.ledger.billed).toHaveLength(1);
});

it("the addresses from the submit are used unchanged, also for a model with a deeper path", async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const request = buildRequest(
    "acme/kling-video/v3/pro/image-to-video",
    { start_image_url: `asset:${picture}`, prompt: "deep" },
    [buildFile(bytes)],
  );
  const handle = await job.submit(request, buildContext());
  expect(handle.urls.status).toBe(
    `${scene.sim.url}/queue/acme/kling-video/requests/${handle.id}/status`,
  );
  for await (const _ of job.follow!(handle, buildContext()));
  expect((await job.result(handle, buildContext())).files).toMatchObject([
    { name: "output.mp4", mime: "video/mp4" },
  ]);
});

it("a gateway that doesn't rewrite fal's addresses still works, and the key goes nowhere else", async () => {
  const handle = await submit("through a gateway");
  const given = {
    id: handle.id,
    urls: {
      ...handle.urls,
      status: handle.urls.status!.replace(scene.sim.addresses.queue, "https://queue.fal.run"),
    },
  };
  expect((await job.status(given, buildContext())).state).toBe("queued");
  const foreign = {
    id: handle.id,
    urls: { ...handle.urls, status: "https://queue.fal.run.evil.example/x/status" },
  };
  expect(await failureOf(job.status(foreign, buildContext()))).toMatchObject({
    code: "provider_protocol",
  });
});

it("sync_mode true is left out with a warning, and lip-sync's own sync_mode stays", async () => {
  const context = buildContext();
  await job.submit(buildRequest("sim/flux/dev", { prompt: "inline", sync_mode: true }), context);
  expect(warnings).toEqual(["sync_mode"]);
  expect(scene.sim.ledger.posts[0]?.input).toEqual({ prompt: "inline" });
  const input = {
    video_url: "https://a.example/v.mp4",
    audio_url: "https://a.example/a.wav",
    sync_mode: "loop",
  };
  await job.submit(buildRequest("acme/sync-lipsync/v2", input), buildContext());
  expect(scene.sim.ledger.posts[1]?.input).toEqual(input);
});

it("a result without files is saved as text and data", async () => {
  const handle = await job.submit(
    buildRequest("sim/whisper", { audio_url: "https://a.example/a.wav" }),
    buildContext(),
  );
  for await (const _ of job.follow!(handle, buildContext()));
  const { files, result, usage } = await job.result(handle, buildContext());
  expect(files).toEqual([]);
  expect(result.text).toContain("Heard");
  expect(usage.units?.["billable-units"]).toBe("1.2");
});

it.each([
  ["the queue", { detail: "Request not found" }],
  ["fal's platform", { error: { type: "not_found", message: "Request not found" } }],
])("a job that %s doesn't find isn't reported as free", async (_who, body) => {
  const handle = await job.submit(
    buildRequest("sim/flux/dev", { prompt: "forgotten" }),
    buildContext(),
  );
  for (const ask of [job.status, job.result]) {
    scene.sim.interrupt({ kind: "status", status: 404, body });
    const error = await failureOf(ask(handle, buildContext()));
    expect(error).toMatchObject({
      code: "output_unavailable",
      accepted: "yes",
      detail: { gone: true, billed: true },
    });
    expect(isPassing(error)).toBe(true);
    expect(String(error)).toMatch(/can’t find this job. It says: Request not found/);
  }
});

it.each([[{}], ["404 page not found"]])(
  "polling continues through a 404 that isn't about a job (%j)",
  async (body) => {
    const handle = await job.submit(
      buildRequest("sim/flux/dev", { prompt: "behind a proxy" }),
      buildContext(),
    );
    for (const ask of [job.status, job.result]) {
      scene.sim.interrupt({ kind: "status", status: 404, body });
      const error = await failureOf(ask(handle, buildContext()));
      expect(error).toMatchObject({ code: "provider_protocol", accepted: "yes" });
      expect(isPassing(error)).toBe(true);
    }
  },
);

it("a model's own 404 isn't a lost job: the job failed and isn't billed", async () => {
  const handle = await job.submit(
    buildRequest("sim/flux/dev", { prompt: "no file" }),
    buildContext(),
  );
  const detail = [
    {
      loc: ["body", "image_url"],
      msg: "There is no file at this address.",
      type: "file_not_found",
    },
  ];
  scene.sim.interrupt({ kind: "status", status: 404, body: { detail } });
  const error = await failureOf(job.result(handle, buildContext()));
  expect(error).toMatchObject({ detail: { final: true, field: "image_url" } });
  expect((error as ProviderError).detail.billed).toBeUndefined();
  expect(String(error)).not.toMatch(/can’t find this job/);
});

it("a direct run is one POST to the run address whose answer is the output", async () => {
  const parts = [];
  for await (const part of runDirectly(
    buildRequest("sim/flux/dev", { prompt: "direct", image_size: "square" }),
    buildContext(),
  ))
    parts.push(part);
  expect(parts).toMatchObject([
    { type: "file", output: { mime: "image/png" } },
    {
      type: "finish",
      usage: { units: { "billable-units": "1" } },
      result: { images: [{ output: 0 }] },
    },
  ]);
  expect(scene.sim.ledger.posts.map(({ door }) => door)).toEqual(["run"]);
  const lost = await failureOf(
    runDirectly(buildRequest("sim/flux/dev", { prompt: "[sim:lost-reply]" }), buildContext()),
  );
  expect(lost).toMatchObject({ code: "outcome_unknown", accepted: "unknown" });
});

it("the check distinguishes a good key, a wrong key and a web page, at no cost", async () => {
  expect((await fal.check(buildContext())).message).toContain("key");
  expect(await failureOf(fal.check(buildContext({ secret: "wrong" })))).toMatchObject({
    code: "provider_auth",
  });
  for (const place of ["nowhere", "site"]) {
    const addresses = { ...scene.sim.addresses, api: `${scene.sim.url}/${place}` };
    expect(
      await failureOf(fal.check(buildContext({ addresses, secret: scene.sim.key }))),
    ).toMatchObject({
      code: "provider_protocol",
    });
  }
  expect(scene.sim.ledger.posts).toEqual([]);
});

it("a gateway without a status stream doesn't end the job", async () => {
  const handle = await submit("a cat behind a gateway");
  scene.sim.interrupt({ kind: "status", status: 404, body: { detail: "Not Found" } });
  expect(isPassing(await failureOf(job.follow!(handle, buildContext())))).toBe(true);
  expect(await job.status(handle, buildContext())).toMatchObject({
    state: expect.stringMatching(/queued|running/),
  });
});

it("a result without an output isn't a success, and one without fields is requested again", async () => {
  const { handle } = await toDone("a cat that nobody sees");
  scene.sim.interrupt({ kind: "status", status: 200, body: { images: [] } });
  const detail = { final: true, billed: true };
  expect(await failureOf(job.result(handle, buildContext()))).toMatchObject({
    code: "output_unavailable",
    detail,
  });
  scene.sim.interrupt({ kind: "status", status: 200, body: {} });
  expect(isPassing(await failureOf(job.result(handle, buildContext())))).toBe(true);
});
