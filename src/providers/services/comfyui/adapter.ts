import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Adapter, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { ask } from "./call.ts";
import { cancelJob } from "./cancel.ts";
import { describeWorkflow, listWorkflowModels } from "./describe.ts";
import { followJob } from "./follow.ts";
import { parseGraph } from "./graph.ts";
import { findJob, readJobState } from "./jobs.ts";
import { comfyuiKind } from "./kind.ts";
import { openFile, readResult } from "./result.ts";
import { submitJob, toHandle } from "./submit.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const comfyui: Adapter = {
  ...comfyuiKind,
  async check(context) {
    const { system, devices } = await ask(context, { path: "system_stats" });
    if (!isRecord(system) || !Array.isArray(devices)) {
      throw new ProviderError("provider_protocol", "no", {
        message: sentences.workflows.notComfy,
      });
    }
    const [device] = devices;
    const version = typeof system.comfyui_version === "string" ? ` ${system.comfyui_version}` : "";
    return {
      message: `ComfyUI${version}${isRecord(device) && typeof device.name === "string" ? ` on ${device.name}` : ""}`,
    };
  },
  models: listWorkflowModels,
  workflows: { parse: (text) => parseGraph(text) as JsonObject, describe: describeWorkflow },
  openFile,
  job: {
    submit: submitJob,
    follow: followJob,
    async status(handle, context) {
      const { graph: _, ...status } = await readJobState(handle, context);
      return status;
    },
    result: readResult,
    cancel: cancelJob,
    handleOf: (id) => (uuid.test(id) ? toHandle(id, id) : undefined),
    find: findJob,
  },
};
