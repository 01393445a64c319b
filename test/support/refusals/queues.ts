import { comfyui } from "#providers/services/comfyui/adapter.ts";
import { fal } from "#providers/services/fal/adapter.ts";
import { textToImage } from "../../simulators/comfyui/workflows.ts";
import { startComfy } from "../../simulators/comfyui.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { falRefusals, picture, refusalOf, type Said, startQueue } from "./fal.ts";
import { wordOf } from "./jobs.ts";
import { endsWithoutAWord, keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Column, LateRefusal, Refusal } from "./table.ts";

const cells = (row: keyof typeof falRefusals): Refusal[] => [falRefusals[row]].flat() as Refusal[];
const asLate = ({ status, body, headers, code }: Refusal): LateRefusal => ({
  error: { status, body, headers },
  ...(code && { code }),
});

/** A workflow check's errors, node by node. */
const ofNode = (type: string, message: string, details: string, input: string): Refusal => ({
  status: 400,
  body: {
    error: {
      type: "prompt_outputs_failed_validation",
      message: "Prompt outputs failed validation",
      details: "",
      extra_info: {},
    },
    node_errors: {
      "5": {
        errors: [{ type, message, details, extra_info: { input_name: input } }],
        class_type: "EmptyLatentImage",
        dependent_outputs: ["9"],
      },
    },
  },
});
const oneWorker = "It has one worker, and a line before it that is as long as memory.";
const ownMachine = "It runs on one's own machine: there is nothing to be used up.";

export const queueColumns: readonly Column[] = [
  {
    name: "fal",
    adapter: fal,
    reference: "https://docs.fal.ai/model-apis/errors",
    async start() {
      const { fal: sim, ...started } = await startQueue();
      return {
        ...started,
        interrupt: sim.interrupt,
        endJob: (late, id) => id && "error" in late && sim.fail(id, late.error as Said),
      };
    },
    request: picture,
    asks: true,
    before: falRefusals,
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": cells("too long").map(asLate),
      filter: cells("filter").map(asLate),
      "wrong setting": cells("wrong setting").map(asLate),
      "model gone": requestComesFirst,
      overload: cells("overload").map(asLate),
      timeout: cells("timeout").map(asLate),
      // It doesn't bill 5xx and runs the next request elsewhere, so retrying helps.
      "broken server": cells("broken server").map((cell) => ({
        ...asLate(cell),
        code: "provider_overloaded",
      })),
    },
  },
  {
    name: "fal, direct",
    adapter: fal,
    reference: "https://docs.fal.ai/model-apis/errors",
    start: () => startQueue({ runs: "direct" }),
    request: picture,
    before: falRefusals,
    after: "It answers whole: what the model says stands in place of its answer.",
  },
  {
    name: "comfyui",
    adapter: comfyui,
    reference: "https://github.com/comfyanonymous/ComfyUI/blob/master/execution.py",
    async start() {
      const key = "key-of-a-proxy-in-front";
      const sim = await startComfy({ key });
      const workflow = {
        id: "w",
        name: "Mine",
        document: comfyui.workflows!.parse(JSON.stringify(textToImage())),
      };
      return {
        simulator: {
          posts: sim.ledger.posts,
          script: (next) => sim.refuse(refusalOf(next)),
          stop: sim.stop,
        },
        origin: sim.url,
        connection: { kind: "comfyui", addresses: sim.addresses, options: {}, secret: key },
        context: {
          clientToken: "6f9619ff-8b86-4011-b42d-00c04fc964ff",
          workflows: { list: async () => [workflow], get: async () => workflow },
        },
        endJob(late, id) {
          const [name = "", message = ""] = wordOf(late).split(/: (.*)/s);
          if (id === null) sim.fail({ name, message });
        },
      };
    },
    request: buildRequest({
      task: "image",
      model: { id: "w", inputSchema: null, capabilities: {} },
      turns: [],
      input: { prompt: "a harbour" },
    }),
    before: {
      "rate limit": oneWorker,
      "used up": ownMachine,
      "wrong key": { status: 401, body: { error: "unauthorized, says the proxy in front of it" } },
      "missing right": { status: 403, body: { error: "forbidden, says the proxy in front of it" } },
      "too long":
        "A workflow reads no conversation: a text of any length is cut by its own encoder.",
      filter: "It refuses no content: it makes what the workflow says.",
      "wrong setting": [
        ofNode("value_smaller_than_min", "Value 8 smaller than min of 16", "width", "width"),
        ofNode(
          "value_not_in_list",
          "Value not in list",
          "sampler_name: 'x' not in ['euler']",
          "sampler_name",
        ),
      ],
      "model gone": {
        status: 400,
        body: {
          error: {
            type: "missing_node_type",
            message: "Node 'KSampler' not found. The custom node may not be installed.",
            details: "Node ID '#3'",
            extra_info: {},
          },
          node_errors: {},
        },
      },
      overload: {
        status: 503,
        headers: { "content-type": "text/plain" },
        body: "503: the proxy's server is not there",
        isForeign: true,
      },
      timeout: {
        status: 504,
        headers: { "content-type": "text/plain" },
        body: "504: the proxy gave up waiting",
        isForeign: true,
      },
      "broken server": {
        status: 500,
        headers: { "content-type": "text/plain" },
        body: "500 Internal Server Error",
        isForeign: true,
      },
    },
    after: {
      "rate limit": oneWorker,
      "used up": ownMachine,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: "It refuses no content: it makes what the workflow says.",
      "wrong setting": {
        error: "ValueError: height must be a multiple of 8",
        code: "provider_interrupted",
      },
      "model gone": requestComesFirst,
      overload: {
        error: "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory.",
      },
      timeout: endsWithoutAWord,
      "broken server": {
        error: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (77x768 and 2048x640)",
      },
    },
  },
];
