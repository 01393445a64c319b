import type { JsonObject } from "#contract/json.ts";
import { type Adapter, ProviderError } from "../adapter.ts";
import { isRecord } from "../error-words.ts";
import { ask } from "./call.ts";
import { cancelJob } from "./cancel.ts";
import { describeWorkflow, listWorkflowModels } from "./describe.ts";
import { followJob } from "./follow.ts";
import { parseGraph } from "./graph.ts";
import { findJob, readStanding } from "./jobs.ts";
import { openFile, readResult } from "./result.ts";
import { submitJob, toHandle } from "./submit.ts";

const api = "http://127.0.0.1:8188";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A ComfyUI on one's own machine, through its HTTP and socket API. Protocol and sources: docs/providers/comfyui.md. */
export const comfyui: Adapter = {
  kind: "comfyui",
  name: "ComfyUI",
  summary: "Workflows of one's own for pictures, video and sound, free of charge.",
  docs: "comfyui.md",
  free: true,
  fields: [
    { name: "address", label: "Address", kind: "url", required: false, placeholder: api, hint: "Where ComfyUI listens.", address: "api" },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: false,
      hint: "Only where a proxy in front of ComfyUI asks for one.",
      advanced: true,
    },
    {
      name: "header",
      label: "Header of the key",
      kind: "text",
      required: false,
      placeholder: "Authorization",
      hint: "Another one, where the proxy reads the key from there.",
      advanced: true,
    },
  ],
  addresses: { api },
  tasks: ["image", "edit", "upscale", "background-removal", "video", "music", "speech", "3d", "other"],
  concurrency: 4,
  // Until its owner clears the folder; a preview, until the server is restarted.
  outputLifetimeMs: 30 * 24 * 60 * 60_000,

  async check(context) {
    const { system, devices } = await ask(context, { path: "system_stats" });
    if (!isRecord(system) || !Array.isArray(devices)) {
      throw new ProviderError("provider_protocol", "no", { message: "This server is not ComfyUI." });
    }
    const [device] = devices;
    const version = typeof system.comfyui_version === "string" ? ` ${system.comfyui_version}` : "";
    return { message: `ComfyUI${version}${isRecord(device) && typeof device.name === "string" ? ` on ${device.name}` : ""}` };
  },

  models: listWorkflowModels,
  workflows: { parse: (text) => parseGraph(text) as unknown as JsonObject, describe: describeWorkflow },
  openFile,
  job: {
    submit: submitJob,
    follow: followJob,
    async status(handle, context) {
      const { graph: _, ...status } = await readStanding(handle, context);
      return status;
    },
    result: readResult,
    cancel: cancelJob,
    handleOf: (id) => (uuid.test(id) ? toHandle(id, id) : undefined),
    find: findJob,
  },
};
