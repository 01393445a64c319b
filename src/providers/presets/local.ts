import { type CallContext, ProviderError } from "../adapter.ts";
import { call } from "../services/openai-compatible/access.ts";
import { readRows } from "../services/openai-compatible/models.ts";
import { baseUrl } from "../wire/connection.ts";
import { isRecord } from "../wire/error-fields.ts";
import { readJson, readOptions } from "../wire/http-errors.ts";
import { llamaParameters, serverParameters } from "../wire/passed-parameters.ts";
import type { Preset } from "./preset.ts";

type Row = Record<string, unknown>;

/** The same server outside /v1, where it states more than the shared API. */
const besideV1 = (context: CallContext): CallContext => {
  const api = baseUrl(context).replace(/\/v1$/, "");
  return {
    ...context,
    connection: { ...context.connection, addresses: { ...context.connection.addresses, api } },
  };
};

/** Reads an endpoint that not every version of a server has; null if it is missing. */
async function readIfThere(context: CallContext, path: string): Promise<unknown> {
  try {
    return await readJson(
      await call(context, path, { method: "GET" }),
      readOptions(context, "GET"),
    );
  } catch (error) {
    const missing =
      error instanceof ProviderError && [403, 404, 405, 501].includes(error.detail.httpStatus ?? 0);
    if (missing || (error instanceof ProviderError && error.code === "provider_protocol"))
      return null;
    throw error;
  }
}

/** https://docs.litellm.ai/docs/proxy: /model/info has what /models does not say. */
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
  const told = await readIfThere(besideV1(context), "/model/info");
  const facts: unknown[] = isRecord(told) && Array.isArray(told.data) ? told.data : [];
  const infos = new Map(
    facts.flatMap((fact) =>
      isRecord(fact) && isRecord(fact.model_info) ? [[fact.model_name, fact.model_info]] : [],
    ),
  );
  return rows.flatMap((row) => {
    const info = infos.get(row.id);
    if (!info) return [row];
    // A mode that there is no task for (rerank, moderation) is left out.
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

/** https://lmstudio.ai/docs/developer/rest: its own list says what kind each model is and how long its context. */
export const lmstudio: Preset = {
  kind: "lmstudio",
  name: "LM Studio",
  summary: "Language models of LM Studio on this machine, free of charge.",
  api: "http://127.0.0.1:1234/v1",
  runs: "here",
  tasks: ["chat", "embedding"],
  quirks: {
    outputLimitField: "max_tokens",
    models: {
      async rows(context) {
        const own = await readIfThere(besideV1(context), "/api/v0/models");
        const rows: unknown[] = isRecord(own) && Array.isArray(own.data) ? own.data : [];
        const known = rows.filter((row): row is Row => isRecord(row) && typeof row.id === "string");
        return known.length > 0 ? known : readRows(context, "/models");
      },
    },
  },
};

/** https://github.com/ggml-org/llama.cpp/tree/master/tools/server: /props and /slots tell the context and how many go at once. */
export const llamacpp: Preset = {
  kind: "llamacpp",
  name: "llama.cpp",
  summary: "A model of llama.cpp's server on this machine, free of charge.",
  api: "http://127.0.0.1:8080/v1",
  runs: "here",
  tasks: ["chat", "embedding"],
  passes: [...serverParameters, ...llamaParameters],
  embedsTokens: true,
  quirks: {
    outputLimitField: "max_tokens",
    chatForm: {
      grammar: {
        type: "string",
        title: "Grammar",
        description: "The GBNF grammar that the answer must follow.",
        "x-rare": true,
      },
    },
    chatFields: ({ input }) =>
      typeof input.grammar === "string" && input.grammar ? { grammar: input.grammar } : {},
    models: { rows: readLlama },
  },
};

async function readLlama(context: CallContext): Promise<Row[]> {
  const rows = await readRows(context, "/models");
  const props = await readIfThere(besideV1(context), "/props");
  const slots = await readIfThere(besideV1(context), "/slots");
  const settings =
    isRecord(props) && isRecord(props.default_generation_settings)
      ? props.default_generation_settings
      : {};
  const slot: unknown = Array.isArray(slots) ? slots[0] : undefined;
  const count = Array.isArray(slots)
    ? slots.length
    : isRecord(props)
      ? props.total_slots
      : undefined;
  // What one question may use: the whole context is shared out among the slots.
  const context_length = (isRecord(slot) ? slot.n_ctx : undefined) ?? settings.n_ctx;
  const vision =
    isRecord(props) && isRecord(props.modalities) ? props.modalities.vision : undefined;
  return rows.map((row) => ({
    ...row,
    context_length,
    ...(typeof count === "number" && {
      runs_at_once: count,
      description:
        count === 1 ? "Answers one question at a time." : `Answers ${count} questions at once.`,
    }),
    ...(typeof vision === "boolean" && { capabilities: { vision } }),
  }));
}

/** https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html: /models has max_model_len. */
export const vllm: Preset = {
  kind: "vllm",
  name: "vLLM",
  summary: "A model of your vLLM server, free of charge.",
  api: "http://127.0.0.1:8000/v1",
  runs: "here",
  tasks: ["chat", "transcription", "embedding"],
  embedsTokens: true,
  quirks: { outputLimitField: "max_tokens" },
};

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
