import { createHash, randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import {
  imageToImage,
  textToImage,
  toVideo,
} from "../../../../test/simulators/comfyui/workflows.ts";
import {
  type ComfyOptions,
  type ComfySimulator,
  startComfy,
} from "../../../../test/simulators/comfyui.ts";
import {
  type InputFile,
  type JobStatus,
  type ModelFacts,
  ProviderError,
  type RunContext,
  type Workflow,
} from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { comfyui } from "./adapter.ts";
import { parseGraph } from "./graph.ts";

let sim: ComfySimulator;
let outbound: Outbound;
const workflows = new Map<string, Workflow>();

beforeEach(async () => {
  outbound = createOutbound();
  sim = await startComfy();
  workflows.clear();
});
afterEach(async () => {
  await outbound.close();
  await sim.stop();
});

async function restart(options: ComfyOptions) {
  await sim.stop();
  sim = await startComfy(options);
}

const warnings: string[] = [];
type Wish = {
  secret?: string;
  options?: JsonObject;
  addresses?: Record<string, string>;
  token?: string;
  signal?: AbortSignal;
};
function buildContext({
  secret,
  options = {},
  addresses = sim.addresses,
  token = randomUUID(),
  signal,
}: Wish = {}): RunContext {
  warnings.length = 0;
  return {
    connection: { id: "c1", kind: "comfyui", addresses, options, secret: secret ?? null },
    fetch: outbound.open({ privateOrigins: [sim.url], onePost: true }),
    openSocket: outbound.openSocket({ privateOrigins: [sim.url] }),
    signal: signal ?? new AbortController().signal,
    clock: { now: () => 1_000 },
    clientToken: token,
    warn: ({ message }) => warnings.push(message),
    workflows: { list: async () => [...workflows.values()], get: async (id) => workflows.get(id) },
  };
}

const { job, workflows: kind } = { job: comfyui.job!, workflows: comfyui.workflows! };

async function add(graph: unknown, context = buildContext()): Promise<ModelFacts> {
  const workflow = { id: "w", name: "Mine", document: kind.parse(JSON.stringify(graph)) };
  const facts = await kind.describe(workflow, context);
  workflows.set("w", workflow);
  return facts;
}

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

async function failureOf(action: Promise<unknown>): Promise<ProviderError> {
  const error = await action.then(
    () => new Error("It did not fail."),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProviderError) return error;
  throw error;
}

const messageOf = async (action: Promise<unknown> | (() => unknown)): Promise<string> => {
  try {
    await (typeof action === "function" ? action() : action);
  } catch (error) {
    return (error as Error).message;
  }
  return "It did not fail.";
};
const propertiesOf = ({ inputSchema }: ModelFacts) =>
  inputSchema?.properties as Record<string, JsonObject>;

it("a workflow's literals become its form: prompt, negative prompt and seed by their names, bounds and choices as the server says", async () => {
  const facts = await add(textToImage());
  expect(facts).toMatchObject({
    tasks: ["image"],
    inputModalities: ["text"],
    outputModalities: ["image"],
    price: { micros: "0" },
  });
  expect(facts.description).toBe("ComfyUI workflow of 7 nodes with sd15");
  const properties = propertiesOf(facts);
  expect(Object.keys(properties)).toEqual([
    ...[
      "prompt",
      "negative_prompt",
      "width",
      "height",
      "batch_size",
      "seed",
      "steps",
      "cfg",
      "denoise",
    ],
    ...["sampler_name", "scheduler", "ckpt_name"],
  ]);
  expect(properties.prompt).toMatchObject({ type: "string", examples: ["a lighthouse"] });
  expect(facts.inputSchema?.required).toEqual(["prompt"]);
  expect(properties.negative_prompt).toMatchObject({ default: "text, watermark" });
  expect(properties.width).toMatchObject({
    type: "integer",
    minimum: 16,
    maximum: 16384,
    multipleOf: 8,
    default: 64,
    "x-rare": false,
  });
  expect(properties.seed).toEqual(
    expect.objectContaining({ type: "integer", maximum: Number.MAX_SAFE_INTEGER }),
  );
  expect(properties.seed).not.toHaveProperty("default");
  expect(properties.sampler_name).toMatchObject({
    enum: ["euler", "euler_ancestral", "dpmpp_2m", "uni_pc"],
    "x-rare": true,
  });
  expect(properties.scheduler).toMatchObject({
    enum: ["simple", "normal", "karras"],
    default: "normal",
  });
  expect(properties).not.toHaveProperty("filename_prefix");
});

it("a picture that is loaded is a file of the form, and makes an edit of it; one that the server has not is needed", async () => {
  const facts = await add(imageToImage());
  expect(facts).toMatchObject({ tasks: ["edit"], inputModalities: ["text", "image"] });
  expect(propertiesOf(facts).image).toMatchObject({ type: "string", "x-file": "image" });
  expect(facts.inputSchema?.required).toEqual(["prompt", "image"]);
  const known = imageToImage();
  known["10"]!.inputs.image = "example.png";
  expect((await add(known)).inputSchema?.required).toEqual(["prompt"]);
});

it("words in a node of their own are the prompt, a zeroed-out negative is none, and a video is distinguished from its preview", async () => {
  const facts = await add(toVideo());
  expect(facts).toMatchObject({ tasks: ["video"], outputModalities: ["video"] });
  expect(propertiesOf(facts).prompt).toMatchObject({ examples: ["waves on a beach"] });
  expect(propertiesOf(facts)).not.toHaveProperty("negative_prompt");
});

it("two nodes with one input are distinguished by their ids and titles", async () => {
  const graph = textToImage();
  graph["20"] = {
    ...graph["3"]!,
    inputs: { ...graph["3"]!.inputs, latent_image: ["3", 0], steps: 2 },
    _meta: { title: "Second pass" },
  };
  graph["8"]!.inputs.samples = ["20", 0];
  const properties = propertiesOf(await add(graph));
  expect(properties.steps_20).toMatchObject({ title: "steps (Second pass)", default: 2 });
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(["seed", "seed_20", "steps_3"]));
});

it("a choice that is saved and not there any more has to be made again", async () => {
  const graph = textToImage();
  graph["4"]!.inputs.ckpt_name = "deleted.safetensors";
  const { inputSchema } = await add(graph);
  expect(inputSchema?.required).toEqual(["prompt", "ckpt_name"]);
});

it("what is no workflow is refused in a sentence that says what to do", async () => {
  expect(await messageOf(() => kind.parse("not json"))).toMatch(/not JSON.*Export \(API\)/);
  expect(await messageOf(() => kind.parse('{"nodes": [], "links": [], "version": 0.4}'))).toMatch(
    /format of ComfyUI's editor.*Export \(API\)/,
  );
  expect(await messageOf(() => kind.parse("[]"))).toMatch(/no workflow/);
  expect(await messageOf(() => kind.parse('{"a": {"x": 1}}'))).toMatch(/“a” is not a node/);
  expect(await messageOf(() => kind.parse("{}"))).toMatch(/no nodes/);
  const { "5": _, ...torn } = textToImage();
  expect(await messageOf(() => kind.parse(JSON.stringify(torn)))).toMatch(
    /“KSampler” \(node 3\).*not in the file/,
  );
  expect(await messageOf(() => kind.parse(" ".repeat(1024 ** 2 + 1)))).toMatch(/at most 1024 KB/);
  expect(parseGraph(JSON.stringify({ prompt: textToImage(), client_id: "x" }))).toEqual(
    parseGraph(JSON.stringify(textToImage())),
  );
});

it("a workflow that this server can't run is refused by the names of what is missing", async () => {
  sim.install("KSampler", false);
  expect(await messageOf(add(textToImage()))).toBe(
    "This server lacks the node “KSampler”. Install the extension for it in ComfyUI, then try again.",
  );
  sim.install("KSampler", true);
  const { "9": _, ...unsaved } = textToImage();
  expect(await messageOf(add(unsaved))).toMatch(/saves nothing/);
  const paid = { "1": { class_type: "FluxProUltraImageNode", inputs: { prompt: "x" } } };
  expect(
    await messageOf(
      add({ ...paid, "2": { class_type: "SaveImage", inputs: { images: ["1", 0] } } }),
    ),
  ).toMatch(/paid service/);
});

it("what the server can't run any more is no model, and comes back with its nodes", async () => {
  await add(textToImage());
  const list = async () =>
    (await Array.fromAsync(comfyui.models(buildContext()))).flat().map(({ id }) => id);
  expect(await list()).toEqual(["w"]);
  sim.install("VAEDecode", false);
  expect(await list()).toEqual([]);
  sim.install("VAEDecode", true);
  expect(await list()).toEqual(["w"]);
});

it("a job goes through the queue to its files with one POST, and tells its place, steps, nodes and previews on the way", async () => {
  await add(textToImage());
  const before = await submit({ prompt: "before [sim:hold]", seed: 1 });
  const handle = await submit({ prompt: "a harbour", seed: 7, steps: 4 });
  const after = await submit({ prompt: "after", seed: 7 });
  expect(await job.status(after, buildContext())).toEqual({ state: "queued", queuePlace: 2 });
  const following = follow(handle);
  await expect.poll(() => sim.sockets()).toBe(1);
  sim.release("before");
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
  expect(sim.ledger.postsOf("a harbour")).toBe(1);
  expect(sim.ledger.posts[1]?.body).toMatchObject({
    prompt_id: handle.id,
    client_id: handle.id,
    extra_data: { preview_method: "auto" },
  });
  expect(await job.status(before, buildContext())).toEqual({ state: "done" });
});

it("what the form does not speak of stays as it was saved, and a field that is gone is named", async () => {
  await add(textToImage());
  await submit({ prompt: "kept", seed: 3 });
  const sent = sim.ledger.posts[0]!.body.prompt as ReturnType<typeof textToImage>;
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
  expect(sim.ledger.posts).toHaveLength(1);
});

it("a file is uploaded under the name of its content before the one POST, and is named in the workflow", async () => {
  await add(imageToImage());
  const bytes = new Uint8Array([1, 2, 3, 4]);
  const file = buildFile(bytes);
  const handle = await submit({ prompt: "in winter", image: `asset:${picture}` }, buildContext(), [
    file,
  ]);
  const name = `bottega/${file.sha256.slice(0, 32)}.png`;
  expect(sim.inputs.get(name)).toEqual(bytes);
  expect(
    (sim.ledger.posts[0]!.body.prompt as ReturnType<typeof imageToImage>)["10"]!.inputs.image,
  ).toBe(name);
  expect((await follow(handle)).at(-1)).toEqual({ state: "done" });
  expect(await failureOf(submit({ image: `asset:${picture}` }))).toMatchObject({
    accepted: "no",
    detail: { field: "image" },
  });
});

it("a refusal is reported by the field it speaks of, and nothing was accepted", async () => {
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
  sim.install("VAEDecode", false);
  expect(await failureOf(submit({ prompt: "x" }))).toMatchObject({
    code: "model_gone",
    accepted: "no",
  });
  expect(sim.ledger.posts).toHaveLength(2);
});

it("an output that can't be made is reported as a warning where another one can", async () => {
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
    expect(sim.ledger.posts).toHaveLength(1);
  });
}

it("a job whose answer was lost is found by its token: in the queue, in the history, and on a server that gives ids of its own", async () => {
  for (const isOld of [false, true]) {
    await restart({ isOld });
    await add(textToImage());
    const context = buildContext();
    await submit({ prompt: "first [sim:hold]" });
    sim.script("second", "lost-reply");
    await failureOf(submit({ prompt: "second" }, context));
    const found = await job.find!({ clientToken: context.clientToken, since: 0 }, buildContext());
    expect(found?.id === context.clientToken).toBe(!isOld);
    expect(await job.status(found!, buildContext())).toMatchObject({ state: "queued" });
    sim.release("first");
    await expect.poll(() => sim.ledger.madeOf("second")).toBe(1);
    expect(await job.find!({ clientToken: context.clientToken, since: 0 }, buildContext())).toEqual(
      found,
    );
    expect(
      await job.find!({ clientToken: randomUUID(), since: 0 }, buildContext()),
    ).toBeUndefined();
    expect(sim.ledger.postsOf("second")).toBe(1);
  }
});

for (const [fault, code, message] of [
  ["error", "provider_interrupted", /“KSampler” failed in ComfyUI: mat1 and mat2/],
  ["oom", "provider_overloaded", /ran out of memory in “KSampler”/],
  ["interrupted", "provider_interrupted", /interrupted in ComfyUI/],
  ["nothing", "provider_interrupted", /without saving anything/],
] as const) {
  it(`a job that ends with ${fault} is done, and its result says why, once and for all`, async () => {
    await add(textToImage());
    const handle = await submit({ prompt: `x [sim:${fault}]` });
    expect((await follow(handle)).at(-1)).toEqual({ state: "done" });
    const error = await failureOf(job.result(handle, buildContext()));
    expect(error).toMatchObject({ code, accepted: "yes", detail: { final: true } });
    expect(error.message).toMatch(message);
    expect(sim.ledger.posts).toHaveLength(1);
  });
}

it("a socket that drops ends the following and not the job, which is asked about instead", async () => {
  await add(textToImage());
  const handle = await submit({ prompt: "x [sim:socket-drop]" });
  const error = await failureOf(follow(handle));
  expect(error).toMatchObject({ code: "provider_interrupted" });
  expect(error.detail.final).toBeUndefined();
  await expect.poll(async () => (await job.status(handle, buildContext())).state).toBe("done");
  expect((await job.result(handle, buildContext())).files).toHaveLength(1);
});

it("a job that a restarted server has forgotten is distinguished from one that somebody took out of its queue", async () => {
  await add(textToImage());
  const handle = await submit({ prompt: "x [sim:hold]" });
  sim.restart();
  expect(await failureOf(job.status(handle, buildContext()))).toMatchObject({
    code: "provider_interrupted",
    detail: { forgotten: true },
  });

  const first = await submit({ prompt: "first" });
  await follow(first);
  await submit({ prompt: "blocks [sim:hold]" });
  const waiting = await submit({ prompt: "waits" });
  await fetch(`${sim.url}/queue`, {
    method: "POST",
    body: JSON.stringify({ delete: [waiting.id] }),
  });
  const error = await failureOf(job.status(waiting, buildContext()));
  expect(error).toMatchObject({ code: "provider_interrupted", detail: { final: true } });
  expect(error.detail.forgotten).toBeUndefined();
});

it("a cancel stops this job alone, waiting or running, on a new server and on an old one", async () => {
  for (const isOld of [false, true]) {
    await restart({ isOld });
    await add(textToImage());
    const other = await submit({ prompt: "another's [sim:hold]" });
    const mine = await submit({ prompt: "mine [sim:hold]" });
    expect(await job.cancel(mine, buildContext())).toBe(true);
    expect(await job.status(other, buildContext())).toMatchObject({ state: "running" });
    const running = await submit({ prompt: "running [sim:hold]" });
    sim.release("another's");
    await expect
      .poll(async () => (await job.status(running, buildContext())).state)
      .toBe("running");
    expect(await job.cancel(running, buildContext())).toBe(true);
    await expect.poll(async () => (await job.status(running, buildContext())).state).toBe("done");
    expect(await failureOf(job.result(running, buildContext()))).toMatchObject({
      detail: { final: true },
    });
    expect((await job.result(other, buildContext())).files).toHaveLength(1);
    // It has ended: there is nothing to stop, and what runs now is another's.
    const next = await submit({ prompt: "next [sim:hold]" });
    expect(await job.cancel(other, buildContext())).toBe(false);
    expect(await job.status(next, buildContext())).toMatchObject({ state: "running" });
  }
});

it("an older server's previews, which name no job, are shown as well", async () => {
  await restart({ isOld: true });
  await add(textToImage());
  const handle = await submit({ prompt: "old previews [sim:hold]" });
  expect(handle.id).not.toBe(handle.urls.socket?.split("=")[1]);
  const following = follow(handle);
  await expect.poll(() => sim.sockets()).toBe(1);
  sim.release("old previews");
  expect((await following).filter(({ preview }) => preview).length).toBeGreaterThan(0);
});

it("of a node with many steps a dozen previews are shown, and all of its steps", async () => {
  await add(textToImage());
  await submit({ prompt: "before [sim:hold]" });
  const handle = await submit({ prompt: "many steps", steps: 60 });
  const following = follow(handle);
  await expect.poll(() => sim.sockets()).toBe(1);
  sim.release("before");
  const statuses = await following;
  expect(statuses.filter(({ progress }) => progress)).toHaveLength(60);
  expect(statuses.filter(({ preview }) => preview)).toHaveLength(12);
});

it("a workflow that only shows a value as text makes text, no matter what else its nodes could make", async () => {
  const { "9": _, ...graph } = textToImage();
  graph["40"] = { class_type: "PreviewAny", inputs: { source: ["6", 0] } };
  expect(await add(graph)).toMatchObject({ tasks: ["other"], outputModalities: ["text"] });
  graph["41"] = { class_type: "PreviewImage", inputs: { images: ["8", 0] } };
  expect(await add(graph)).toMatchObject({ tasks: ["image"], outputModalities: ["image"] });
});

it("words come as the result's text, and several pictures as several files; previews only where nothing is saved", async () => {
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

it("a key goes along as the connection says, to the socket and the files too, and to no other server", async () => {
  await restart({ key: "k1" });
  for (const options of [{}, { header: "X-Key" }] as JsonObject[]) {
    const context = () => buildContext({ secret: "k1", options });
    expect(await comfyui.check(context())).toEqual({
      message: "ComfyUI 0.9.1 on cuda:0 NVIDIA GeForce RTX 4090",
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

it("a server that is not there, or is another, is reported as it is", async () => {
  const site = { api: `${sim.url}/site` };
  expect(await failureOf(comfyui.check(buildContext({ addresses: site })))).toMatchObject({
    code: "provider_protocol",
  });
  await sim.stop();
  expect(await failureOf(comfyui.check(buildContext()))).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

it("an id that can be none of ComfyUI's names no job", () => {
  expect(job.handleOf!("not an id", "w", buildContext())).toBeUndefined();
  expect(job.handleOf!(picture, "w", buildContext())).toMatchObject({ id: picture });
});
