import { json } from "./kit/json.ts";
import { type Call, type Simulator, startSimulator } from "./kit/server.ts";
import { parseObject } from "./openai-compatible/llama-started-for.ts";
import { openAiWire, refusal, say } from "./openai-compatible.ts";

export type StudioModel = {
  key: string;
  type?: "llm" | "embedding";
  vision?: boolean;
  tools?: boolean;
  reasoning?: boolean;
  maxContext?: number;
  /** In memory under these names. */
  instances?: { id: string; context: number; parallel?: number }[];
};
export type StudioSimulator = Omit<Simulator, "origin"> & { url: string; loaded(): string[] };

/**
 * LM Studio 0.4's server according to its documentation (lmstudio-ai/docs at c6854fb,
 * 1_developer/2_rest): the lists of /api/v0 and /api/v1, load and unload. Unknown paths are
 * answered with 200 and an error. `isOld` is a server from before /api/v1.
 */
export async function startLmStudio({
  models: given = [{ key: "sim-chat" }],
  key = null,
  isOld = false,
  port,
}: {
  models?: StudioModel[];
  key?: string | null;
  isOld?: boolean;
  port?: number;
} = {}): Promise<StudioSimulator> {
  const models = given.map((model) => ({
    ...{ type: "llm" as const, vision: false, tools: false, reasoning: false, maxContext: 131_072 },
    ...model,
    instances: [...(model.instances ?? [])],
  }));
  type Model = (typeof models)[number];
  const isAuthorized = ({ headers }: Call) =>
    key === null || headers.authorization === `Bearer ${key}`;
  const openai = openAiWire({}, isAuthorized, "/v1");

  const toOlder = (model: Model) =>
    (model.instances.length > 0 ? model.instances : [undefined]).map((instance) => ({
      id: instance?.id ?? model.key,
      object: "model",
      type: model.type === "embedding" ? "embeddings" : model.vision ? "vlm" : "llm",
      publisher: "sim",
      arch: "llama",
      compatibility_type: "gguf",
      quantization: "Q4_K_M",
      state: instance ? "loaded" : "not-loaded",
      max_context_length: model.maxContext,
      ...(instance && { loaded_context_length: instance.context }),
    }));
  const toNewer = (model: Model) => ({
    type: model.type,
    publisher: "sim",
    key: model.key,
    display_name: `Sim ${model.key}`,
    quantization: { name: "Q4_K_M", bits_per_weight: 4 },
    size_bytes: 17_990_911_801,
    params_string: null,
    loaded_instances: model.instances.map(({ id, context, parallel }) => ({
      id,
      config: { context_length: context, ...(parallel && { parallel }) },
    })),
    max_context_length: model.maxContext,
    format: "gguf",
    ...(model.type === "llm" && {
      capabilities: {
        vision: model.vision,
        trained_for_tool_use: model.tools,
        ...(model.reasoning && {
          reasoning: { allowed_options: ["off", "on"], default: "on" },
        }),
      },
      description: null,
    }),
  });

  function load(call: Call) {
    const { model: name } = parseObject(call.body);
    const model = models.find((one) => one.key === name);
    if (!model)
      return say(
        call,
        refusal(404, { message: `Model not found: ${name}`, type: "model_not_found" }),
      );
    model.instances.push({ id: model.key, context: 4_096 });
    json(call.response, {
      type: model.type,
      instance_id: model.key,
      load_time_seconds: 0.1,
      status: "loaded",
    });
  }
  function unload(call: Call) {
    const { instance_id: id } = parseObject(call.body);
    const model = models.find(({ instances }) => instances.some((one) => one.id === id));
    if (!model) return say(call, refusal(404, { message: `No such instance: ${id}` }));
    model.instances = model.instances.filter((one) => one.id !== id);
    json(call.response, { instance_id: id });
  }

  function answerFree(call: Call): boolean {
    const asked = `${call.method} ${call.url.pathname}`;
    if (!isAuthorized(call)) {
      const message = "An LM Studio API token is required to make requests to this server.";
      say(call, refusal(401, { message, code: "invalid_api_key" }));
    } else if (asked === "GET /v1/models")
      json(call.response, {
        object: "list",
        data: models.map(({ key: id }) => ({ id, object: "model" })),
      });
    else if (asked === "GET /api/v0/models")
      json(call.response, { object: "list", data: models.flatMap(toOlder) });
    else if (!isOld && asked === "GET /api/v1/models")
      json(call.response, { models: models.map(toNewer) });
    else if (!isOld && asked === "POST /api/v1/models/load") load(call);
    else if (!isOld && asked === "POST /api/v1/models/unload") unload(call);
    else if (/^POST \/v1\/(chat\/completions|embeddings)$/.test(asked)) {
      // Accepts only a schema or no format.
      const { response_format: shape } = parseObject(call.body);
      const type = typeof shape === "object" && shape ? (shape as { type?: string }).type : "text";
      if (type !== "json_object") return false;
      const message = "'response_format.type' must be 'json_schema' or 'text'";
      json(Object.assign(call.response, { statusCode: 400 }), { error: message });
    } else json(call.response, { error: `Unexpected endpoint or method. (${asked})` });
    return true;
  }

  const { origin, ...simulator } = await startSimulator(
    { ...openai, answerFree },
    port === undefined ? {} : { port },
  );
  return {
    ...simulator,
    url: `${origin}/v1`,
    loaded: () => models.flatMap(({ instances }) => instances.map(({ id }) => id)),
  };
}
