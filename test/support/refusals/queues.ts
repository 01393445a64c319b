import { comfyui } from "#providers/comfyui/adapter.ts";
import { fal } from "#providers/fal/adapter.ts";
import { textToImage } from "../../simulators/comfyui/workflows.ts";
import { startComfy } from "../../simulators/comfyui.ts";
import { startFal } from "../../simulators/fal.ts";
import type { Behaviour } from "../../simulators/kit/behaviour.ts";
import { buildRequest } from "../attempt.ts";
import { wordOf } from "./jobs.ts";
import { endsWithoutAWord, keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Cells, Column, LateRefusal, Refusal, Started } from "./table.ts";

type Said = { status: number; body: unknown; headers?: Record<string, string> };
/** Of a simulator that knows no behaviours: the refusal that one is. */
const refusalOf = ({ fault }: Behaviour): Said => {
  if (fault?.kind !== "status") throw new Error("Only a refusal can be scripted here.");
  return { status: fault.status, body: fault.body, ...(fault.headers && { headers: fault.headers }) };
};

/** A model says what is wrong with its input. */
const ofModel = (status: number, type: string, msg: string, ...loc: string[]): Refusal => ({
  status,
  headers: { "x-fal-retryable": "false" },
  body: { detail: [{ loc: ["body", ...loc], msg, type }] },
  ...(loc.length > 0 && { field: loc.join(".") }),
});
/** The platform says why it could not be run. */
const ofPlatform = (status: number, type: string, detail: string): Refusal => ({
  status,
  headers: { "x-fal-error-type": type },
  body: { detail, error_type: type },
});
const asLate = ({ status, body, headers, code }: Refusal): LateRefusal => ({ error: { status, body, headers }, ...(code && { code }) });

const falRefusals: Cells<Refusal> = {
  "rate limit": { status: 429, body: { detail: "Too many requests, slow down" }, headers: { "retry-after": "2" }, waitMs: 2_000 },
  "used up": {
    status: 403,
    body: { detail: "User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing." },
  },
  "wrong key": {
    status: 401,
    body: { detail: "Cannot access application 'sim/flux'. Authentication is required to access this application." },
  },
  "missing right": { status: 403, body: { detail: "This key has no permission to run this application." } },
  "too long": {
    ...ofModel(422, "string_too_long", "String should have at most 5000 characters", "prompt"),
    // One field, and not a conversation.
    code: "provider_invalid_input",
  },
  filter: ofModel(422, "content_policy_violation", "The content could not be processed because it was flagged.", "prompt"),
  "wrong setting": [
    ofModel(422, "less_than", "Input should be less than 14142", "image_size", "width"),
    ofModel(422, "image_load_error", "Failed to load the image. Please ensure the image file is not corrupted.", "image_url"),
    ofPlatform(400, "bad_request", "The request could not be parsed."),
  ],
  "model gone": { status: 404, body: { detail: "Application 'sim/flux' not found" } },
  overload: [
    ofPlatform(503, "runner_scheduling_failure", "No runner could be allocated"),
    ofPlatform(503, "runner_disconnected", "The runner disconnected unexpectedly"),
    ofModel(503, "downstream_service_unavailable", "The service behind this model is unavailable."),
  ],
  timeout: [
    ofPlatform(504, "request_timeout", "Request timed out"),
    ofPlatform(504, "startup_timeout", "The runner did not start in time"),
    ofModel(504, "generation_timeout", "The generation timed out."),
  ],
  "broken server": [
    ofPlatform(500, "internal_error", "Internal error, sorry"),
    ofModel(500, "internal_server_error", "Internal server error"),
  ],
};
const cells = (row: keyof typeof falRefusals): Refusal[] => [falRefusals[row]].flat() as Refusal[];

async function startQueue(options: Record<string, string> = {}): Promise<Started & { fal: Awaited<ReturnType<typeof startFal>> }> {
  const sim = await startFal();
  return {
    fal: sim,
    simulator: { posts: sim.ledger.posts, script: (next) => sim.refuse(refusalOf(next)), stop: sim.stop },
    origin: sim.url,
    connection: { kind: "fal", addresses: sim.addresses, options, secret: sim.key },
  };
}

const picture = buildRequest({
  task: "image",
  model: { id: "sim/flux/dev", inputSchema: null, capabilities: {} },
  turns: [],
  input: { prompt: "a fox" },
});

/** What the check of a workflow says, node by node. */
const ofNode = (type: string, message: string, details: string, input: string): Refusal => ({
  status: 400,
  body: {
    error: { type: "prompt_outputs_failed_validation", message: "Prompt outputs failed validation", details: "", extra_info: {} },
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
      return { ...started, interrupt: sim.interrupt, endJob: (late, id) => id && "error" in late && sim.fail(id, late.error as Said) };
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
      // It bills no 5xx and runs the next one elsewhere: trying again is what helps.
      "broken server": cells("broken server").map((cell) => ({ ...asLate(cell), code: "provider_overloaded" })),
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
      const workflow = { id: "w", name: "Mine", document: comfyui.workflows!.parse(JSON.stringify(textToImage())) };
      return {
        simulator: { posts: sim.ledger.posts, script: (next) => sim.refuse(refusalOf(next)), stop: sim.stop },
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
      "too long": "A workflow reads no conversation: a text of any length is cut by its own encoder.",
      filter: "It refuses no content: it makes what the workflow says.",
      "wrong setting": [
        ofNode("value_smaller_than_min", "Value 8 smaller than min of 16", "width", "width"),
        ofNode("value_not_in_list", "Value not in list", "sampler_name: 'x' not in ['euler']", "sampler_name"),
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
      overload: { status: 503, headers: { "content-type": "text/plain" }, body: "503: the proxy's server is not there" },
      timeout: { status: 504, headers: { "content-type": "text/plain" }, body: "504: the proxy gave up waiting" },
      "broken server": { status: 500, headers: { "content-type": "text/plain" }, body: "500 Internal Server Error" },
    },
    after: {
      "rate limit": oneWorker,
      "used up": ownMachine,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: "It refuses no content: it makes what the workflow says.",
      "wrong setting": { error: "ValueError: height must be a multiple of 8", code: "provider_interrupted" },
      "model gone": requestComesFirst,
      overload: { error: "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory." },
      timeout: endsWithoutAWord,
      "broken server": { error: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (77x768 and 2048x640)" },
    },
  },
];
