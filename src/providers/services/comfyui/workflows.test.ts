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

it("what the server can't run any more is no model, and comes back with its nodes", async () => {
  await add(textToImage());
  const list = async () =>
    (await Array.fromAsync(comfyui.models(buildContext()))).flat().map(({ id }) => id);
  expect(await list()).toEqual(["w"]);
  comfy.sim.install("VAEDecode", false);
  expect(await list()).toEqual([]);
  comfy.sim.install("VAEDecode", true);
  expect(await list()).toEqual(["w"]);
});

it("a workflow that only shows a value as text makes text, no matter what else its nodes could make", async () => {
  const { "9": _, ...graph } = textToImage();
  graph["40"] = { class_type: "PreviewAny", inputs: { source: ["6", 0] } };
  expect(await add(graph)).toMatchObject({ tasks: ["other"], outputModalities: ["text"] });
  graph["41"] = { class_type: "PreviewImage", inputs: { images: ["8", 0] } };
  expect(await add(graph)).toMatchObject({ tasks: ["image"], outputModalities: ["image"] });
});
