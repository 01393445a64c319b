import type { Json } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type InputFile,
  type JobHandle,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { ask, send } from "./call.ts";
import { describe, nameFields, toNodeErrors } from "./errors.ts";
import type { Graph } from "./graph.ts";
import { type OpenInput, openInputs, outputsOf } from "./open-inputs.ts";

/**
 * Uploads the files, then queues the workflow with the form's values in one POST. The attempt's
 * token serves as the requested job id and as the name of our socket, so that a job can be found
 * whose response was lost.
 */
export async function submitJob(request: RunRequest, context: RunContext): Promise<JobHandle> {
  const workflow = await context.workflows?.get(request.model.id);
  if (!workflow)
    throw new ProviderError("model_gone", "no", {
      message: sentences.workflows.removed,
    });
  const saved = workflow.document as Graph;
  const inputs = openInputs(saved, outputsOf(saved, request.model.inputSchema));
  const graph = await fillIn(saved, inputs, request, context);
  const { clientToken } = context;
  const response = await send(context, {
    path: "prompt",
    method: "POST",
    // Requests the server's best previews. By default it makes none, unless it was started with
    // them.
    json: {
      prompt: graph,
      client_id: clientToken,
      prompt_id: clientToken,
      extra_data: { preview_method: "auto" },
    },
    queue: true,
  }).catch((error) => {
    throw error instanceof ProviderError ? nameFields(error, saved, inputs) : error;
  });
  const answer = await readJson(response, readOptions(context, "POST"));
  if (!isRecord(answer) || typeof answer.prompt_id !== "string") {
    throw new ProviderError("outcome_unknown", "unknown", { httpStatus: response.status });
  }
  // The server silently leaves out outputs that it can't make, as long as it can make one.
  for (const error of toNodeErrors(answer.node_errors, context.connection.secret)) {
    context.warn({
      type: "note",
      feature: "outputs",
      message: sentences.workflows.outputLeftOut({ reason: describe(error, saved) }),
    });
  }
  return toHandle(answer.prompt_id, clientToken);
}

export const toHandle = (id: string, clientToken: string): JobHandle => ({
  id,
  urls: { socket: `ws?clientId=${clientToken}` },
});

/** Returns the workflow with the form's values in place of the saved ones. */
async function fillIn(
  saved: Graph,
  inputs: readonly OpenInput[],
  request: RunRequest,
  context: RunContext,
): Promise<Graph> {
  const graph = structuredClone(saved);
  const places = new Map(inputs.map((input) => [input.name, input]));
  const uploaded = new Map<string, string>();
  for (const [name, value] of Object.entries(request.input)) {
    const place = places.get(name);
    if (!place) {
      const message = sentences.workflows.inputGone({ input: name });
      throw new ProviderError("provider_invalid_input", "no", { field: name, message });
    }
    if (value === null || value === "asset:") continue;
    graph[place.nodeId]!.inputs[place.input] = await toValue(value, name, {
      request,
      context,
      uploaded,
    });
  }
  return graph;
}

type Filling = { request: RunRequest; context: RunContext; uploaded: Map<string, string> };

async function toValue(
  value: Json,
  field: string,
  { request, context, uploaded }: Filling,
): Promise<Json> {
  const assetId =
    typeof value === "string" ? /^asset:([0-9a-f-]{36})$/.exec(value)?.[1] : undefined;
  if (!assetId) return value;
  const file = request.files.get(assetId);
  if (!file)
    throw new ProviderError("provider_invalid_input", "no", {
      field,
      message: sentences.files.gone,
    });
  const name = uploaded.get(assetId) ?? (await upload(context, file, field));
  uploaded.set(assetId, name);
  return name;
}

/**
 * Our own folder among the server's inputs. Files are named by their content, so each exists once,
 * however often it is used.
 */
const folder = "bottega";

/**
 * @returns the name by which a node refers to the file. Every node that loads files reads it from
 *   here.
 */
async function upload(context: RunContext, file: InputFile, field: string): Promise<string> {
  const extension =
    /\.[a-z0-9]{1,5}$/i.exec(file.name)?.[0].toLowerCase() ??
    `.${file.mime.split("/")[1]?.replace(/\W.*/, "") ?? "bin"}`;
  const named = { ...file, name: `${file.sha256.slice(0, 32)}${extension}` };
  const { headers, body } = createMultipart([
    ["image", named],
    ["type", "input"],
    ["subfolder", folder],
    ["overwrite", "true"],
  ]);
  const answer = await ask(context, { path: "upload/image", method: "POST", headers, body }).catch(
    (error) => {
      // The workflow itself was not sent, even if the file was.
      throw error instanceof ProviderError
        ? new ProviderError(error.code, "no", inWords(error, file, field), { cause: error })
        : error;
    },
  );
  const { name, subfolder } = answer;
  if (typeof name !== "string")
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.workflows.uploadUnnamed,
    });
  return typeof subfolder === "string" && subfolder ? `${subfolder}/${name}` : name;
}

const megabyte = 1024 ** 2;

/**
 * A server's limit (--max-upload-size, 100 MB) is in its 413 response: "Maximum request body size
 * 104857600 exceeded, …" (aiohttp).
 */
function inWords(
  { detail }: ProviderError,
  { name, bytes }: InputFile,
  field: string,
): ProviderError["detail"] {
  if (detail.httpStatus !== 413) return detail;
  const limit = /size (\d+) exceeded/.exec(detail.providerMessage ?? "")?.[1];
  const file = { file: name, megabytes: Math.ceil(bytes / megabyte) };
  const message = limit
    ? sentences.workflows.fileTooLarge({ ...file, limit: Math.floor(Number(limit) / megabyte) })
    : sentences.workflows.fileTooLargeAnyhow(file);
  return { ...detail, message, field };
}
