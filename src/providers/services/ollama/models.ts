import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { type CallContext, type ModelFacts, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { guessTask } from "../openai-compatible/guess-task.ts";
import { ask } from "./call.ts";
import { chatSchema, embeddingSchema, type ThinkValues } from "./settings.ts";

/** /api/show reads a model's file from disk, so only a few run at a time. */
const shownAtOnce = 4;

/**
 * Lists every installed model (/api/tags), with its capabilities as reported by the server
 * (/api/show).
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncIterable<ModelFacts[]> {
  const answer = await ask(context, { path: "tags" });
  if (!Array.isArray(answer.models))
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.connections.noOllamaModelList,
    });
  const entries = answer.models.filter(isRecord).filter((entry) => typeof entry.name === "string");
  const usable = entries.filter(({ name }) => guessTask(String(name)) !== "none");
  for (let start = 0; start < usable.length; start += shownAtOnce) {
    yield await Promise.all(
      usable.slice(start, start + shownAtOnce).map((entry) => toFacts(entry, context)),
    );
  }
}

async function toFacts(entry: Record<string, unknown>, context: CallContext): Promise<ModelFacts> {
  const id = String(entry.name);
  const shown = await ask(context, { path: "show", method: "POST", json: { model: id } }).catch(
    (error: unknown) => {
      // Deleted meanwhile, or an unreadable file: the model is listed with the facts of the list.
      if (error instanceof ProviderError && error.detail.httpStatus !== undefined) return {};
      throw error;
    },
  );
  return describe(id, entry, shown);
}

function describe(
  id: string,
  entry: Record<string, unknown>,
  shown: Record<string, unknown>,
): ModelFacts {
  // Older servers don't report capabilities; then the name decides.
  const capabilities = Array.isArray(shown.capabilities) ? shown.capabilities.map(String) : null;
  const can = (capability: string) => capabilities?.includes(capability) ?? false;
  const contextTokens = contextLength(shown.model_info);
  const details = isRecord(entry.details) ? entry.details : {};
  const thinks = can("thinking");
  const embeds = capabilities
    ? can("embedding") && !can("completion")
    : guessTask(id) === "embedding";
  const task: Task = embeds ? "embedding" : "chat";
  return {
    id,
    name: id.replace(/:latest$/, ""),
    description: [
      whereItRuns(entry.remote_host ?? shown.remote_host),
      [details.family, details.parameter_size, details.quantization_level]
        .filter((word) => typeof word === "string" && word)
        .join(", "),
    ]
      .filter(Boolean)
      .join(" "),
    tasks: [task],
    inputModalities: task === "chat" && can("vision") ? ["text", "image"] : ["text"],
    outputModalities: [task === "chat" ? "text" : "file"],
    inputSchema:
      task === "chat"
        ? chatSchema({ contextTokens, think: thinks ? thinkValues(shown.thinking) : null })
        : embeddingSchema,
    capabilities:
      task === "chat"
        ? {
            seed: true,
            ...(capabilities && {
              imageInput: can("vision"),
              reasoning: thinks,
              tools: can("tools"),
            }),
          }
        : {},
    limits: contextTokens === undefined ? {} : { contextTokens },
    price: null,
    status: "active",
  };
}

/** A cloud model is listed among the others, but runs elsewhere. */
const whereItRuns = (host: unknown): string =>
  typeof host === "string" && URL.canParse(host)
    ? sentences.connections.runsAt({ host: new URL(host).hostname })
    : "";

/** `model_info` names it by architecture: "llama.context_length", "gemma3.context_length". */
function contextLength(info: unknown): number | undefined {
  const entry = isRecord(info)
    ? Object.entries(info).find(([key]) => key.endsWith(".context_length"))
    : undefined;
  return typeof entry?.[1] === "number" && entry[1] > 0 ? entry[1] : undefined;
}

/** `{values: [false, "low", "high"], default}` since 0.40. */
function thinkValues(thinking: unknown): ThinkValues {
  const values = isRecord(thinking) && Array.isArray(thinking.values) ? thinking.values : [];
  const known = values.filter(
    (value): value is boolean | string => typeof value === "boolean" || typeof value === "string",
  );
  return known.length > 0 ? known : [false, true];
}
