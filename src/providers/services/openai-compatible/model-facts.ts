import { type Modality, modalities } from "#contract/tasks.ts";
import { dollarsToMicros } from "#domain/money/money.ts";
import type { ModelCapabilities, ModelFacts, ModelPrice } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { releasedAt } from "../../wire/model-list.ts";
import { guessTask, isJudge } from "./guess-task.ts";
import type { OfferedTask } from "./offered-tasks.ts";
import type { Quirks } from "./quirks.ts";
import { inputSchema, transcriptionForm } from "./schemas.ts";

type Row = Record<string, unknown>;

/**
 * Names of kinds and tasks that servers put on a row: Together, LM Studio, Speaches, Hugging Face.
 * "none": the API has no endpoint for it here.
 */
const taskNames: Readonly<Record<string, OfferedTask | "none">> = {
  chat: "chat",
  language: "chat",
  llm: "chat",
  vlm: "chat",
  "text-generation": "chat",
  image: "image",
  "text-to-image": "image",
  embedding: "embedding",
  embeddings: "embedding",
  "feature-extraction": "embedding",
  tts: "speech",
  "text-to-speech": "speech",
  transcription: "transcription",
  transcribe: "transcription",
  "automatic-speech-recognition": "transcription",
  moderation: "none",
  rerank: "none",
  reranker: "none",
  video: "none",
  "text-to-video": "none",
  "image-to-video": "none",
  realtime: "none",
  ocr: "none",
};

const io: Record<OfferedTask, { inputs: Modality[]; outputs: Modality[] }> = {
  chat: { inputs: ["text"], outputs: ["text"] },
  image: { inputs: ["text", "image"], outputs: ["image"] },
  speech: { inputs: ["text"], outputs: ["audio"] },
  transcription: { inputs: ["audio"], outputs: ["text"] },
  embedding: { inputs: ["text"], outputs: ["file"] },
};

/**
 * A model with its prices per unit; the contract's single `price` is null unless there is exactly
 * one.
 */
export type ListedModel = ModelFacts & { prices: ModelPrice[] };

/**
 * Converts a row of GET /models, using only fields that servers send (OpenAI, OpenRouter, vLLM, LM
 * Studio, Mistral, Groq, Together, llama.cpp). If a row doesn't state its task, the model's name
 * decides (guess-task.ts).
 */
export function toModelFacts(
  row: Row,
  stated: { task: OfferedTask; capabilities?: ModelCapabilities },
  source: { host: string; now: number },
  quirks: Pick<Quirks, "forms" | "chatForm" | "models"> = {},
): ListedModel {
  const id = String(row.id);
  const architecture = isRecord(row.architecture) ? row.architecture : {};
  const inputs = modalityList(architecture.input_modalities ?? row.input_modalities);
  const outputs = modalityList(architecture.output_modalities ?? row.output_modalities);
  const { task } = stated;
  const capabilities: ModelCapabilities = {
    ...readCapabilities(row, inputs, architecture.input_modalities),
    ...stated.capabilities,
  };
  const provider = isRecord(row.top_provider) ? row.top_provider : {};
  const meta = isRecord(row.meta) ? row.meta : {};
  if (task === "chat" && outputs.includes("image")) capabilities.imageOutput = true;
  const contextTokens = firstWhole(
    row.context_length,
    row.context_window,
    // LM Studio, for a loaded model: the context it was loaded with.
    row.loaded_context_length,
    row.max_model_len,
    row.max_context_length,
    meta.n_ctx,
    meta.n_ctx_train,
  );
  const outputTokens = firstWhole(
    provider.max_completion_tokens,
    row.max_completion_tokens,
    row.max_output_tokens,
    row.max_output_length,
  );
  const runsAtOnce = firstWhole(row.runs_at_once);
  const prices = readPrices(row.pricing, source);
  return {
    id,
    name: firstText(row.name, row.display_name) ?? fileStem(id) ?? id,
    ...(firstText(row.description) && { description: firstText(row.description) }),
    tasks: [task],
    inputModalities: inputs.length > 0 ? inputs : io[task].inputs,
    outputModalities: outputs.length > 0 ? outputs : io[task].outputs,
    inputSchema:
      quirks.forms?.[task] ??
      (task === "transcription"
        ? transcriptionForm(id)
        : inputSchema(task, capabilities, outputTokens, quirks.chatForm)),
    capabilities,
    limits: {
      ...(contextTokens !== undefined && { contextTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
    },
    price: prices.length === 1 ? prices[0]! : null,
    prices,
    ...(runsAtOnce !== undefined && { runsAtOnce }),
    status:
      row.deprecated === true || row.deprecation_date || row.deprecation ? "deprecated" : "active",
    ...(quirks.models?.datesReleases && releasedAt.seconds(row.created)),
  };
}

/** llama.cpp names a model by its file's path; people see only the file's stem. */
export const fileStem = (id: string): string | undefined =>
  /([^/\\]+?)(?:-\d{5}-of-\d{5})?\.gguf$/i.exec(id)?.[1];

/** Returns the task that a row states; undefined for none. */
function statedTask(row: Row, outputs: unknown): OfferedTask | "none" | undefined {
  for (const name of [row.task, row.type, row.model_type]) {
    if (typeof name === "string" && taskNames[name]) return taskNames[name];
  }
  // Mistral
  if (isRecord(row.capabilities) && row.capabilities.completion_chat === true) return "chat";
  if (isRecord(row.capabilities) && row.capabilities.audio_transcription === true)
    return "transcription";
  if (!Array.isArray(outputs) || outputs.length === 0) return undefined;
  if (outputs.includes("text")) return "chat";
  return outputs.includes("embeddings") ? "embedding" : undefined;
}

/**
 * Whether a row says that its model doesn't chat (Mistral, Fireworks), or returns anything but
 * text.
 */
const isNoChat = (row: Row, outputs: unknown): boolean =>
  (isRecord(row.capabilities) && row.capabilities.completion_chat === false) ||
  row.supports_chat === false ||
  (Array.isArray(outputs) && outputs.length > 0);

/** Returns the task of a row; "none" when the API has no endpoint for the model. */
export function taskOf(row: Row): OfferedTask | "none" {
  const id = String(row.id);
  const outputs =
    (isRecord(row.architecture) ? row.architecture : {}).output_modalities ?? row.output_modalities;
  const stated = statedTask(row, outputs);
  if (stated === "chat" && isJudge(id)) return "none";
  return stated ?? guessTask(id) ?? (isNoChat(row, outputs) ? "none" : "chat");
}

function readCapabilities(row: Row, inputs: Modality[], rawInputs: unknown): ModelCapabilities {
  const stated: ModelCapabilities = {};
  if (inputs.length > 0) {
    stated.imageInput = inputs.includes("image");
    stated.pdfInput = Array.isArray(rawInputs) && rawInputs.includes("file");
  }
  if (Array.isArray(row.supported_parameters)) {
    const takes = (...names: string[]) =>
      names.some((name) => (row.supported_parameters as unknown[]).includes(name));
    stated.tools = takes("tools");
    stated.seed = takes("seed");
    stated.reasoning = takes("reasoning", "reasoning_effort", "include_reasoning");
  }
  if (isRecord(row.capabilities)) {
    const { vision, function_calling, reasoning } = row.capabilities;
    if (typeof vision === "boolean") stated.imageInput = vision;
    if (typeof function_calling === "boolean") stated.tools = function_calling;
    if (typeof reasoning === "boolean") stated.reasoning = reasoning;
  }
  // LM Studio
  if (Array.isArray(row.capabilities)) stated.tools = row.capabilities.includes("tool_use");
  // Fireworks
  if (typeof row.supports_image_input === "boolean") stated.imageInput = row.supports_image_input;
  if (typeof row.supports_tools === "boolean") stated.tools = row.supports_tools;
  if (row.type === "vlm") stated.imageInput = true;
  if (row.type === "llm") stated.imageInput = false;
  return stated;
}

/**
 * Dollars per single unit as decimal strings (OpenRouter). A negative value means "depends" there,
 * and isn't a price.
 */
const priceUnits: Readonly<Record<string, string>> = {
  prompt: "input token",
  completion: "output token",
  request: "request",
  image: "input image",
  input_cache_read: "cached input token",
  internal_reasoning: "reasoning token",
};

function readPrices(pricing: unknown, source: { host: string; now: number }): ModelPrice[] {
  if (!isRecord(pricing)) return [];
  // Together: dollars per million tokens.
  if (
    typeof pricing.input === "number" &&
    typeof pricing.output === "number" &&
    pricing.input + pricing.output > 0
  ) {
    const { input, output } = pricing;
    return Object.entries({ "input token": input, "output token": output }).map(
      ([unit, dollars]) => ({
        unit,
        micros: String(dollars),
        source: source.host,
        at: source.now,
      }),
    );
  }
  const free = Object.keys(priceUnits).every(
    (name) => pricing[name] === undefined || Number(pricing[name]) === 0,
  );
  return Object.entries(priceUnits).flatMap(([name, unit]) => {
    const micros = dollarsToMicros(pricing[name]);
    if (
      micros === null ||
      (micros === "0" && !(free && (name === "prompt" || name === "completion")))
    )
      return [];
    return [{ unit, micros, source: source.host, at: source.now }];
  });
}

const modalityList = (value: unknown): Modality[] =>
  Array.isArray(value)
    ? value.filter((name): name is Modality => (modalities as readonly unknown[]).includes(name))
    : [];
const firstWhole = (...values: unknown[]) =>
  values.find((value): value is number => Number.isInteger(value) && (value as number) > 0);
const firstText = (...values: unknown[]) =>
  values.find((value): value is string => typeof value === "string" && value.trim() !== "");
