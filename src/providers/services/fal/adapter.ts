import { sentences } from "#contract/sentences/index.ts";
import type { Adapter } from "../../adapter.ts";
import { ProviderError } from "../../adapter.ts";
import { callFal, falUrl, readJson } from "./call.ts";
import { listBilled } from "./catalog/billing.ts";
import { listModels } from "./catalog/models.ts";
import { runDirectly } from "./direct/direct.ts";
import { isStreamed, runStreamed } from "./direct/stream.ts";
import { openPrivateFile } from "./files/file-access.ts";
import { falKind } from "./kind.ts";
import { realtime } from "./live/realtime.ts";
import { cancelJob } from "./queue/cancel.ts";
import { readResult } from "./queue/result.ts";
import { followStatus, readStatus } from "./queue/status.ts";
import { submitJob } from "./queue/submit.ts";
import { handleOf, verifyWebhook } from "./queue/webhook.ts";

export const fal: Adapter = {
  ...falKind,
  /** Reads prices, which require a key and are free; the model list would answer without a key. */
  async check(context) {
    const url = falUrl(context, "api", "v1/models/pricing");
    url.searchParams.set("endpoint_id", "fal-ai/flux/dev");
    try {
      await readJson(await callFal(context, url, { phase: "list" }), "list");
    } catch (error) {
      // The model doesn't exist here, but the key was accepted.
      if (!(error instanceof ProviderError) || error.detail.reason !== "not_found") throw error;
    }
    return { message: sentences.fal.keyAccepted };
  },
  models: listModels,
  answer: (request, context) =>
    (isStreamed(context.connection.options, request.model.id) ? runStreamed : runDirectly)(
      request,
      context,
    ),
  realtime,
  openFile: openPrivateFile,
  prefersAnswer: (options, { modelId }) =>
    options.runs === "direct" || isStreamed(options, modelId),
  job: {
    submit: submitJob,
    follow: followStatus,
    status: readStatus,
    result: readResult,
    cancel: cancelJob,
    handleOf,
    idField: "request_id",
  },
  webhook: { verify: verifyWebhook },
  bills: { list: listBilled },
};
