import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FalOptions, type FalSimulator, startFal } from "../../../../test/simulators/fal.ts";
import {
  type InputFile,
  type JobStatus,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { openDownload } from "../../outbound/outbound-download.ts";
import { isPassing } from "../../wire/job-errors.ts";
import { fal } from "./adapter.ts";
import { runDirectly } from "./direct/direct.ts";

let sim: FalSimulator;
let outbound: Outbound;

beforeEach(async () => {
  outbound = createOutbound();
  sim = await startFal();
});
afterEach(async () => {
  await outbound.close();
  await sim.stop();
});

async function restart(options: FalOptions) {
  await sim.stop();
  sim = await startFal(options);
}

type Wish = {
  secret?: string;
  addresses?: Record<string, string>;
  options?: Record<string, string>;
  signal?: AbortSignal;
};
const warnings: string[] = [];
function buildContext({
  secret = sim.key,
  addresses = sim.addresses,
  options = {},
  signal,
}: Wish = {}): RunContext {
  warnings.length = 0;
  return {
    connection: { id: "c1", kind: "fal", addresses, options, secret },
    fetch: outbound.open({ privateOrigins: [sim.url], onePost: true }),
    signal: signal ?? new AbortController().signal,
    clock: { now: () => 1_000 },
    clientToken: "t1",
    warn: ({ feature }) => warnings.push(feature),
  };
}

function buildRequest(
  model: string,
  input: RunRequest["input"],
  files: InputFile[] = [],
): RunRequest {
  return {
    runId: "r1",
    task: "image",
    model: { id: model, inputSchema: null, capabilities: {} },
    input,
    turns: [],
    files: new Map(files.map((file) => [file.assetId, file])),
  };
}

const picture = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
function buildFile(bytes: Uint8Array, assetId = picture): InputFile {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    ...{
      assetId,
      sha256,
      mime: "image/png",
      bytes: bytes.length,
      name: "été/du soir",
      width: 1,
      height: 1,
    },
    async open(range) {
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      return (async function* () {
        for (let at = 0; at < part.length; at += 65_536) yield part.subarray(at, at + 65_536);
      })();
    },
  };
}

const job = fal.job!;
const submit = (prompt: string, context = buildContext()) =>
  job.submit(buildRequest("sim/flux/dev", { prompt, image_size: "square" }), context);

async function toDone(prompt: string) {
  const handle = await submit(prompt);
  const statuses: JobStatus[] = [];
  for await (const status of job.follow!(handle, buildContext())) statuses.push(status);
  return { handle, statuses };
}

async function failureOf(
  action: Promise<unknown> | AsyncIterable<unknown>,
): Promise<ProviderError> {
  try {
    if (Symbol.asyncIterator in action) for await (const _ of action);
    else await action;
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}

it("a job goes through the queue to its files with one POST, and says its place, progress and logs on the way", async () => {
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
    { name: "image-1.png", mime: "image/png", width: 512, height: 512 },
  ]);
  expect(result).toMatchObject({ seed: 42, images: [{ output: 0, width: 512 }] });
  expect(JSON.stringify(result)).not.toContain("http");
  expect(usage).toEqual({ units: { "billable-units": "1" } });
  const [file] = files;
  const bytes = await (await buildContext().fetch(file && "url" in file ? file.url : "")).bytes();
  expect([...bytes.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);

  expect(sim.ledger.postsOf("a lighthouse")).toBe(1);
  expect(sim.ledger.billed).toMatchObject([
    { requestId: handle.id, prompt: "a lighthouse", units: "1" },
  ]);
  expect(sim.ledger.posts[0]?.headers).toMatchObject({
    "x-fal-no-retry": "1",
    authorization: `Key ${sim.key}`,
  });
});

it("the result's files are private to the account and live for a week", async () => {
  const { handle } = await toDone("mine alone");
  const { files } = await job.result(handle, buildContext());
  const [stored] = [...sim.files.values()];
  expect(stored).toMatchObject({ isPrivate: true, lifetimeSeconds: 604_800 });
  const [file] = files;
  if (!file || !("url" in file)) throw new Error("no address");
  expect(file.expiresAt).toBe(1_000 + 604_800_000);
  const unsigned = new URL(file.url);
  unsigned.search = "";
  expect((await buildContext().fetch(unsigned)).status).toBe(403);
});

it("a key that may not sign files still gets its private outputs, through a token that goes to the CDN alone", async () => {
  await restart({ maySign: false });
  const { handle } = await toDone("no right to sign");
  const [file] = (await job.result(handle, buildContext())).files;
  if (!file || !("url" in file) || !file.needsKey) throw new Error("no address that needs the key");
  let size = 0;
  for await (const chunk of fal.openFile!(file.url, buildContext())) size += chunk.length;
  expect(size).toBe([...sim.files.values()][0]?.size);
});

it("an output that is outside of fal's storage is named as it is", async () => {
  const { handle } = await toDone("[sim:output-foreign]");
  expect((await job.result(handle, buildContext())).files).toMatchObject([
    { url: "https://files.example/image-1.png" },
  ]);
});

it("with files by link nothing is signed, and the address opens for everybody", async () => {
  const context = buildContext({ options: { fileAccess: "link" } });
  const handle = await submit("open to all", context);
  for await (const _ of job.follow!(handle, context));
  const [file] = (await job.result(handle, context)).files;
  expect(file && "url" in file && (await context.fetch(file.url)).status).toBe(200);
  expect(sim.ledger.requests.filter((request) => request.includes("sign"))).toEqual([]);
});

it("an output that is gone or a web page is reported as such, and one that breaks off is fetched to its end", async () => {
  const download = async (prompt: string) => {
    const { handle } = await toDone(prompt);
    const context = buildContext();
    const [file] = (await job.result(handle, context)).files;
    if (!file || !("url" in file)) throw new Error("no address");
    const { stream } = await openDownload({
      fetch: context.fetch,
      url: file.url,
      mostBytes: 1e7,
      signal: context.signal,
    });
    return Buffer.concat(await Array.fromAsync(stream));
  };
  await expect(download("[sim:output-404]")).rejects.toMatchObject({
    code: "output_unavailable",
    accepted: "yes",
  });
  await expect(download("[sim:output-html]")).rejects.toMatchObject({
    code: "output_unavailable",
    accepted: "yes",
  });
  const whole = await download("[sim:output-cut]");
  expect(whole.equals([...sim.files.values()].at(-1)!.bytes!)).toBe(true);
});

it("a job that moves by itself, as for a person, is followed to its end too", async () => {
  await restart({ pace: { by: "time", stepMs: 5 } });
  const { statuses } = await toDone("by itself");
  expect(statuses.at(-1)?.state).toBe("done");
});

it("polling tells the same as the stream", async () => {
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
    expect(sim.ledger.postsOf(prompt)).toBe(1);
    expect(sim.ledger.billed).toHaveLength(billed);
  },
);

it("a rate limit names the wait, and a refused setting its field", async () => {
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

it("a wrong key, a vanished model and an address where nobody answers were not accepted", async () => {
  expect(await failureOf(submit("x", buildContext({ secret: "wrong" })))).toMatchObject({
    code: "provider_auth",
    accepted: "no",
  });
  const gone = job.submit(buildRequest("sim/never-was", { prompt: "x" }), buildContext());
  expect(await failureOf(gone)).toMatchObject({ code: "model_gone", accepted: "no" });
  const addresses = { ...sim.addresses };
  await sim.stop();
  await outbound.close();
  outbound = createOutbound();
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

it("a status stream that breaks off, or is a web page, is an error after which polling continues", async () => {
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
    expect(sim.ledger.billed).toEqual([]);
  },
);

it("a result that could not be read is not the job's failure and is there the next time", async () => {
  sim.script("busy", "result-busy");
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

it("a waiting job is cancelled; a running one continues, is billed, and says so; an ended one can't be", async () => {
  const waiting = await submit("w [sim:hold-queue]");
  expect(await job.cancel(waiting, buildContext())).toBe(true);
  expect(await failureOf(job.result(waiting, buildContext()))).toMatchObject({
    detail: { final: true, reason: "client_cancelled" },
  });

  const running = await submit("r [sim:hold]");
  for (let look = 0; look < 4; look++) await job.status(running, buildContext());
  expect(await job.cancel(running, buildContext())).toBe(false);
  sim.release("r [sim:hold]");
  for await (const _ of job.follow!(running, buildContext()));
  expect((await job.result(running, buildContext())).files).toHaveLength(1);
  expect(await job.cancel(running, buildContext())).toBe(false);

  const stopping = await submit("s [sim:stops-on-cancel]");
  for (let look = 0; look < 4; look++) await job.status(stopping, buildContext());
  expect(await job.cancel(stopping, buildContext())).toBe(true);
  expect(sim.ledger.billed).toHaveLength(1);
});

it("the addresses that submit gave are used as given, for a model with a deeper path too", async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const request = buildRequest(
    "acme/kling-video/v3/pro/image-to-video",
    { start_image_url: `asset:${picture}`, prompt: "deep" },
    [buildFile(bytes)],
  );
  const handle = await job.submit(request, buildContext());
  expect(handle.urls.status).toBe(`${sim.url}/queue/acme/kling-video/requests/${handle.id}/status`);
  for await (const _ of job.follow!(handle, buildContext()));
  expect((await job.result(handle, buildContext())).files).toMatchObject([
    { name: "output.mp4", mime: "video/mp4" },
  ]);
});

it("a gateway that does not rewrite fal's own addresses still serves, and the key goes to no other", async () => {
  const handle = await submit("through a gateway");
  const given = {
    id: handle.id,
    urls: {
      ...handle.urls,
      status: handle.urls.status!.replace(sim.addresses.queue, "https://queue.fal.run"),
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

it("input files are uploaded once, as streams of known length, named for their type, private, and signed for the model", async () => {
  const bytes = new Uint8Array(200_000).fill(7);
  const input = {
    prompt: "twice",
    start_image_url: `asset:${picture}`,
    elements: [{ reference_image_urls: [`asset:${picture}`] }],
  };
  await job.submit(
    buildRequest("acme/kling-video/v3/pro/image-to-video", input, [buildFile(bytes)]),
    buildContext(),
  );
  const [stored, ...others] = [...sim.files.values()];
  expect(others).toEqual([]);
  expect(stored).toMatchObject({
    size: 200_000,
    mime: "image/png",
    name: "été du soir.png",
    isPrivate: true,
    lifetimeSeconds: 604_800,
  });
  const sent = sim.ledger.posts[0]?.input as {
    start_image_url: string;
    elements: [{ reference_image_urls: string[] }];
  };
  expect(sent.elements[0].reference_image_urls).toEqual([sent.start_image_url]);
});

it("a file above 90 MB goes up in parts of 10 MB, in order and whole", async () => {
  const bytes = new Uint8Array(91 * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += 4_096) bytes[at] = at / 4_096;
  await job.submit(
    buildRequest("sim/clarity-upscaler", { image_url: `asset:${picture}` }, [buildFile(bytes)]),
    buildContext(),
  );
  const [stored] = [...sim.files.values()];
  const hashes = [...(stored?.pieces.values() ?? [])].map(({ sha256 }) => sha256);
  const part = 10 * 1024 * 1024;
  const expected = Array.from({ length: 10 }, (_, index) =>
    createHash("sha256")
      .update(bytes.subarray(index * part, (index + 1) * part))
      .digest("hex"),
  );
  expect(hashes).toEqual(expected);
  expect(stored).toMatchObject({ complete: true, size: bytes.length });
});

it("a file that is gone stops the run before anything paid is asked for", async () => {
  const error = await failureOf(
    job.submit(
      buildRequest("sim/clarity-upscaler", { image_url: `asset:${picture}` }),
      buildContext(),
    ),
  );
  expect(error).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "image_url" },
  });
  expect(sim.ledger.posts).toEqual([]);
});

it("sync_mode true is left out with a warning, and lip-sync's own sync_mode stays", async () => {
  const context = buildContext();
  await job.submit(buildRequest("sim/flux/dev", { prompt: "inline", sync_mode: true }), context);
  expect(warnings).toEqual(["sync_mode"]);
  expect(sim.ledger.posts[0]?.input).toEqual({ prompt: "inline" });
  const input = {
    video_url: "https://a.example/v.mp4",
    audio_url: "https://a.example/a.wav",
    sync_mode: "loop",
  };
  await job.submit(buildRequest("acme/sync-lipsync/v2", input), buildContext());
  expect(sim.ledger.posts[1]?.input).toEqual(input);
});

it("a result without files is kept as words and facts", async () => {
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
])("of a job that %s does not find nobody says that it cost nothing", async (_who, body) => {
  const handle = await job.submit(
    buildRequest("sim/flux/dev", { prompt: "forgotten" }),
    buildContext(),
  );
  for (const ask of [job.status, job.result]) {
    sim.interrupt({ kind: "status", status: 404, body });
    const error = await failureOf(ask(handle, buildContext()));
    expect(error).toMatchObject({
      code: "output_unavailable",
      accepted: "yes",
      detail: { gone: true, billed: true },
    });
    expect(isPassing(error)).toBe(true);
    expect(String(error)).toMatch(/does not find this job. It says: Request not found/);
  }
});

it.each([[{}], ["404 page not found"]])(
  "a 404 that says nothing of a job (%j) is asked through",
  async (body) => {
    const handle = await job.submit(
      buildRequest("sim/flux/dev", { prompt: "behind a proxy" }),
      buildContext(),
    );
    for (const ask of [job.status, job.result]) {
      sim.interrupt({ kind: "status", status: 404, body });
      const error = await failureOf(ask(handle, buildContext()));
      expect(error).toMatchObject({ code: "provider_protocol", accepted: "yes" });
      expect(isPassing(error)).toBe(true);
    }
  },
);

it("what a model itself does not find is no job that was lost: it failed, and is not billed", async () => {
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
  sim.interrupt({ kind: "status", status: 404, body: { detail } });
  const error = await failureOf(job.result(handle, buildContext()));
  expect(error).toMatchObject({ detail: { final: true, field: "image_url" } });
  expect((error as ProviderError).detail.billed).toBeUndefined();
  expect(String(error)).not.toMatch(/does not find this job/);
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
  expect(sim.ledger.posts.map(({ door }) => door)).toEqual(["run"]);
  const lost = await failureOf(
    runDirectly(buildRequest("sim/flux/dev", { prompt: "[sim:lost-reply]" }), buildContext()),
  );
  expect(lost).toMatchObject({ code: "outcome_unknown", accepted: "unknown" });
});

it("the check tells a good key from a wrong one and a web page from fal, and costs nothing", async () => {
  expect((await fal.check(buildContext())).message).toContain("key");
  expect(await failureOf(fal.check(buildContext({ secret: "wrong" })))).toMatchObject({
    code: "provider_auth",
  });
  for (const place of ["nowhere", "site"]) {
    const addresses = { ...sim.addresses, api: `${sim.url}/${place}` };
    expect(await failureOf(fal.check(buildContext({ addresses, secret: sim.key })))).toMatchObject({
      code: "provider_protocol",
    });
  }
  expect(sim.ledger.posts).toEqual([]);
});

it("a run that is given up in the middle of its upload ends with the reason it was given", async () => {
  const controller = new AbortController();
  const file = buildFile(new Uint8Array(10));
  const open: InputFile["open"] = async () => {
    controller.abort(new Error("given up"));
    return file.open();
  };
  const request = buildRequest("sim/clarity-upscaler", { image_url: `asset:${picture}` }, [
    { ...file, open },
  ]);
  await expect(job.submit(request, buildContext({ signal: controller.signal }))).rejects.toThrow(
    "given up",
  );
  expect(sim.ledger.posts).toEqual([]);
});

it("a gateway without the stream of a status does not end the job", async () => {
  const handle = await submit("a cat behind a gateway");
  sim.interrupt({ kind: "status", status: 404, body: { detail: "Not Found" } });
  expect(isPassing(await failureOf(job.follow!(handle, buildContext())))).toBe(true);
  expect(await job.status(handle, buildContext())).toMatchObject({
    state: expect.stringMatching(/queued|running/),
  });
});

it("a result without an output is not a success, and one without fields is asked for again", async () => {
  const { handle } = await toDone("a cat that nobody sees");
  sim.interrupt({ kind: "status", status: 200, body: { images: [] } });
  const detail = { final: true, billed: true };
  expect(await failureOf(job.result(handle, buildContext()))).toMatchObject({
    code: "output_unavailable",
    detail,
  });
  sim.interrupt({ kind: "status", status: 200, body: {} });
  expect(isPassing(await failureOf(job.result(handle, buildContext())))).toBe(true);
});
