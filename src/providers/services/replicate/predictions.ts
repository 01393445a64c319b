import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobAdapter,
  type JobHandle,
  type JobStatus,
  ProviderError,
} from "../../adapter.ts";
import { answerer } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { toWordedError } from "../../wire/http-errors.ts";
import { isGone, lostJob } from "../../wire/job-errors.ts";
import { jsonBody } from "../../wire/service-api.ts";
import { api, codeOfFailure, modelPath } from "./access.ts";
import { toInput } from "./input.ts";
import { outputLifetimeMs } from "./kind.ts";
import { splitOutput } from "./output.ts";

type Prediction = Record<string, unknown>;

/**
 * Predictions (https://replicate.com/docs/reference/http#predictions.create). The key goes only to
 * the connection's own address, because paths are built from the id.
 */
export const job: JobAdapter = {
  async submit(request, context) {
    const input = await toInput(request, context);
    const version = request.model.inputSchema?.["x-version"];
    const [path, body] =
      typeof version === "string"
        ? ["/v1/predictions", { version, input }]
        : [`${modelPath(request.model.id)}/predictions`, { input }];
    const { id } = await api.callObject(context, path, { method: "POST", ...jsonBody(body) });
    if (isId(id)) return { id, urls: {} };
    throw new ProviderError("outcome_unknown", "unknown");
  },
  status: async (handle, context) => toStatus(await ask(handle, context)),
  async result(handle, context) {
    const prediction = await ask(handle, context);
    if (prediction.status !== "succeeded") throw toFailure(prediction, context);
    if (prediction.data_removed === true) {
      throw new ProviderError("output_unavailable", "yes", {
        message: sentences.runs.outputRemoved,
        final: true,
        billed: true,
      });
    }
    const doneAt =
      typeof prediction.completed_at === "string"
        ? Date.parse(prediction.completed_at)
        : Number.NaN;
    const { files, result } = splitOutput(
      prediction.output,
      Number.isFinite(doneAt) ? doneAt + outputLifetimeMs : undefined,
    );
    const metrics = isRecord(prediction.metrics) ? prediction.metrics : {};
    const count = (name: string, unit: string) =>
      typeof metrics[name] === "number" ? { [unit]: String(metrics[name]) } : {};
    return {
      files,
      result,
      usage: {
        units: { ...count("predict_time", "compute seconds"), ...count("image_count", "images") },
      },
    };
  },
  async cancel(handle, context) {
    try {
      return hasStopped(await ask(handle, context, "/cancel"));
    } catch (error) {
      if (error instanceof ProviderError && (error.detail.final ?? error.detail.gone) === true)
        return false;
      throw error;
    }
  },
  handleOf: (id) => (isId(id) ? { id, urls: {} } : undefined),
  idField: "id",
};

const isId = (id: unknown): id is string => typeof id === "string" && /^[a-z0-9]{10,40}$/.test(id);
const hasStopped = ({ status }: Prediction) => status === "canceled" || status === "aborted";

/** Returns the prediction in its current state, or as canceled. A missing one is final. */
async function ask({ id }: JobHandle, context: CallContext, action = ""): Promise<Prediction> {
  try {
    return await api.callObject(context, `/v1/predictions/${id}${action}`, {
      method: action ? "POST" : "GET",
      isFree: true,
    });
  } catch (error) {
    throw isGone(error) ? lostJob(error) : error;
  }
}

const states: Readonly<Record<string, JobStatus["state"]>> = {
  starting: "queued",
  processing: "running",
  succeeded: "done",
  failed: "done",
  canceled: "done",
  aborted: "done",
};

function toStatus({ status, logs }: Prediction): JobStatus {
  const state = states[String(status)];
  if (!state)
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.runs.unknownStatusOf({ provider: "Replicate" }),
    });
  const lines =
    typeof logs === "string" ? logs.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== "") : [];
  const progress = progressIn(lines);
  return {
    state,
    ...(state === "running" && progress && { progress }),
    ...(lines.length > 0 && { logs: lines.map((message) => ({ message })) }),
  };
}

/** Parses the last bar of tqdm, which most models print: `40%|████      | 8/20 [00:01<00:02]`. */
function progressIn(lines: readonly string[]): JobStatus["progress"] {
  const [, done, total] =
    lines
      .map((line) => /\d+%\|[^|]*\|\s*(\d+)\/(\d+)/.exec(line))
      .findLast((match) => match !== null) ?? [];
  return done === undefined || !(Number(total) > 0)
    ? undefined
    : { done: Number(done), total: Number(total) };
}

/**
 * Builds the error of an unsuccessful prediction. Its running time may be billed; the cost is
 * unknown.
 */
function toFailure(prediction: Prediction, context: CallContext): ProviderError {
  if (prediction.status !== "failed" && !hasStopped(prediction)) {
    return new ProviderError("provider_protocol", "yes", {
      message: sentences.runs.predictionNotReady,
    });
  }
  const message = hasStopped(prediction)
    ? sentences.runs.predictionCanceled
    : String(prediction.error ?? "");
  const { code, detail } = toWordedError(
    codeOfFailure(message),
    "yes",
    { message },
    answerer(context),
  );
  return new ProviderError(code, "yes", { ...detail, final: true, billed: true });
}
