import type { Task } from "#contract/tasks.ts";
import type { CallContext, ModelFacts } from "../../adapter.ts";
import { type Row, readPages, rowsOf } from "../../wire/model-list.ts";
import { countOf, textOf } from "../../wire/values.ts";
import { guessTask } from "../openai-compatible/guess-task.ts";
import { readStatedModels } from "../openai-compatible/models.ts";
import { getObject } from "./access.ts";
import { type ListedModel, toFacts } from "./facts.ts";
import { known } from "./snapshot.ts";

/**
 * GET /models, page by page (https://ai.google.dev/api/models), and then the models added by the
 * connection's option `models`, which also sets the task of a model missing from the snapshot.
 * @throws ProviderError
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

async function* listRows(context: CallContext): AsyncGenerator<ListedModel[]> {
  const pages = readPages(
    ({ name }) => name,
    async (token) => {
      const from = token && `&pageToken=${encodeURIComponent(token)}`;
      const body = await getObject(context, `/models?pageSize=1000${from}`);
      return { rows: rowsOf(body.models ?? []), next: body.nextPageToken };
    },
  );
  for await (const rows of pages) yield rows.flatMap(readRow);
}

/** Converts a row of the list; empty when no task fits it. */
function readRow(row: Row): ListedModel[] {
  const id = typeof row.name === "string" ? row.name.replace(/^models\//, "") : "";
  const methods: unknown[] = Array.isArray(row.supportedGenerationMethods)
    ? row.supportedGenerationMethods
    : [];
  const task = taskOf(id, methods);
  if (!id || !task || known[id]?.isLeftOut) return [];
  return [
    {
      id,
      name: textOf(row.displayName),
      description: textOf(row.description),
      task,
      isImagen: task === "image" && !methods.includes("generateContent"),
      reasons: row.thinking === true,
      contextTokens: countOf(row.inputTokenLimit),
      outputTokens: countOf(row.outputTokenLimit),
    },
  ];
}

function taskOf(id: string, methods: readonly unknown[]): Task | undefined {
  if (methods.includes("generateContent")) return known[id]?.task ?? guessed(id);
  if (methods.includes("predictLongRunning")) return "video";
  if (methods.includes("embedContent")) return "embedding";
  return methods.includes("predict") ? "image" : undefined;
}

/** Guesses the task of a model newer than the snapshot; undefined when there is no form for it. */
function guessed(id: string): Task | undefined {
  const task = guessTask(id) ?? "chat";
  return task === "none" || task === "transcription" ? undefined : task;
}
