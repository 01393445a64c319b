import type { CallContext } from "../adapter.ts";
import { readRows } from "../services/openai-compatible/models.ts";
import { isRecord } from "../wire/error-fields.ts";
import type { Row } from "../wire/model-list.ts";
import { serverParameters } from "../wire/passed-parameters.ts";
import { samplingFields, samplingForm } from "../wire/sampling.ts";
import type { Preset } from "./preset.ts";
import { readOptional, serverRoot } from "./server-root.ts";

/** https://docs.litellm.ai/docs/proxy: /model/info has facts that /models lacks. */
export const litellm: Preset = {
  kind: "litellm",
  name: "LiteLLM",
  summary: "Your gateway to many services, with its own cost tracking.",
  api: "http://127.0.0.1:4000/v1",
  runs: "gateway",
  tasks: ["chat", "image", "speech", "transcription", "embedding"],
  keyHint: "A virtual key of the gateway.",
  environmentKey: "LITELLM_API_KEY",
  quirks: {
    outputLimitField: "max_tokens",
    costHeader: "x-litellm-response-cost",
    models: { rows: readGateway },
  },
};

const modes: Readonly<Record<string, string>> = {
  chat: "chat",
  completion: "chat",
  responses: "chat",
  image_generation: "image",
  audio_speech: "tts",
  audio_transcription: "transcription",
  embedding: "embedding",
};

async function readGateway(context: CallContext): Promise<Row[]> {
  const rows = await readRows(context, "/models");
  const modelInfo = await readOptional(serverRoot(context), "/model/info");
  const facts: unknown[] =
    isRecord(modelInfo) && Array.isArray(modelInfo.data) ? modelInfo.data : [];
  const infos = new Map(
    facts.flatMap((fact) =>
      isRecord(fact) && isRecord(fact.model_info) ? [[fact.model_name, fact.model_info]] : [],
    ),
  );
  return rows.flatMap((row) => {
    const info = infos.get(row.id);
    if (!info) return [row];
    // A mode without a task (rerank, moderation) is left out.
    const type = typeof info.mode === "string" ? modes[info.mode] : "chat";
    if (!type) return [];
    const pricing = {
      prompt: toText(info.input_cost_per_token),
      completion: toText(info.output_cost_per_token),
    };
    return [
      {
        ...row,
        type,
        context_length: info.max_input_tokens,
        max_output_tokens: info.max_output_tokens,
        ...(pricing.prompt && pricing.completion && { pricing }),
        capabilities: {
          vision: info.supports_vision,
          function_calling: info.supports_function_calling,
          reasoning: info.supports_reasoning,
        },
      },
    ];
  });
}

const toText = (price: unknown) =>
  typeof price === "number" && price > 0 ? price.toFixed(12) : undefined;

/** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, "Extra parameters". */
const vllmParameters = [
  "structured_outputs",
  "min_tokens",
  "stop_token_ids",
  "bad_words",
  "allowed_token_ids",
  "ignore_eos",
  "length_penalty",
  "skip_special_tokens",
  "truncate_prompt_tokens",
  "priority",
  "thinking_token_budget",
] as const;

/**
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html: /models has max_model_len.
 */
export const vllm: Preset = {
  kind: "vllm",
  name: "vLLM",
  summary: "A model of your vLLM server, free of charge.",
  api: "http://127.0.0.1:8000/v1",
  runs: "here",
  tasks: ["chat", "transcription", "embedding"],
  embedsTokens: true,
  passes: [...serverParameters, ...vllmParameters],
  quirks: {
    outputLimitField: "max_tokens",
    chatForm: samplingForm,
    chatFields: ({ input }) => samplingFields(input, { repeatPenalty: "repetition_penalty" }),
    models: { rows: readVllm },
  },
};

/**
 * A server registers only the paths that its model supports. Up to 0.10 it registered all of them,
 * and then the model's name decides.
 */
async function readVllm(context: CallContext): Promise<Row[]> {
  const rows = await readRows(context, "/models");
  const { paths } = recordOf(await readOptional(serverRoot(context), "/openapi.json"));
  const has = (path: string): boolean => isRecord(paths) && Object.hasOwn(paths, `/v1/${path}`);
  const does = [
    ...(has("chat/completions") ? ["chat"] : []),
    ...(has("embeddings") ? ["embedding"] : []),
    ...(has("audio/transcriptions") ? ["transcription"] : []),
  ];
  if (!isRecord(paths)) return rows;
  // A model that neither writes, transcribes nor embeds is one that ranks or classifies.
  if (does.length === 0) return rows.map((row) => ({ ...row, task: "rerank" }));
  const isOld = has("chat/completions") && has("embeddings");
  return isOld ? rows : rows.map((row) => ({ ...row, task: does[0] }));
}

const recordOf = (value: unknown): Row => (isRecord(value) ? value : {});

/** https://localai.io */
export const localai: Preset = {
  kind: "localai",
  name: "LocalAI",
  summary: "Models of LocalAI on this machine, free of charge.",
  api: "http://127.0.0.1:8080/v1",
  runs: "here",
  tasks: ["chat", "image", "speech", "transcription", "embedding"],
  quirks: { outputLimitField: "max_tokens" },
};
