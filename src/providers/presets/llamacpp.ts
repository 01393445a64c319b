import type { LocalModelState } from "#contract/filters/model-filters.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type LocalModel, type LocalModels, ProviderError } from "../adapter.ts";
import { fileStem } from "../services/openai-compatible/model-facts.ts";
import { readRows } from "../services/openai-compatible/models.ts";
import { isRecord } from "../wire/error-fields.ts";
import type { Row } from "../wire/model-list.ts";
import { llamaParameters, serverParameters } from "../wire/passed-parameters.ts";
import { chatFields, chatForm } from "./llamacpp-form.ts";
import type { Preset } from "./preset.ts";
import { postForStatus, postFree, readOptional, serverRoot } from "./server-root.ts";

/**
 * https://github.com/ggml-org/llama.cpp/tree/master/tools/server: serves one model or, started
 * without one, a router that loads models from a folder. /props and /slots state the context and
 * the number of concurrent requests.
 */
export const llamacpp: Preset = {
  kind: "llamacpp",
  name: "llama.cpp",
  summary: "Models of llama.cpp’s server on this machine, free of charge.",
  api: "http://127.0.0.1:9931/v1",
  apiHint: sentences.connections.llamaAddress,
  runs: "here",
  tasks: ["chat", "embedding"],
  passes: [...serverParameters, ...llamaParameters, "json_schema", "reasoning_format"],
  embedsTokens: true,
  quirks: {
    outputLimitField: "max_tokens",
    chatForm,
    chatFields: ({ input }) => chatFields(input),
    models: { rows: readModels },
  },
  local: localModels(),
};

async function readModels(context: CallContext): Promise<Row[]> {
  const rows = await readRows(context, "/models");
  const server = serverRoot(context);
  // The list is public, but this endpoint isn't, so it refuses a wrong key.
  const props = await readOptional(server, "/props");
  return isRouter(rows, props)
    ? Promise.all(rows.map((row) => readRouted(row, server)))
    : Promise.all(rows.map((row) => describe(withoutPath(row), props, server, "")));
}

/**
 * Older servers name their only model by its file's path. They answer to any name, so nobody needs
 * to see the path.
 */
const withoutPath = (row: Row): Row => ({ ...row, id: fileStem(String(row.id)) ?? row.id });

/** A router states for each model whether it is loaded. */
const isRouter = (rows: readonly Row[], props: unknown): boolean =>
  (isRecord(props) && props.role === "router") || rows.some(({ status }) => isRecord(status));

/** Doesn't load the model: only one in memory can tell more than the list. */
async function readRouted(row: Row, server: CallContext): Promise<Row> {
  const named = `?${new URLSearchParams({ model: String(row.id), autoload: "false" })}`;
  if (stateOf(row) !== "loaded") return withModalities(row);
  return describe(row, await readOptional(server, `/props${named}`), server, named);
}

/** @param named the model's name in a query, if the server has several */
async function describe(
  row: Row,
  props: unknown,
  server: CallContext,
  named: string,
): Promise<Row> {
  const facts = isRecord(props) ? props : {};
  // Every request but those for /models, /props, /health and /metrics would wake it.
  const isAsleep = facts.is_sleeping === true;
  const slots = isAsleep ? null : await readOptional(server, `/slots${named}`);
  const settings = isRecord(facts.default_generation_settings)
    ? facts.default_generation_settings
    : {};
  const slot: unknown = Array.isArray(slots) ? slots[0] : undefined;
  const count = Array.isArray(slots) ? slots.length : facts.total_slots;
  // The context of one request: slots share the whole context.
  const context = [isRecord(slot) ? slot.n_ctx : undefined, settings.n_ctx].find(
    (tokens) => typeof tokens === "number" && tokens > 0,
  );
  const { vision } = isRecord(facts.modalities) ? facts.modalities : {};
  const task = isAsleep ? undefined : await taskOf(row, server, named);
  return {
    ...withModalities(row),
    ...(context !== undefined && { context_length: context }),
    ...(task && { task }),
    ...(typeof count === "number" &&
      count > 0 && {
        runs_at_once: count,
        description:
          count === 1
            ? sentences.connections.oneAtOnce
            : sentences.connections.manyAtOnce({ count }),
      }),
    ...(typeof vision === "boolean" && { capabilities: { vision } }),
  };
}

/**
 * This list says "text" for the output of every model that isn't a decision model, including
 * embedding models.
 */
function withModalities(row: Row): Row {
  const { architecture, ...rest } = row;
  if (!isRecord(architecture) || !Array.isArray(architecture.output_modalities)) return row;
  const { output_modalities: gives, ...others } = architecture;
  return gives.includes("text") ? { ...rest, architecture: others } : row;
}

/**
 * Returns the task that a server was started for: its endpoints for embeddings and ranks respond
 * with 501 unless it was started for them, and otherwise report the missing input of an empty
 * request. Undefined when the responses tell neither; then the name decides.
 */
async function taskOf(
  row: Row,
  server: CallContext,
  named: string,
): Promise<"chat" | "embedding" | "rerank" | undefined> {
  const serves = async (endpoint: string): Promise<boolean | undefined> => {
    const { status, message } = await postForStatus(server, `/v1/${endpoint}${named}`, {
      model: row.id,
    });
    if (status === 501) return false;
    return status === 400 && !/not (loaded|found|running)/i.test(message) ? true : undefined;
  };
  const embeds = await serves("embeddings");
  if (embeds === undefined) return undefined;
  if (!embeds) return "chat";
  return (await serves("rerank")) ? "rerank" : "embedding";
}

const states: Readonly<Record<string, LocalModelState>> = {
  loaded: "loaded",
  loading: "loading",
  sleeping: "sleeping",
  downloading: "downloading",
  unloaded: "unloaded",
};

function stateOf({ status }: Row): LocalModelState {
  if (!isRecord(status)) return "loaded";
  if (status.failed === true) return "failed";
  return states[String(status.value)] ?? "unloaded";
}

function toLocalModel(row: Row, state: LocalModelState): LocalModel {
  const id = String(row.id);
  const { size } = isRecord(row.meta) ? row.meta : {};
  return {
    model: id,
    name: id,
    state,
    ...(typeof size === "number" && size > 0 && { bytes: size }),
  };
}

function localModels(): LocalModels {
  return {
    async list(context) {
      const rows = await readRows(context, "/models");
      const props = await readOptional(serverRoot(context), "/props");
      if (isRouter(rows, props))
        return {
          models: rows.map((row) => toLocalModel(row, stateOf(row))),
          acts: ["load", "unload"],
        };
      const state = isRecord(props) && props.is_sleeping === true ? "sleeping" : "loaded";
      return { models: rows.map((row) => toLocalModel(withoutPath(row), state)), acts: [] };
    },
    load: (model, context) => move("load", model, context),
    unload: (model, context) => move("unload", model, context),
  };
}

/**
 * The server refuses to load a loaded model or unload an unloaded one, which means that somebody
 * else was faster.
 */
async function move(act: "load" | "unload", model: string, context: CallContext): Promise<void> {
  try {
    await postFree(serverRoot(context), `/models/${act}`, { model });
  } catch (error) {
    const providerMessage =
      error instanceof ProviderError ? error.detail.providerMessage : undefined;
    if (!/^model is (already|not) running$/i.test(String(providerMessage))) throw error;
  }
}
