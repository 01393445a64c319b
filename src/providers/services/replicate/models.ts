import type { JsonSchema } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Modality, type Task, tasks as taskFacts } from "#contract/tasks.ts";
import { type CallContext, type ModelFacts, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { withExamples } from "../../wire/forms.ts";
import { sampleOf } from "../../wire/model-list.ts";
import { recordsOf } from "../../wire/values.ts";
import { toForm } from "../fal/catalog/schema.ts";
import { api, modelPath } from "./access.ts";
import { readSelection, usualCollections } from "./options.ts";

type Row = Record<string, unknown>;

const pageRows = 100;
/** The cover of a model that only writes or speaks is a picture of something else. */
const unseen: readonly Modality[] = ["text", "audio"];

/**
 * Checks the address and the key with GET /v1/account.
 * @throws ProviderError
 */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  readSelection(context.connection.options);
  const { username } = await api.callObject(context, "/v1/account");
  return {
    message:
      typeof username === "string"
        ? sentences.connections.account({ account: username })
        : sentences.connections.connected,
  };
}

/**
 * Lists the models of Replicate's collections, and those that the connection adds: the whole list
 * is too long.
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const wanted = readSelection(context.connection.options);
  const found = new Map<string, { row: Row; tasks: Set<Task> }>();
  const add = (row: Row, task: Task) => {
    if (typeof row.owner !== "string" || typeof row.name !== "string") return;
    const id = `${row.owner}/${row.name}`;
    const known = found.get(id);
    if (!known) found.set(id, { row, tasks: new Set([task]) });
    // Known facts take precedence over "other", in any order.
    else if (task !== "other") {
      known.tasks.delete("other");
      known.tasks.add(task);
    }
  };

  for (const [slug, task] of Object.entries(usualCollections))
    for (const row of (await readCollection(context, slug)) ?? []) add(row, task);
  for (const slug of wanted.collections) {
    const rows = await readCollection(context, slug);
    if (!rows) {
      const message = sentences.connections.noCollection({ collection: slug });
      throw new ProviderError("invalid_input", "no", { message, field: "options.collections" });
    }
    for (const row of rows) add(row, usualCollections[slug] ?? "other");
  }
  for (const query of wanted.searches)
    for (const row of await search(context, query)) add(row, "other");
  for (const { id, task } of wanted.models) {
    const row = await orGone(api.callObject(context, modelPath(id)));
    if (!row)
      throw new ProviderError("invalid_input", "no", {
        message: sentences.connections.noReplicateModel({ model: id }),
        field: "options.models",
      });
    add(row, task);
  }

  const facts = [...found].flatMap(([id, { row, tasks }]) => toFacts(id, row, [...tasks]));
  for (let from = 0; from < facts.length; from += pageRows)
    yield facts.slice(from, from + pageRows);
}

/** Returns a collection's models; undefined when there is no such collection. */
async function readCollection(context: CallContext, slug: string): Promise<Row[] | undefined> {
  const body = await orGone(api.callObject(context, `/v1/collections/${encodeURIComponent(slug)}`));
  return body && recordsOf(body.models);
}

/**
 * Returns the first results of a search. Its method is QUERY, its body the words
 * (https://replicate.com/docs/reference/http#models.search).
 */
async function search(context: CallContext, query: string): Promise<Row[]> {
  const body = await api.callObject(context, "/v1/models", {
    method: "QUERY",
    headers: { "content-type": "text/plain" },
    body: query,
  });
  return recordsOf(body.results);
}

async function orGone<Answer>(asking: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof ProviderError && error.detail.httpStatus === 404) return undefined;
    throw error;
  }
}

/** Leaves out a model without a version or a readable input, because it can't be run from here. */
function toFacts(id: string, row: Row, tasks: Task[]): ModelFacts[] {
  const form = toInputForm(row);
  if (!form) return [];
  const sides = (side: "inputs" | "outputs"): Modality[] => [
    ...new Set(tasks.flatMap((task): readonly Modality[] => taskFacts[task][side])),
  ];
  const outputModalities = sides("outputs");
  const isVisible = outputModalities.some((modality) => !unseen.includes(modality));
  return [
    {
      id,
      name: id,
      ...(typeof row.description === "string" &&
        row.description && { description: row.description }),
      tasks,
      inputModalities: sides("inputs"),
      outputModalities,
      inputSchema: form,
      capabilities: {
        seed: isRecord(form.properties) && "seed" in form.properties,
        // Set by the model's author, or else taken from the example on its page.
        ...(isVisible && sampleOf(row.cover_image_url)),
      },
      limits: {},
      price: null,
      status: "active",
    },
  ];
}

/**
 * Returns the input form of the latest version. A community model runs that version (`x-version`),
 * because the form belongs to it; an official model has no versions to name. The prediction on the
 * model's page serves as an example.
 */
function toInputForm({
  latest_version: latest,
  is_official: isOfficial,
  default_example: example,
}: Row): JsonSchema | null {
  if (!isRecord(latest) || typeof latest.id !== "string") return null;
  const document = isRecord(latest.openapi_schema) ? latest.openapi_schema : {};
  const schemas =
    isRecord(document.components) && isRecord(document.components.schemas)
      ? document.components.schemas
      : {};
  const bare = isRecord(schemas.Input) ? toForm(schemas.Input, schemas) : null;
  const form = bare && withExamples(bare, isRecord(example) ? [example.input] : []);
  return form && (isOfficial === true ? form : { ...form, "x-version": latest.id });
}
