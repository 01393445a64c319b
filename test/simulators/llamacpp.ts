import { parseArgs } from "node:util";
import { json } from "./kit/json.ts";
import { type Call, type Refusal, type Simulator, startSimulator } from "./kit/server.ts";
import {
  llamaError,
  parseObject,
  refuseFor,
  type StartedFor,
} from "./openai-compatible/llama-started-for.ts";
import { openAiWire, say } from "./openai-compatible.ts";

type LlamaModel = {
  id: string;
  serves?: StartedFor;
  /** A router's state for the model. */
  state?: "loaded" | "loading" | "sleeping" | "unloaded" | "failed";
  contextPerSlot?: number;
  slots?: number;
  vision?: boolean;
  /** "decisions" for a decision model. */
  gives?: string;
};
export type LlamaOptions = {
  port?: number;
  key?: string | null;
  /** A single model without a router. */
  models?: LlamaModel[];
  isRouter?: boolean;
  /** `--no-models-autoload` */
  autoload?: boolean;
  /** `--no-slots` */
  hasSlots?: boolean;
  isLoading?: boolean;
  /** How often a router lists a model as loading after it began to load it. */
  loadingLists?: number;
  /** Models that a router can't load. */
  broken?: string[];
};
export type LlamaSimulator = Omit<Simulator, "origin"> & {
  url: string;
  key: string;
  /** The models in memory. */
  loaded(): string[];
  /** Whether it is ready or loading its model again. */
  setLoading(isLoading: boolean): void;
};

/** Public paths, without a key (server-http.cpp). */
const publicPaths = new Set(["/health", "/v1/health", "/models", "/v1/models"]);

/**
 * llama.cpp's server according to ggml-org/llama.cpp, tools/server: README.md at 00dc805,
 * server-http.cpp and server-models.cpp at 00dd081. With one model, or a router that loads those of
 * a folder. Strict: an unknown field of a chat and a missing model are refused.
 */
export async function startLlama(options: LlamaOptions = {}): Promise<LlamaSimulator> {
  const { key = null, isRouter = false, autoload = true, hasSlots = true } = options;
  const models = (options.models ?? [{ id: "sim-chat" }]).map(
    (model): Required<LlamaModel> => ({
      serves: "chat",
      state: isRouter ? "unloaded" : "loaded",
      contextPerSlot: 8_192,
      slots: 4,
      vision: false,
      gives: "text",
      ...model,
    }),
  );
  const loadingLists = options.loadingLists ?? 0;
  const loading = new Map<string, number>();
  let isLoading = options.isLoading ?? false;
  const isAuthorized = ({ headers }: Call) =>
    key === null || headers.authorization === `Bearer ${key}`;
  const isUp = ({ state }: LlamaModel) => state === "loaded" || state === "sleeping";
  const openai = openAiWire(
    {
      own: {
        fields: {
          "/chat/completions": {
            more: {
              grammar: (value) => typeof value === "string" && value.includes("::="),
              repeat_penalty: (value) => typeof value === "number",
              mirostat: Number.isInteger,
              cache_prompt: (value) => typeof value === "boolean",
            },
          },
        },
      },
    },
    isAuthorized,
    "/v1",
  );

  const toRow = (model: Required<LlamaModel>) => ({
    id: model.id,
    object: "model",
    created: 1_790_000_000,
    owned_by: "llamacpp",
    architecture: {
      input_modalities: ["text", ...(model.vision ? ["image"] : [])],
      output_modalities: [model.gives],
    },
    ...(isRouter && {
      source: "models_dir",
      status: {
        value: model.state === "failed" ? "unloaded" : model.state,
        args: ["llama-server", "--model", `/srv/models/${model.id}.gguf`],
        ...(model.state === "failed" && { failed: true, exit_code: 1 }),
      },
    }),
    ...(isUp(model) && {
      meta: { n_ctx_train: 131_072, n_embd: 4_096, n_params: 8_030_261_312, size: 4_912_898_304 },
    }),
  });

  /**
   * A request's model, or the reason that it gets none. A router loads it first, unless that is
   * disabled.
   */
  function modelFor(name: unknown, query: URLSearchParams): Required<LlamaModel> | Refusal {
    if (!isRouter) return models[0]!;
    if (!name)
      return llamaError(400, "model name is missing from the request", "invalid_request_error");
    const model = models.find(({ id }) => id === name);
    if (!model) return llamaError(400, `model '${name}' not found`, "invalid_request_error");
    const mayLoad = query.has("autoload") ? query.get("autoload") === "true" : autoload;
    if (!isUp(model)) {
      if (!mayLoad) return llamaError(400, "model is not loaded", "invalid_request_error");
      model.state = "loaded";
    }
    return model;
  }
  const isRefusal = (found: Required<LlamaModel> | Refusal): found is Refusal => "status" in found;

  function replyModels({ response }: Call) {
    json(response, { object: "list", data: models.map(toRow) });
    for (const model of models) {
      const left = loading.get(model.id);
      if (left === undefined) continue;
      loading.set(model.id, left - 1);
      if (left > 1) continue;
      loading.delete(model.id);
      model.state = options.broken?.includes(model.id) ? "failed" : "loaded";
    }
  }

  function replyProps(call: Call) {
    const name = call.url.searchParams.get("model");
    if (isRouter && !name)
      return json(call.response, {
        role: "router",
        max_instances: 4,
        models_autoload: autoload,
        model_alias: "llama-server",
        model_path: "none",
        default_generation_settings: { params: null, n_ctx: 0 },
      });
    const model = modelFor(name, call.url.searchParams);
    if (isRefusal(model)) return say(call, model);
    json(call.response, {
      default_generation_settings: { params: {}, n_ctx: model.contextPerSlot },
      total_slots: model.slots,
      model_alias: model.id,
      model_path: `/srv/models/${model.id}.gguf`,
      modalities: { vision: model.vision, audio: false },
      endpoint_slots: hasSlots,
      is_sleeping: model.state === "sleeping",
    });
  }

  function replySlots(call: Call) {
    const model = modelFor(call.url.searchParams.get("model"), call.url.searchParams);
    if (isRefusal(model)) return say(call, model);
    if (!hasSlots)
      return say(
        call,
        llamaError(
          501,
          "This server does not support slots endpoint. Start it with `--slots`",
          "not_supported_error",
        ),
      );
    // A task like any other, which wakes a sleeping model.
    model.state = "loaded";
    json(
      call.response,
      Array.from({ length: model.slots }, (_, id) => ({
        id,
        n_ctx: model.contextPerSlot,
        is_processing: false,
      })),
    );
  }

  function move(call: Call, to: "loaded" | "unloaded") {
    const model = models.find(({ id }) => id === parseObject(call.body).model);
    if (!model)
      return say(
        call,
        llamaError(to === "loaded" ? 404 : 400, "model is not found", "not_found_error"),
      );
    if (to === "loaded" && isUp(model))
      return say(call, llamaError(400, "model is already running", "invalid_request_error"));
    if (to === "unloaded" && !isUp(model))
      return say(call, llamaError(400, "model is not running", "invalid_request_error"));
    model.state = to;
    if (to === "loaded" && loadingLists > 0) {
      model.state = "loading";
      loading.set(model.id, loadingLists);
    }
    json(call.response, { success: true });
  }

  function answerFree(call: Call): boolean {
    const { method, url, response } = call;
    response.setHeader("server", "llama.cpp");
    const { pathname: path } = url;
    if (isLoading) say(call, llamaError(503, "Loading model", "unavailable_error"));
    else if (!publicPaths.has(path) && !isAuthorized(call))
      say(call, llamaError(401, "Invalid API Key", "authentication_error"));
    else if (method === "GET" && /^(\/v1)?\/models$/.test(path)) replyModels(call);
    else if (method === "GET" && path === "/health") json(response, { status: "ok" });
    else if (method === "GET" && path === "/props") replyProps(call);
    else if (method === "GET" && path === "/slots") replySlots(call);
    else if (method === "POST" && isRouter && path === "/models/load") move(call, "loaded");
    else if (method === "POST" && isRouter && path === "/models/unload") move(call, "unloaded");
    else if (method === "POST" && /^\/v1\/(embeddings|rerank|chat\/completions)$/.test(path)) {
      const refused = refuseEarly(call);
      if (refused) say(call, refused);
      return refused !== null;
    } else say(call, llamaError(404, "File Not Found", "not_found_error"));
    return true;
  }

  function refuseEarly(call: Call): Refusal | null {
    const body = parseObject(call.body);
    const model = modelFor(body.model, call.url.searchParams);
    if (isRefusal(model)) return model;
    // Even a refused request wakes a sleeping model.
    model.state = "loaded";
    return refuseFor(model.serves, call.url.pathname.slice("/v1".length), body);
  }

  const { origin, ...simulator } = await startSimulator({ ...openai, answerFree }, options);
  return {
    ...simulator,
    url: `${origin}/v1`,
    key: key ?? "",
    loaded: () => models.filter(({ state }) => state === "loaded").map(({ id }) => id),
    setLoading: (next) => {
      isLoading = next;
    },
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "9931" }, key: { type: "string" } },
  });
  const llama = await startLlama({
    port: Number(values.port),
    key: values.key ?? null,
    isRouter: true,
    models: [
      { id: "qwen3-8b-Q4_K_M", state: "loaded" },
      { id: "gemma-3-4b-it-Q8_0", vision: true },
      { id: "nomic-embed-text-v1.5", serves: "embedding" },
    ],
  });
  console.log(`llama.cpp simulator at ${llama.url}`);
}
