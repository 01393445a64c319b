import type { CallContext, LocalModel, LocalModels } from "../adapter.ts";
import { readRows } from "../services/openai-compatible/models.ts";
import { isRecord } from "../wire/error-fields.ts";
import type { Row } from "../wire/model-list.ts";
import { serverParameters } from "../wire/passed-parameters.ts";
import { samplingFields, samplingForm } from "../wire/sampling.ts";
import type { Preset } from "./preset.ts";
import { postFree, readOptional, serverRoot } from "./server-root.ts";

/**
 * https://lmstudio.ai/docs/developer/rest: its own lists state each model's kind, its context
 * length, and whether it is in memory. The list of /api/v0 names models as chats do; that of
 * /api/v1 (0.4 and later) knows more about each.
 */
export const lmstudio: Preset = {
  kind: "lmstudio",
  name: "LM Studio",
  summary: "Language models of LM Studio on this machine, free of charge.",
  api: "http://127.0.0.1:1234/v1",
  keyHint: "Only if LM Studio requires authentication: from Developer > Server Settings.",
  runs: "here",
  tasks: ["chat", "embedding"],
  passes: [...serverParameters, "ttl"],
  quirks: {
    outputLimitField: "max_tokens",
    shapesBySchema: true,
    chatForm: samplingForm,
    chatFields: ({ input }) => samplingFields(input),
    models: { rows: readModels },
  },
  local: localModels(),
};

async function readModels(context: CallContext): Promise<Row[]> {
  const known = await readOptional(serverRoot(context), "/api/v1/models");
  const facts = listIn(known, "models", "key");
  const rows = listIn(await readOptional(serverRoot(context), "/api/v0/models"), "data", "id");
  if (rows.length > 0) {
    const byName = new Map(
      facts.flatMap((fact) =>
        [fact.key, ...instancesOf(fact).map(({ id }) => id)].map((name) => [name, fact]),
      ),
    );
    return rows.map((row) => ({ ...row, ...toRow(byName.get(row.id)) }));
  }
  return facts.length > 0
    ? facts.map((fact) => ({ id: fact.key, ...toRow(fact), ...kindOf(fact) }))
    : readRows(context, "/models");
}

/** It answers unknown paths with 200 and an error. */
const listIn = (answer: unknown, field: string, name: string): Row[] => {
  const rows = isRecord(answer) && Array.isArray(answer[field]) ? (answer[field] as unknown[]) : [];
  return rows.filter((row): row is Row => isRecord(row) && typeof row[name] === "string");
};

const instancesOf = ({ loaded_instances: instances }: Row): Row[] =>
  Array.isArray(instances) ? instances.filter(isRecord) : [];

const kindOf = ({ type }: Row): Row => ({ task: type === "embedding" ? "embedding" : "chat" });

/** Converts the facts of /api/v1 to the names that other servers' lists use. */
function toRow(fact: Row | undefined): Row {
  if (!fact) return {};
  const { capabilities: can, display_name: name, description } = fact;
  const [instance] = instancesOf(fact);
  const { context_length: context, parallel } = isRecord(instance?.config) ? instance.config : {};
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof description === "string" && { description }),
    context_length: context ?? fact.max_context_length,
    ...(parallel !== undefined && { runs_at_once: parallel }),
    ...(isRecord(can) && {
      capabilities: {
        vision: can.vision,
        function_calling: can.trained_for_tool_use,
        reasoning: isRecord(can.reasoning),
      },
    }),
  };
}

function localModels(): LocalModels {
  const listed = async (context: CallContext): Promise<Row[]> =>
    listIn(await readOptional(serverRoot(context), "/api/v1/models"), "models", "key");
  return {
    async list(context) {
      const models = await listed(context);
      if (models.length > 0) return { models: models.map(toLocalModel), acts: ["load", "unload"] };
      const older = listIn(await readOptional(serverRoot(context), "/api/v0/models"), "data", "id");
      return {
        models: older.map(({ id, state }) => ({
          model: String(id),
          name: String(id),
          state: state === "loaded" ? "loaded" : "unloaded",
        })),
        acts: [],
      };
    },
    load: (model, context) => postFree(serverRoot(context), "/api/v1/models/load", { model }),
    /** A model may be in memory more than once. */
    async unload(model, context) {
      const own = (await listed(context)).filter(({ key }) => key === model).flatMap(instancesOf);
      for (const { id } of own)
        await postFree(serverRoot(context), "/api/v1/models/unload", { instance_id: id });
    },
  };
}

function toLocalModel(fact: Row): LocalModel {
  const { key, display_name: name, size_bytes: bytes } = fact;
  return {
    model: String(key),
    name: typeof name === "string" && name ? name : String(key),
    state: instancesOf(fact).length > 0 ? "loaded" : "unloaded",
    ...(typeof bytes === "number" && { bytes }),
  };
}
