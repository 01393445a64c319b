import { createHash, randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import { imageToImage, textToImage } from "../../../../test/simulators/comfyui/workflows.ts";
import { failureOf, setUpComfy } from "../../../../test/support/services/comfyui.ts";
import type { InputFile, JobStatus } from "../../adapter.ts";
import { comfyui } from "./adapter.ts";

const comfy = setUpComfy();
const { add, buildContext, restart, warnings, workflows } = comfy;
const job = comfyui.job!;

const picture = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
function buildFile(bytes: Uint8Array): InputFile {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    ...{
      assetId: picture,
      sha256,
      mime: "image/png",
      bytes: bytes.length,
      name: "été du soir.png",
      width: 1,
      height: 1,
    },
    async open() {
      return (async function* () {
        yield bytes;
      })();
    },
  };
}

const submit = (input: JsonObject, context = buildContext(), files: InputFile[] = []) =>
  job.submit(
    {
      runId: "r1",
      task: "image",
      model: { id: "w", inputSchema: null, capabilities: {} },
      input,
      turns: [],
      files: new Map(files.map((file) => [file.assetId, file])),
    },
    context,
  );

async function follow(
  handle: Awaited<ReturnType<typeof submit>>,
  context = buildContext(),
): Promise<JobStatus[]> {
  const statuses: JobStatus[] = [];
  for await (const status of job.follow!(handle, context)) statuses.push(status);
  return statuses;
}

it("a job goes through the queue to its files with one POST, and reports its place, steps, nodes and previews", async () => {
  await add(textToImage());
  const before = await submit({ prompt: "before [sim:hold]", seed: 1 });
  const handle = await submit({ prompt: "a harbour", seed: 7, steps: 4 });
  const after = await submit({ prompt: "after", seed: 7 });
  expect(await job.status(after, buildContext())).toEqual({ state: "queued", queuePlace: 2 });
  const following = follow(handle);
  await expect.poll(() => comfy.sim.sockets()).toBe(1);
  comfy.sim.release("before");
  const statuses = await following;
  expect(statuses[0]).toEqual({ state: "queued", queuePlace: 1 });
  expect(statuses.at(-1)).toEqual({ state: "done" });
  expect(statuses.flatMap(({ progress }) => progress ?? [])).toEqual(
    [1, 2, 3, 4].map((done) => ({ done, total: 4, label: "KSampler" })),
  );
  const previews = statuses.flatMap(({ preview }) => preview ?? []);
  expect(previews).toHaveLength(4);
  expect(previews[0]).toMatchObject({ mime: "image/png" });
  expect([...previews[0]!.bytes.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
  const lines = statuses.flatMap(({ logs = [] }) => logs.map(({ message }) => message));
  expect(lines).toEqual(expect.arrayContaining(["KSampler", "VAE Decode", "Save Image"]));
  expect(lines[0]).toMatch(/^\d of 7 nodes are cached/);

  const { files, result, usage } = await job.result(handle, buildContext());
  expect(files).toMatchObject([{ name: expect.stringMatching(/\.png$/), needsKey: true }]);
  expect({ result, usage }).toEqual({ result: {}, usage: {} });
  const [file] = files;
  const bytes = Buffer.concat(
    await Array.fromAsync(comfyui.openFile!(file && "url" in file ? file.url : "", buildContext())),
  );
  expect([...bytes.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
  expect(comfy.sim.ledger.postsOf("a harbour")).toBe(1);
  expect(comfy.sim.ledger.posts[1]?.body).toMatchObject({
    prompt_id: handle.id,
    client_id: handle.id,
    extra_data: { preview_method: "auto" },
  });
  expect(await job.status(before, buildContext())).toEqual({ state: "done" });
});

it("settings outside the form stay as saved, and a missing field is named", async () => {
  await add(textToImage());
  await submit({ prompt: "kept", seed: 3 });
  const sent = comfy.sim.ledger.posts[0]!.body.prompt as ReturnType<typeof textToImage>;
  expect(sent["3"]!.inputs).toMatchObject({
    seed: 3,
    steps: 4,
    sampler_name: "euler",
    positive: ["6", 0],
  });
  expect(sent["6"]!.inputs.text).toBe("kept");
  expect(sent["7"]!.inputs.text).toBe("text, watermark");
  const gone = await failureOf(submit({ prompt: "x", lora_name: "old" }));
  expect(gone).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "lora_name" },
  });
  workflows.clear();
  expect(await failureOf(submit({ prompt: "x" }))).toMatchObject({
    code: "model_gone",
    accepted: "no",
  });
  expect(comfy.sim.ledger.posts).toHaveLength(1);
});

it("a file is uploaded under its content's name before the one POST, and named in the workflow", async () => {
  await add(imageToImage());
  const bytes = new Uint8Array([1, 2, 3, 4]);
  const file = buildFile(bytes);
  const handle = await submit({ prompt: "in winter", image: `asset:${picture}` }, buildContext(), [
    file,
  ]);
  const name = `bottega/${file.sha256.slice(0, 32)}.png`;
  expect(comfy.sim.inputs.get(name)).toEqual(bytes);
  expect(
    (comfy.sim.ledger.posts[0]!.body.prompt as ReturnType<typeof imageToImage>)["10"]!.inputs.image,
  ).toBe(name);
  expect((await follow(handle)).at(-1)).toEqual({ state: "done" });
  expect(await failureOf(submit({ image: `asset:${picture}` }))).toMatchObject({
    accepted: "no",
    detail: { field: "image" },
  });
});

it("steps are read from servers that report all nodes at once", async () => {
  await restart({ stepsAs: "progress_state" });
  await add(textToImage());
  await submit({ prompt: "before [sim:hold]", seed: 1 });
  const handle = await submit({ prompt: "a harbour", seed: 7, steps: 4 });
  const following = follow(handle);
  await expect.poll(() => comfy.sim.sockets()).toBe(1);
  comfy.sim.release("before");
  const statuses = await following;
  expect(statuses.flatMap(({ progress }) => progress ?? [])).toEqual(
    [1, 2, 3, 4].map((done) => ({ done, total: 4, label: "KSampler" })),
  );
});

it("a file over the server's limit is reported with the limit, its name and its size", async () => {
  await restart({ uploadBytes: 2 * 1024 ** 2 });
  await add(imageToImage());
  const file = buildFile(new Uint8Array(3 * 1024 ** 2));
  const error = await failureOf(submit({ image: `asset:${picture}` }, buildContext(), [file]));
  expect(error).toMatchObject({ accepted: "no", detail: { field: "image" } });
  expect(error.message).toBe(
    "“été du soir.png” has 3 MB, and this ComfyUI takes up to 2 MB. Choose a smaller file, or start ComfyUI with a larger --max-upload-size.",
  );
  expect(comfy.sim.ledger.posts).toHaveLength(0);
});

it("a refusal names its field, and nothing was accepted", async () => {
  await add(textToImage());
  const error = await failureOf(submit({ prompt: "x", width: 8 }));
  expect(error).toMatchObject({
    code: "provider_invalid_input",
    accepted: "no",
    detail: { field: "width" },
  });
  expect(error.message).toBe(
    "ComfyUI reports an error of “Empty Latent Image”: Value 8 smaller than min of 16 (width).",
  );
  expect(error.detail).not.toHaveProperty("nodeErrors");
  comfy.sim.install("VAEDecode", false);
  expect(await failureOf(submit({ prompt: "x" }))).toMatchObject({
    code: "model_gone",
    accepted: "no",
  });
  expect(comfy.sim.ledger.posts).toHaveLength(2);
});

it("a failed output is a warning if another output succeeds", async () => {
  const graph = textToImage();
  graph["30"] = { class_type: "SaveAudio", inputs: { audio: ["8", 0], filename_prefix: "x" } };
  await add(graph);
  await submit({ prompt: "two outputs" });
  expect(warnings).toEqual([
    expect.stringMatching(
      /^One output was left out. ComfyUI reports an error of “SaveAudio”: Return type mismatch/,
    ),
  ]);
});

for (const [fault, code, accepted] of [
  ["reset", "outcome_unknown", "unknown"],
  ["lost-reply", "outcome_unknown", "unknown"],
  ["500", "outcome_unknown", "unknown"],
  ["html", "provider_protocol", "unknown"],
  ["broken-json", "provider_protocol", "unknown"],
  ["no-id", "outcome_unknown", "unknown"],
] as const) {
  it(`at the submit, ${fault} is ${code}, accepted: ${accepted}, after one POST`, async () => {
    await add(textToImage());
    expect(await failureOf(submit({ prompt: `x [sim:${fault}]` }))).toMatchObject({
      code,
      accepted,
    });
    expect(comfy.sim.ledger.posts).toHaveLength(1);
  });
}

it("a job whose answer was lost is found by its token: in the queue, in the history, and on servers with their own IDs", async () => {
  for (const isOld of [false, true]) {
    await restart({ isOld });
    await add(textToImage());
    const context = buildContext();
    await submit({ prompt: "first [sim:hold]" });
    comfy.sim.script("second", "lost-reply");
    await failureOf(submit({ prompt: "second" }, context));
    const found = await job.find!({ clientToken: context.clientToken, since: 0 }, buildContext());
    expect(found?.id === context.clientToken).toBe(!isOld);
    expect(await job.status(found!, buildContext())).toMatchObject({ state: "queued" });
    comfy.sim.release("first");
    await expect.poll(() => comfy.sim.ledger.madeOf("second")).toBe(1);
    expect(await job.find!({ clientToken: context.clientToken, since: 0 }, buildContext())).toEqual(
      found,
    );
    expect(
      await job.find!({ clientToken: randomUUID(), since: 0 }, buildContext()),
    ).toBeUndefined();
    expect(comfy.sim.ledger.postsOf("second")).toBe(1);
  }
});

for (const [fault, code, message] of [
  ["error", "provider_interrupted", /“KSampler” failed in ComfyUI: mat1 and mat2/],
  ["oom", "provider_overloaded", /ran out of memory in “KSampler”/],
  ["interrupted", "provider_interrupted", /interrupted in ComfyUI/],
  ["nothing", "provider_interrupted", /without saving anything/],
] as const) {
  it(`a job that ends with ${fault} is done, and its result gives the reason, once and for all`, async () => {
    await add(textToImage());
    const handle = await submit({ prompt: `x [sim:${fault}]` });
    expect((await follow(handle)).at(-1)).toEqual({ state: "done" });
    const error = await failureOf(job.result(handle, buildContext()));
    expect(error).toMatchObject({ code, accepted: "yes", detail: { final: true } });
    expect(error.message).toMatch(message);
    expect(comfy.sim.ledger.posts).toHaveLength(1);
  });
}

it("a dropped socket ends only the live updates: the job is polled instead", async () => {
  await add(textToImage());
  await submit({ prompt: "before [sim:hold]" });
  const handle = await submit({ prompt: "x [sim:socket-drop]" });
  const failure = failureOf(follow(handle));
  await expect.poll(() => comfy.sim.sockets()).toBe(1);
  comfy.sim.release("before");
  const error = await failure;
  expect(error).toMatchObject({ code: "provider_interrupted" });
  expect(error.detail.final).toBeUndefined();
  await expect.poll(async () => (await job.status(handle, buildContext())).state).toBe("done");
  expect((await job.result(handle, buildContext())).files).toHaveLength(1);
});

it("a job forgotten by a restarted server differs from one that was removed from its queue", async () => {
  await add(textToImage());
  const handle = await submit({ prompt: "x [sim:hold]" });
  comfy.sim.restart();
  expect(await failureOf(job.status(handle, buildContext()))).toMatchObject({
    code: "provider_interrupted",
    detail: { forgotten: true },
  });

  const first = await submit({ prompt: "first" });
  await follow(first);
  await submit({ prompt: "blocks [sim:hold]" });
  const waiting = await submit({ prompt: "waits" });
  await fetch(`${comfy.sim.url}/queue`, {
    method: "POST",
    body: JSON.stringify({ delete: [waiting.id] }),
  });
  const error = await failureOf(job.status(waiting, buildContext()));
  expect(error).toMatchObject({ code: "provider_interrupted", detail: { final: true } });
  expect(error.detail.forgotten).toBeUndefined();
});

it("a cancel stops only this job, waiting or running, on new and old servers", async () => {
  for (const isOld of [false, true]) {
    await restart({ isOld });
    await add(textToImage());
    const other = await submit({ prompt: "another's [sim:hold]" });
    const mine = await submit({ prompt: "mine [sim:hold]" });
    expect(await job.cancel(mine, buildContext())).toBe(true);
    expect(await job.status(other, buildContext())).toMatchObject({ state: "running" });
    const running = await submit({ prompt: "running [sim:hold]" });
    comfy.sim.release("another's");
    await expect
      .poll(async () => (await job.status(running, buildContext())).state)
      .toBe("running");
    expect(await job.cancel(running, buildContext())).toBe(true);
    await expect.poll(async () => (await job.status(running, buildContext())).state).toBe("done");
    expect(await failureOf(job.result(running, buildContext()))).toMatchObject({
      detail: { final: true },
    });
    expect((await job.result(other, buildContext())).files).toHaveLength(1);
    // The job has ended, so there is nothing to cancel: the running one is another job.
    const next = await submit({ prompt: "next [sim:hold]" });
    expect(await job.cancel(other, buildContext())).toBe(false);
    expect(await job.status(next, buildContext())).toMatchObject({ state: "running" });
  }
});

it("an older server's previews, which name no job, are shown too", async () => {
  await restart({ isOld: true });
  await add(textToImage());
  const handle = await submit({ prompt: "old previews [sim:hold]" });
  expect(handle.id).not.toBe(handle.urls.socket?.split("=")[1]);
  const following = follow(handle);
  await expect.poll(() => comfy.sim.sockets()).toBe(1);
  comfy.sim.release("old previews");
  expect((await following).filter(({ preview }) => preview).length).toBeGreaterThan(0);
});

it("a node with many steps shows a dozen previews and all steps", async () => {
  await add(textToImage());
  await submit({ prompt: "before [sim:hold]" });
  const handle = await submit({ prompt: "many steps", steps: 60 });
  const following = follow(handle);
  await expect.poll(() => comfy.sim.sockets()).toBe(1);
  comfy.sim.release("before");
  const statuses = await following;
  expect(statuses.filter(({ progress }) => progress)).toHaveLength(60);
  expect(statuses.filter(({ preview }) => preview)).toHaveLength(12);
});

it("text becomes the result's text, several pictures several files, and previews count only if nothing is saved", async () => {
  const graph = textToImage();
  graph["40"] = { class_type: "PreviewAny", inputs: { source: ["6", 0] } };
  graph["41"] = { class_type: "PreviewImage", inputs: { images: ["8", 0] } };
  await add(graph);
  const handle = await submit({ prompt: "two of it", batch_size: 2 });
  await follow(handle);
  const { files, result } = await job.result(handle, buildContext());
  expect(files).toHaveLength(2);
  expect(result).toEqual({ text: expect.stringContaining("two of it") });
});

it("a key is sent as the connection says, also to the socket and the files, and to no other server", async () => {
  await restart({ key: "k1" });
  for (const options of [{}, { header: "X-Key" }] as JsonObject[]) {
    const context = () => buildContext({ secret: "k1", options });
    expect(await comfyui.check(context())).toEqual({
      message: "ComfyUI 0.38.1 on cuda:0 NVIDIA GeForce RTX 4090",
    });
    await add(textToImage(), context());
    const handle = await submit({ prompt: "guarded" }, context());
    expect((await follow(handle, context())).at(-1)).toEqual({ state: "done" });
    const [file] = (await job.result(handle, context())).files;
    const url = file && "url" in file ? file.url : "";
    expect(url).not.toContain("k1");
    expect((await Array.fromAsync(comfyui.openFile!(url, context()))).length).toBeGreaterThan(0);
    const elsewhere = Array.fromAsync(
      comfyui.openFile!("http://127.0.0.1:1/view?filename=x", context()),
    );
    expect(await failureOf(elsewhere)).toMatchObject({ code: "output_unavailable" });
  }
  expect(await failureOf(comfyui.check(buildContext({ secret: "wrong" })))).toMatchObject({
    code: "provider_auth",
  });
});

it("an unreachable server and a foreign one are each reported as such", async () => {
  const site = { api: `${comfy.sim.url}/site` };
  expect(await failureOf(comfyui.check(buildContext({ addresses: site })))).toMatchObject({
    code: "provider_protocol",
  });
  await comfy.sim.stop();
  expect(await failureOf(comfyui.check(buildContext()))).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

it("an ID that ComfyUI can't have made names no job", () => {
  expect(job.handleOf!("not an id", "w", buildContext())).toBeUndefined();
  expect(job.handleOf!(picture, "w", buildContext())).toMatchObject({ id: picture });
});
