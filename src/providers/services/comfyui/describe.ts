import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Modality, Task } from "#contract/tasks.ts";
import type { CallContext, ModelFacts, Workflow } from "../../adapter.ts";
import { checkOutputs } from "./check.ts";
import { type FileKind, type Form, toForm } from "./form.ts";
import { type Graph, titleOf } from "./graph.ts";
import { type NodeInfos, readNodeInfos } from "./node-info.ts";

const refuse = (message: string) => new Problem("invalid_input", { field: "workflow", message });

/**
 * Returns the model of a workflow on this server.
 * @throws Problem invalid_input with the reason when it can't run there
 */
export async function describeWorkflow(
  workflow: Workflow,
  context: CallContext,
): Promise<ModelFacts> {
  const graph = workflow.document as Graph;
  const infos = await readNodeInfos(context, typesOf(graph));
  const problem = whyNot(graph, infos);
  if (problem) throw refuse(problem);
  return toFacts(workflow, graph, infos, context.clock.now());
}

/** Reads the node types that the server has now, each requested once. */
export async function* listWorkflowModels(context: CallContext): AsyncIterable<ModelFacts[]> {
  const workflows = (await context.workflows?.list()) ?? [];
  const graphs = workflows.map(({ document }) => document as Graph);
  const infos = await readNodeInfos(context, graphs.flatMap(typesOf));
  const at = context.clock.now();
  yield workflows.flatMap((workflow, index) =>
    whyNot(graphs[index]!, infos) ? [] : [toFacts(workflow, graphs[index]!, infos, at)],
  );
}

const typesOf = (graph: Graph): string[] => Object.values(graph).map((node) => node.class_type);

function whyNot(graph: Graph, infos: NodeInfos): string | null {
  const unknown = [...new Set(typesOf(graph))].filter((type) => !infos.has(type));
  if (unknown.length > 0) {
    const [shown, more] = [unknown.slice(0, 5).map((type) => `“${type}”`), unknown.length - 5];
    const names = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    return sentences.workflows.nodesMissing({ count: unknown.length, nodes: names });
  }
  const ids = Object.keys(graph);
  const infoOf = (id: string) => infos.get(graph[id]!.class_type);
  const paid = ids.find((id) => infoOf(id)?.isPaid);
  if (paid) return sentences.workflows.paidNode({ node: titleOf(graph, paid) });
  if (!ids.some((id) => infoOf(id)?.isOutput)) return sentences.workflows.savesNothing;
  const { made, fault } = checkOutputs(graph, infos);
  return made.length > 0 ? null : fault;
}

function toFacts({ id, name }: Workflow, graph: Graph, infos: NodeInfos, at: number): ModelFacts {
  const { made } = checkOutputs(graph, infos);
  const form = toForm(graph, infos, made);
  const output = outputOf(made.map((nodeId) => graph[nodeId]!.class_type));
  const properties = form.schema.properties as JsonObject;
  return {
    id,
    name,
    description: describeIn(graph, infos),
    tasks: tasksOf(output, form, typesOf(graph)),
    inputModalities: [
      ...(form.hasPrompt ? (["text"] as const) : []),
      ...new Set(form.files.map(toModality)),
    ],
    outputModalities: [output],
    inputSchema: form.schema,
    // The server returns the previous result when nothing differs: without a seed, on every
    // request.
    capabilities: {
      preview: true,
      ...("seed" in properties ? { seed: true } : { deterministic: true }),
    },
    limits: {},
    price: { unit: "request", micros: "0", source: "comfyui", at },
    status: "active",
  };
}

const toModality = (kind: FileKind): Modality => kind;

/** Nodes that show any value as text, by their names in ComfyUI and its packages. */
const showsText = /text|string|previewany|showany|displayany/i;

/**
 * Guesses the output type by the names of the saving nodes, because nothing else in the protocol
 * tells.
 */
function outputOf(saves: readonly string[]): Modality {
  // A preview isn't a result if a file is saved, and text isn't one if a picture is.
  const kept = saves.filter((type) => !/preview/i.test(type));
  const shown = kept.length > 0 ? kept : saves;
  const media = shown.filter((type) => !showsText.test(type));
  if (shown.length > 0 && media.length === 0) return "text";
  const names = media.join(" ");
  // Browsers show an animated WebP, PNG or GIF as a picture, and play none of them as a video.
  if (/video|webm|mp4|vhs_/i.test(names)) return "video";
  if (/audio|sound|music/i.test(names)) return "audio";
  return /glb|3d|mesh|gaussian/i.test(names) ? "3d" : "image";
}

function tasksOf(output: Modality, { files, hasPrompt }: Form, types: readonly string[]): Task[] {
  const has = (pattern: RegExp) => types.some((type) => pattern.test(type));
  if (output === "video") return ["video"];
  if (output === "3d") return ["3d"];
  if (output === "audio") return [has(/tts|speech|voice/i) ? "speech" : "music"];
  if (output === "text") return ["other"];
  if (!files.includes("image")) return ["image"];
  if (!hasPrompt && has(/rembg|removebackground|background.?removal|birefnet/i))
    return ["background-removal"];
  if (!hasPrompt && has(/upscale/i)) return ["upscale"];
  return ["edit"];
}

/** Describes a workflow by the nodes that load its models. */
function describeIn(graph: Graph, infos: NodeInfos): string {
  const files = Object.values(graph).flatMap(({ class_type: type, inputs }) =>
    Object.entries(inputs).flatMap(([input, value]) =>
      /(ckpt|unet|model|diffusion)_name$/.test(input) &&
      typeof value === "string" &&
      infos.get(type)?.inputs.has(input)
        ? [value]
        : [],
    ),
  );
  const loaded = [...new Set(files)]
    .slice(0, 3)
    .map((path) => path.replace(/^.*[\\/]/, "").replace(/\.(safetensors|ckpt|gguf|sft|pth)$/, ""));
  return `ComfyUI workflow of ${Object.keys(graph).length} nodes${loaded.length > 0 ? ` with ${loaded.join(", ")}` : ""}`;
}
