import { expect, it } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import {
  imageToImage,
  textToImage,
  toVideo,
} from "../../../../test/simulators/comfyui/workflows.ts";
import { messageOf, setUpComfy } from "../../../../test/support/services/comfyui.ts";
import type { ModelFacts } from "../../adapter.ts";
import { comfyui } from "./adapter.ts";
import { parseGraph } from "./graph.ts";

const comfy = setUpComfy();
const { add, buildContext } = comfy;
const kind = comfyui.workflows!;
const propertiesOf = ({ inputSchema }: ModelFacts) =>
  inputSchema?.properties as Record<string, JsonObject>;

it("a workflow's literals become its form: prompt, negative prompt and seed by name, bounds and choices from the server", async () => {
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
    ...["ckpt_name", "sampler_name", "scheduler"],
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

it("a loaded picture becomes a file input and makes the model an edit; a picture missing at the server is required", async () => {
  const facts = await add(imageToImage());
  expect(facts).toMatchObject({ tasks: ["edit"], inputModalities: ["text", "image"] });
  expect(propertiesOf(facts).image).toMatchObject({ type: "string", "x-file": "image" });
  expect(facts.inputSchema?.required).toEqual(["prompt", "image"]);
  const known = imageToImage();
  known["10"]!.inputs.image = "example.png";
  expect((await add(known)).inputSchema?.required).toEqual(["prompt"]);
});

it("text in a node of its own is the prompt, a zeroed-out negative isn't, and videos differ from their previews", async () => {
  const facts = await add(toVideo());
  expect(facts).toMatchObject({ tasks: ["video"], outputModalities: ["video"] });
  expect(propertiesOf(facts).prompt).toMatchObject({ examples: ["waves on a beach"] });
  expect(propertiesOf(facts)).not.toHaveProperty("negative_prompt");
});

it("two nodes with the same input are distinguished by ID and title", async () => {
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

it("a saved choice that no longer exists must be made again", async () => {
  const graph = textToImage();
  graph["4"]!.inputs.ckpt_name = "deleted.safetensors";
  const { inputSchema } = await add(graph);
  expect(inputSchema?.required).toEqual(["prompt", "ckpt_name"]);
});

it("a file that isn't a workflow is refused with advice", async () => {
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

it("a workflow that this server can't run is refused with the names of what is missing", async () => {
  comfy.sim.install("KSampler", false);
  expect(await messageOf(add(textToImage()))).toBe(
    "This server lacks the node “KSampler”. Install the extension for it in ComfyUI, then try again.",
  );
  comfy.sim.install("KSampler", true);
  const { "9": _, ...unsaved } = textToImage();
  expect(await messageOf(add(unsaved))).toMatch(/saves nothing/);
  const paid = { "1": { class_type: "FluxProUltraImageNode", inputs: { prompt: "x" } } };
  expect(
    await messageOf(
      add({ ...paid, "2": { class_type: "SaveImage", inputs: { images: ["1", 0] } } }),
    ),
  ).toMatch(/paid service/);
});

it("a workflow that the server can no longer run is not listed, and returns with its nodes", async () => {
  await add(textToImage());
  const list = async () =>
    (await Array.fromAsync(comfyui.models(buildContext()))).flat().map(({ id }) => id);
  expect(await list()).toEqual(["w"]);
  comfy.sim.install("VAEDecode", false);
  expect(await list()).toEqual([]);
  comfy.sim.install("VAEDecode", true);
  expect(await list()).toEqual(["w"]);
});

it("a workflow that only displays a value makes text, whatever its other nodes could make", async () => {
  const { "9": _, ...graph } = textToImage();
  graph["40"] = { class_type: "PreviewAny", inputs: { source: ["6", 0] } };
  expect(await add(graph)).toMatchObject({ tasks: ["other"], outputModalities: ["text"] });
  graph["41"] = { class_type: "PreviewImage", inputs: { images: ["8", 0] } };
  expect(await add(graph)).toMatchObject({ tasks: ["image"], outputModalities: ["image"] });
});

const twoSamplers = (title: string) => {
  const graph = textToImage();
  graph["20"] = {
    ...graph["3"]!,
    inputs: { ...graph["3"]!.inputs, latent_image: ["3", 0], steps: 2 },
    _meta: { title },
  };
  graph["8"]!.inputs.samples = ["20", 0];
  return graph;
};

it("a node's fields are grouped, in the order in which the nodes run", async () => {
  const names = Object.keys(propertiesOf(await add(twoSamplers("Second pass"))));
  expect(names.slice(2)).toEqual([
    ...["width", "height", "batch_size"],
    ...["seed", "steps_3", "cfg_3", "denoise_3"],
    ...["seed_20", "steps_20", "cfg_20", "denoise_20"],
    "ckpt_name",
    ...["sampler_name_3", "scheduler_3", "sampler_name_20", "scheduler_20"],
  ]);
});

it("two nodes with the same title are distinguished in the form and in errors", async () => {
  const titles = Object.values(propertiesOf(await add(twoSamplers("KSampler")))).map(
    ({ title }) => title,
  );
  expect(titles).toEqual(
    expect.arrayContaining(["steps (KSampler, node 3)", "steps (KSampler, node 20)"]),
  );
  expect(new Set(titles).size).toBe(titles.length);
});

/** The same graph under other ids. */
const renumbered = (graph: ReturnType<typeof textToImage>) =>
  Object.fromEntries(
    Object.entries(graph).map(([id, { inputs, ...node }]) => {
      const moved = Object.entries(inputs).map(([name, value]) =>
        Array.isArray(value) ? [name, [`1${value[0]}`, value[1]]] : [name, value],
      );
      return [`1${id}`, { ...node, inputs: Object.fromEntries(moved) }];
    }),
  ) as typeof graph;

it("prompt and seed are those of nodes that an output needs, in the form and in the run", async () => {
  const { "9": _, ...unused } = textToImage("an old idea");
  const facts = await add({ ...unused, ...renumbered(textToImage("a lighthouse")) });
  expect(propertiesOf(facts).prompt).toMatchObject({ examples: ["a lighthouse"] });
  expect(Object.keys(propertiesOf(facts))).toEqual(
    expect.arrayContaining(["prompt", "negative_prompt", "seed"]),
  );
  await comfyui.job!.submit(
    {
      runId: "r1",
      task: "image",
      model: { id: "w", inputSchema: facts.inputSchema, capabilities: {} },
      input: { prompt: "a harbour", seed: 7 },
      turns: [],
      files: new Map(),
    },
    buildContext(),
  );
  const sent = comfy.sim.ledger.posts[0]!.body.prompt as ReturnType<typeof textToImage>;
  expect([sent["16"]!.inputs.text, sent["13"]!.inputs.seed]).toEqual(["a harbour", 7]);
  expect(sent["6"]!.inputs.text).toBe("an old idea");
});

it("a cycle of nodes is refused with their names", async () => {
  const graph = textToImage();
  graph["11"] = { class_type: "VAEEncode", inputs: { pixels: ["8", 0], vae: ["4", 2] } };
  graph["3"]!.inputs.latent_image = ["11", 0];
  expect(await messageOf(add(graph))).toBe(
    "These nodes feed each other in a circle: “VAE Decode” → “KSampler” → “VAEEncode” → “VAE Decode”. Break the circle in ComfyUI, then export the workflow again.",
  );
});

it("a link of the wrong type or from a missing output is refused in the graph's terms", async () => {
  const graph = textToImage();
  graph["8"]!.inputs.samples = ["4", 0];
  expect(await messageOf(add(graph))).toBe(
    "“VAE Decode” needs LATENT for “samples”, but “Load Checkpoint” gives MODEL. Connect it again in ComfyUI.",
  );
  graph["8"]!.inputs.samples = ["3", 1];
  expect(await messageOf(add(graph))).toMatch(
    /“VAE Decode” reads “samples” from output 2 of “KSampler”, which has no such output/,
  );
});

it("a missing input is refused, unless only an omitted output needs it", async () => {
  const graph = textToImage();
  delete graph["3"]!.inputs.latent_image;
  expect(await messageOf(add(graph))).toBe(
    "“KSampler” has no “latent image”. Connect it in ComfyUI, then export the workflow again.",
  );
  const other = textToImage();
  other["30"] = { class_type: "SaveAudio", inputs: { filename_prefix: "x" } };
  expect((await add(other)).tasks).toEqual(["image"]);
});

it("a missing checkpoint is chosen again, and a server without any refuses the workflow", async () => {
  const graph = textToImage();
  graph["4"]!.inputs.ckpt_name = "deleted.safetensors";
  expect((await add(graph)).inputSchema?.required).toContain("ckpt_name");
  comfy.sim.empty("CheckpointLoaderSimple", "ckpt_name");
  expect(await messageOf(add(graph))).toBe(
    "This server has no file for “ckpt name” of “Load Checkpoint”. Add one to ComfyUI’s folder of models, then try again.",
  );
});

it("an animated WebP is a picture, as browsers show it", async () => {
  const { "9": _, ...graph } = textToImage();
  graph["9"] = {
    class_type: "SaveAnimatedWEBP",
    inputs: { images: ["8", 0], filename_prefix: "x", fps: 6 },
  };
  expect(await add(graph)).toMatchObject({ tasks: ["image"], outputModalities: ["image"] });
});

it("a seed in a node of its own is the seed, and without a seed the result never varies", async () => {
  const graph = textToImage();
  graph["50"] = { class_type: "PrimitiveInt", inputs: { value: 7 } };
  graph["3"]!.inputs.seed = ["50", 0];
  const facts = await add(graph);
  expect(propertiesOf(facts)).toHaveProperty("seed");
  expect(facts.capabilities).toMatchObject({ seed: true });
  const still = { "1": { class_type: "LoadImage", inputs: { image: "example.png" } } };
  const upscaled = {
    ...still,
    "2": { class_type: "UpscaleModelLoader", inputs: { model_name: "4x.pth" } },
    "3": {
      class_type: "ImageUpscaleWithModel",
      inputs: { upscale_model: ["2", 0], image: ["1", 0] },
    },
    "4": { class_type: "SaveImage", inputs: { images: ["3", 0], filename_prefix: "x" } },
  };
  expect((await add(upscaled)).capabilities).toMatchObject({ deterministic: true });
});
