import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { type CallContext, type ModelFacts, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-words.ts";
import { guessTask } from "../openai-compatible/guess-task.ts";
import { readStatedModels } from "../openai-compatible/models.ts";
import { getObject } from "./access.ts";
import { type Stated, toFacts } from "./facts.ts";
import { known } from "./snapshot.ts";

type Row = Record<string, unknown>;

const pageRows = 1_000;
/** A list that gives the same page again and again is not read for ever. */
const mostPages = 20;

/** The whole list read once: the address is right and the key good. Throws ProviderError. */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  let count = 0;
  for await (const page of listModels(context)) count += page.length;
  return {
    message: count === 1 ? sentences.connections.oneModel : sentences.connections.models({ count }),
  };
}

/**
 * GET /models, page by page (https://ai.google.dev/api/models), and then what the connection's option `models` adds; it also says the task of
 * a model that the snapshot does not know. Throws ProviderError.
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const stated = new Map(
    readStatedModels(context.connection.options.models).map((model) => [model.id, model]),
  );
  for await (const page of listRows(context)) {
    yield page.map((row) => toFacts({ ...row, ...stated.get(row.id) }, known[row.id]));
    for (const { id } of page) stated.delete(id);
  }
  if (stated.size > 0) yield [...stated.values()].map((model) => toFacts(model, known[model.id]));
}

async function* listRows(context: CallContext): AsyncGenerator<Stated[]> {
  const seen = new Set<string>();
  let token = "";
  for (let page = 0; page < mostPages; page++) {
    const body = await getObject(
      context,
      `/models?pageSize=${pageRows}${token && `&pageToken=${encodeURIComponent(token)}`}`,
    );
    const rows: unknown = body.models ?? [];
    if (!Array.isArray(rows)) {
      throw new ProviderError("provider_protocol", "no", {
        message: sentences.connections.noModelList,
      });
    }
    const fresh = rows
      .flatMap((row: unknown) => (isRecord(row) ? readRow(row) : []))
      .filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    yield fresh;
    if (typeof body.nextPageToken !== "string" || body.nextPageToken === "") return;
    token = body.nextPageToken;
  }
}

/** One row as what it is; none where there is no task for it. */
function readRow(row: Row): Stated[] {
  const id = typeof row.name === "string" ? row.name.replace(/^models\//, "") : "";
  const methods: unknown[] = Array.isArray(row.supportedGenerationMethods)
    ? row.supportedGenerationMethods
    : [];
  const task = taskOf(id, methods);
  if (!id || !task || known[id]?.isLeftOut) return [];
  return [
    {
      id,
      name: text(row.displayName),
      description: text(row.description),
      task,
      isImagen: task === "image" && !methods.includes("generateContent"),
      reasons: row.thinking === true,
      contextTokens: whole(row.inputTokenLimit),
      outputTokens: whole(row.outputTokenLimit),
    },
  ];
}

function taskOf(id: string, methods: readonly unknown[]): Task | undefined {
  if (methods.includes("generateContent")) return known[id]?.task ?? guessed(id);
  if (methods.includes("predictLongRunning")) return "video";
  if (methods.includes("embedContent")) return "embedding";
  return methods.includes("predict") ? "image" : undefined;
}

/** A model that is newer than the snapshot; undefined where there is no form for what it does. */
function guessed(id: string): Task | undefined {
  const task = guessTask(id) ?? "chat";
  return task === "none" || task === "transcription" ? undefined : task;
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const whole = (value: unknown) =>
  Number.isInteger(value) && (value as number) > 0 ? (value as number) : undefined;
