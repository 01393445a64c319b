import type { LocalModelState } from "#contract/filters/model-filters.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type LocalModel, type LocalModels, ProviderError } from "../adapter.ts";
import { fileStem } from "../services/openai-compatible/model-facts.ts";
import { readRows } from "../services/openai-compatible/models.ts";
import { isRecord } from "../wire/error-fields.ts";
import type { Row } from "../wire/model-list.ts";
import { llamaParameters, serverParameters } from "../wire/passed-parameters.ts";
import { besideV1, readIfThere, sayTo, tell } from "./beside-v1.ts";
import { chatFields, chatForm } from "./llamacpp-form.ts";
import type { Preset } from "./preset.ts";

/**
 * https://github.com/ggml-org/llama.cpp/tree/master/tools/server: one model, or, started without one, a router that loads those of a
 * folder. /props and /slots state the context and how many questions go at once.
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
  const server = besideV1(context);
  // The list is open to all; this is not, and so refuses a wrong key.
  const props = await readIfThere(server, "/props");
  return isRouter(rows, props)
    ? Promise.all(rows.map((row) => readRouted(row, server)))
    : Promise.all(rows.map((row) => describe(withoutPath(row), props, server, "")));
}

/** Older servers name their only model by its file's path. They answer under any name, so that nobody needs to see the path. */
const withoutPath = (row: Row): Row => ({ ...row, id: fileStem(String(row.id)) ?? row.id });

/** A router states of each model whether it is loaded. */
const isRouter = (rows: readonly Row[], props: unknown): boolean =>
  (isRecord(props) && props.role === "router") || rows.some(({ status }) => isRecord(status));

/** Asked in a way that loads nothing: only a model in memory has more to say than the list. */
async function readRouted(row: Row, server: CallContext): Promise<Row> {
  const named = `?${new URLSearchParams({ model: String(row.id), autoload: "false" })}`;
  if (stateOf(row) !== "loaded") return withModalities(row);
  return describe(row, await readIfThere(server, `/props${named}`), server, named);
}

/** @param named the model's name in a query, where the server has several */
async function describe(
  row: Row,
  props: unknown,
  server: CallContext,
  named: string,
): Promise<Row> {
  const facts = isRecord(props) ? props : {};
  // To ask about its slots would wake it.
  const slots = facts.is_sleeping === true ? null : await readIfThere(server, `/slots${named}`);
  const settings = isRecord(facts.default_generation_settings)
    ? facts.default_generation_settings
    : {};
  const slot: unknown = Array.isArray(slots) ? slots[0] : undefined;
  const count = Array.isArray(slots) ? slots.length : facts.total_slots;
  // What one question may use: the whole context is shared out among the slots.
  const context = [isRecord(slot) ? slot.n_ctx : undefined, settings.n_ctx].find(
    (tokens) => typeof tokens === "number" && tokens > 0,
  );
  const { vision } = isRecord(facts.modalities) ? facts.modalities : {};
  const task = await taskOf(row, server, named);
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

/** Every model that is no decision model "gives text" in this list, those for vectors too. */
function withModalities(row: Row): Row {
  const { architecture, ...rest } = row;
  if (!isRecord(architecture) || !Array.isArray(architecture.output_modalities)) return row;
  const { output_modalities: gives, ...others } = architecture;
  return gives.includes("text") ? { ...rest, architecture: others } : row;
}

/**
 * What a server was started for: its endpoints for vectors and ranks refuse with 501 unless it was started for them, and otherwise miss the
 * input of an empty question. Undefined where it says neither; then the name tells.
 */
async function taskOf(
  row: Row,
  server: CallContext,
  named: string,
): Promise<"chat" | "embedding" | "rerank" | undefined> {
  const serves = async (endpoint: string): Promise<boolean | undefined> => {
    const { status, message } = await sayTo(server, `/v1/${endpoint}${named}`, { model: row.id });
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
      const props = await readIfThere(besideV1(context), "/props");
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

/** It refuses to load what is loaded and to unload what is not: then somebody else was faster. */
async function move(act: "load" | "unload", model: string, context: CallContext): Promise<void> {
  try {
    await tell(besideV1(context), `/models/${act}`, { model });
  } catch (error) {
    const said = error instanceof ProviderError ? error.detail.providerMessage : undefined;
    if (!/^model is (already|not) running$/i.test(String(said))) throw error;
  }
}
