import { setTimeout as wait } from "node:timers/promises";
import { makeMp4, makePng, makeWav } from "../fal/media.ts";
import { type ComfyFault, createGate, type Gate } from "./faults.ts";
import type { Graph } from "./validate.ts";

export type Item = {
  number: number;
  id: string;
  graph: Graph;
  extra: Record<string, unknown>;
  outputs: string[];
};
export type Ended = {
  prompt: unknown[];
  outputs: Record<string, unknown>;
  status: Record<string, unknown>;
  meta: Record<string, unknown>;
};
type Tell = (event: string | Uint8Array, data?: Record<string, unknown>, clientId?: string) => void;

export const promptOf = (graph: Graph): string =>
  Object.values(graph)
    .flatMap(({ inputs }) =>
      [inputs.text, inputs.value, inputs.prompt].filter((word) => typeof word === "string"),
    )
    .join(" ");

/** A one-pixel WebP with an animation header; its frames are never decoded here. */
const animatedWebp = (): Uint8Array =>
  Buffer.concat([
    Buffer.from("RIFF"),
    Buffer.from([22, 0, 0, 0]),
    Buffer.from("WEBPVP8X"),
    Buffer.from([10, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  ]);

class Interrupted extends Error {}
const clientOf = (item: Item) =>
  typeof item.extra.client_id === "string" ? item.extra.client_id : undefined;

/** The queue with its single worker, and the history: both in memory, and lost with it. */
export function createWorker(options: {
  stepMs: number;
  stepsAs: "both" | "progress_state";
  faultOf: (prompt: string) => ComfyFault | undefined;
  /** Exceptions for the next samplers. */
  exceptions: { name: string; message: string }[];
  tell: Tell;
  /** Frames a preview for this client. */
  preview: (clientId: string | undefined, promptId: string, picture: Uint8Array) => Uint8Array;
  save: (name: string, bytes: Uint8Array, folder: "output" | "temp") => void;
  drop: (clientId: string | undefined) => void;
}) {
  const { stepMs, faultOf, tell } = options;
  let generation = 0;
  let number = 0;
  let files = 0;
  let waiting: Item[] = [];
  let running: Item | null = null;
  let isInterrupted = false;
  let history = new Map<string, Ended>();
  let cached = new Set<string>();
  const gates = new Map<string, Gate>();
  const released: string[] = [];
  const made: { id: string; prompt: string }[] = [];

  const status = () =>
    tell("status", {
      status: { exec_info: { queue_remaining: waiting.length + (running ? 1 : 0) } },
    });
  const gateOf = (prompt: string) => {
    const gate = gates.get(prompt) ?? createGate();
    gates.set(prompt, gate);
    if (released.some((words) => prompt.includes(words))) gate.open();
    return gate;
  };

  async function work(mine: number): Promise<void> {
    while (running === null && waiting.length > 0 && mine === generation) {
      if (faultOf(promptOf(waiting[0]!.graph)) === "hold-queue") {
        const { graph, id } = waiting[0]!;
        await gateOf(promptOf(graph)).promise;
        if (mine !== generation || waiting[0]?.id !== id) continue;
      }
      const item = waiting.shift()!;
      running = item;
      isInterrupted = false;
      status();
      const messages: unknown[] = [];
      const say = (event: string, data: Record<string, unknown>) => {
        const told = { ...data, prompt_id: item.id, timestamp: Date.now() };
        messages.push([event, told]);
        tell(event, told, clientOf(item));
      };
      let outputs: Record<string, unknown> = {};
      let isGood = true;
      try {
        outputs = await execute(item, say, mine);
      } catch (error) {
        isGood = false;
        const at = { node_id: samplerOf(item.graph), node_type: "KSampler", executed: [] };
        if (error instanceof Interrupted) say("execution_interrupted", at);
        else {
          const { name, message } = error as Error;
          const told = {
            exception_message: `${message}\n`,
            exception_type: name,
            traceback: [],
            current_inputs: {},
            current_outputs: [],
          };
          say("execution_error", { ...at, ...told });
        }
      }
      if (mine !== generation) return;
      const { number, id, graph, extra } = item;
      history.set(id, {
        prompt: [number, id, graph, extra, item.outputs],
        outputs,
        status: { status_str: isGood ? "success" : "error", completed: isGood, messages },
        meta: {},
      });
      running = null;
      status();
      tell("executing", { node: null, prompt_id: id }, clientOf(item));
    }
  }

  async function execute(
    item: Item,
    say: (event: string, data: Record<string, unknown>) => void,
    mine: number,
  ) {
    const { graph, id } = item;
    const prompt = promptOf(graph);
    const fault = faultOf(prompt);
    const client = clientOf(item);
    say("execution_start", {});
    const key = (nodeId: string): string =>
      JSON.stringify([
        graph[nodeId]?.class_type,
        Object.entries(graph[nodeId]?.inputs ?? {}).map(([name, value]) => [
          name,
          Array.isArray(value) ? key(String(value[0])) : value,
        ]),
      ]);
    const known = Object.keys(graph).filter(
      (nodeId) => cached.has(key(nodeId)) && !item.outputs.includes(nodeId),
    );
    say("execution_cached", { nodes: known });
    const outputs: Record<string, unknown> = {};
    for (const nodeId of inOrder(graph, item.outputs)) {
      const node = graph[nodeId]!;
      if (known.includes(nodeId)) continue;
      tell("executing", { node: nodeId, display_node: nodeId, prompt_id: id }, client);
      if (node.class_type === "KSampler") {
        const steps = Math.min(Number(node.inputs.steps), 60);
        for (let step = 1; step <= steps; step++) {
          await wait(stepMs);
          if (mine !== generation) return outputs;
          if (step === Math.ceil(steps / 2)) {
            if (fault === "hold")
              await Promise.race([
                gateOf(prompt).promise,
                untilInterrupted(() => isInterrupted || mine !== generation),
              ]);
            if (fault === "socket-drop") options.drop(client);
            const scripted = options.exceptions.shift();
            if (scripted) throw Object.assign(new Error(scripted.message), { name: scripted.name });
            if (fault === "error")
              throw Object.assign(
                new Error("mat1 and mat2 shapes cannot be multiplied (77x768 and 2048x640)"),
                { name: "RuntimeError" },
              );
            if (fault === "oom")
              throw Object.assign(
                new Error("Allocation on device 0 would exceed allowed memory. (out of memory)"),
                {
                  name: "torch.OutOfMemoryError",
                },
              );
            if (fault === "interrupted") isInterrupted = true;
          }
          if (mine !== generation) return outputs;
          if (isInterrupted) throw new Interrupted();
          if (options.stepsAs === "both")
            tell("progress", { value: step, max: steps, prompt_id: id, node: nodeId }, client);
          tell(
            "progress_state",
            {
              prompt_id: id,
              nodes: {
                // One of one step that has ended, like all nodes that have run so far
                // (comfy_execution/progress.py).
                ...finished(item.graph, nodeId, id),
                [nodeId]: {
                  ...{ value: step, max: steps, state: "running", node_id: nodeId, prompt_id: id },
                  ...{ display_node_id: nodeId, parent_node_id: null, real_node_id: nodeId },
                },
              },
            },
            client,
          );
          if (item.extra.preview_method === "auto")
            tell(
              options.preview(client, id, makePng(`${prompt} ${step}`, 32, 32).bytes),
              undefined,
              client,
            );
        }
      }
      cached.add(key(nodeId));
      const output = fault === "nothing" ? undefined : saved(item, nodeId, fault);
      if (output) {
        outputs[nodeId] = output;
        tell("executed", { node: nodeId, display_node: nodeId, output, prompt_id: id }, client);
      }
    }
    made.push({ id, prompt });
    say("execution_success", {});
    return outputs;
  }

  function saved(
    { graph, outputs }: Item,
    nodeId: string,
    fault: ComfyFault | undefined,
  ): Record<string, unknown> | undefined {
    if (!outputs.includes(nodeId)) return undefined;
    const { class_type: type, inputs } = graph[nodeId]!;
    const sampler = Object.values(graph).find((node) => node.class_type === "KSampler")?.inputs;
    const latent = Object.values(graph).find((node) => node.class_type === "EmptyLatentImage")
      ?.inputs ?? {
      width: 64,
      height: 64,
      batch_size: 1,
    };
    const words = `${promptOf(graph)} ${sampler?.seed}`;
    const keep = (
      name: string,
      bytes: Uint8Array,
      folder: "output" | "temp" = "output",
      subfolder = "",
    ) => {
      if (fault !== "output-404")
        options.save(`${subfolder ? `${subfolder}/` : ""}${name}`, bytes, folder);
      return { filename: name, subfolder, type: folder };
    };
    const count = String(++files).padStart(5, "0");
    if (type === "SaveImage" || type === "PreviewImage") {
      const folder = type === "SaveImage" ? "output" : "temp";
      return {
        images: Array.from({ length: Number(latent.batch_size) }, (_, index) => {
          const picture = makePng(`${words} ${index}`, Number(latent.width), Number(latent.height));
          return keep(
            `${inputs.filename_prefix ?? "temp"}_${count}_${index}_.png`,
            picture.bytes,
            folder,
          );
        }),
      };
    }
    if (type === "SaveVideo")
      return {
        images: [keep(`ComfyUI_${count}_.mp4`, makeMp4(words, 2).bytes, "output", "video")],
        animated: [true],
      };
    if (type === "SaveAnimatedWEBP")
      return {
        images: [keep(`ComfyUI_${count}_.webp`, animatedWebp(), "output")],
        animated: [true],
      };
    if (type === "SaveAudio")
      return { audio: [keep(`ComfyUI_${count}_.wav`, makeWav(words, 1).bytes, "output", "audio")] };
    return type === "PreviewAny" ? { text: [promptOf(graph)] } : undefined;
  }

  return {
    made,
    put(item: Omit<Item, "number">) {
      const entry = { ...item, number: number++ };
      waiting.push(entry);
      status();
      void work(generation);
      return entry.number;
    },
    queue: () => ({ running: running ? [running] : [], waiting }),
    history: () => history,
    remove(id: string) {
      const before = waiting.length;
      waiting = waiting.filter((item) => item.id !== id);
      status();
      return waiting.length < before;
    },
    interrupt(id?: string) {
      if (!running || (id !== undefined && running.id !== id)) return false;
      isInterrupted = true;
      return true;
    },
    release(words: string) {
      released.push(words);
      for (const [prompt, gate] of gates) if (prompt.includes(words)) gate.open();
    },
    /** Clears everything in memory. */
    forget() {
      generation++;
      number = 0;
      waiting = [];
      running = null;
      history = new Map();
      cached = new Set();
      for (const gate of gates.values()) gate.open();
      gates.clear();
    },
  };
}

function finished(graph: Graph, nodeId: string, promptId: string): Record<string, unknown> {
  const [first] = Object.keys(graph).filter((id) => id !== nodeId);
  return first
    ? { [first]: { value: 1, max: 1, state: "finished", node_id: first, prompt_id: promptId } }
    : {};
}

async function untilInterrupted(isOver: () => boolean): Promise<void> {
  while (!isOver()) await wait(5);
}

const samplerOf = (graph: Graph) =>
  Object.keys(graph).find((id) => graph[id]!.class_type === "KSampler") ?? Object.keys(graph)[0];

/** A node's dependencies in order, before the node. */
function inOrder(graph: Graph, outputs: readonly string[]): string[] {
  const order: string[] = [];
  const visit = (id: string) => {
    if (order.includes(id)) return;
    for (const value of Object.values(graph[id]?.inputs ?? {}))
      if (Array.isArray(value)) visit(String(value[0]));
    order.push(id);
  };
  for (const id of outputs) visit(id);
  return order;
}
