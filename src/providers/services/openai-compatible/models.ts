import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type ModelCapabilities,
  type ModelFacts,
  ProviderError,
} from "../../adapter.ts";
import { listBounds } from "../../outbound/answer-bounds.ts";
import { baseUrl } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { connectedWith, type Row, rowsOf } from "../../wire/model-list.ts";
import { call } from "./access.ts";
import { taskOf, toModelFacts } from "./model-facts.ts";
import { type OfferedTask, offeredTasks } from "./offered-tasks.ts";
import type { Quirks } from "./quirks.ts";

/** A model that an admin names, because the server doesn't list it or doesn't state its task. */
type StatedModel = {
  id: string;
  task: OfferedTask;
  name?: string;
  capabilities?: ModelCapabilities;
};

const pageRows = 200;
/** The limit for a list as JSON; that of the largest aggregator is a tenth of it. */
const listBytes = 16 * 1024 ** 2;

/**
 * Checks the address and the key with one GET.
 * @throws ProviderError
 */
export async function checkConnection(
  context: CallContext,
  quirks: Quirks = {},
): Promise<{ message: string }> {
  const stated = readStatedModels(context.connection.options.models);
  const rows = await listRows(context, quirks).catch(async (error: unknown) => {
    throw await withBetterAddress(error, context);
  });
  const count = new Set([...rows.map((row) => row.id), ...stated.map((model) => model.id)]).size;
  return connectedWith(count);
}

/** A missing /v1 is the usual mistake, so the server is tried once more with it. */
async function withBetterAddress(error: unknown, context: CallContext): Promise<unknown> {
  const base = baseUrl(context);
  if (!(error instanceof ProviderError && error.code === "provider_protocol")) return error;
  if (/\/v\d+(beta)?$/.test(base)) return error;
  const api = `${base}/v1`;
  const { connection } = context;
  const better = {
    ...context,
    connection: { ...connection, addresses: { ...connection.addresses, api } },
  };
  const isThere = await readRows(better, "/models").then(
    () => true,
    () => false,
  );
  if (!isThere) return error;
  const aside = sentences.connections.apiElsewhere({ address: api });
  return new ProviderError(error.code, error.accepted, error.detail, { cause: error, aside });
}

/**
 * Lists the server's models, with those that the connection's option `models` adds or corrects.
 * @param offered the tasks that the service has an endpoint for; models of other tasks are left out
 */
export async function* listModels(
  context: CallContext,
  quirks: Quirks = {},
  offered: readonly OfferedTask[] = offeredTasks,
): AsyncIterable<ModelFacts[]> {
  const stated = new Map(
    readStatedModels(context.connection.options.models).map((model) => [model.id, model]),
  );
  const rows: Row[] = await listRows(context, quirks).catch((error: unknown) => {
    // Some servers have no list. Then only the models that the admin named exist.
    const without =
      error instanceof ProviderError && error.detail.httpStatus === 404 && stated.size > 0;
    if (without) return [];
    throw error;
  });
  const listed = new Set(rows.map((row) => row.id));
  for (const { id, name } of stated.values())
    if (!listed.has(id)) rows.push({ id, ...(name && { name }) });
  const source = { host: new URL(baseUrl(context)).host, now: context.clock.now() };
  const { tasks = {}, knows } = quirks.models ?? {};
  const toFacts = (row: Row): ModelFacts[] => {
    const id = String(row.id);
    const known = tasks[id] && { task: tasks[id] };
    const chosenTask = offeredTasks.find((name) => name === context.tasks?.get(id));
    const own = { ...(stated.get(id) ?? known), ...(chosenTask && { task: chosenTask }) };
    const task = own.task ?? (knows?.(id) ? "chat" : taskOf(row));
    const isOffered = own.task !== undefined || offered.some((name) => name === task);
    return task === "none" || !isOffered
      ? []
      : [toModelFacts(row, { ...own, task }, source, quirks)];
  };
  for (let from = 0; from < rows.length; from += pageRows)
    yield rows.slice(from, from + pageRows).flatMap(toFacts);
}

async function listRows(context: CallContext, quirks: Quirks): Promise<Row[]> {
  const { rows, leftOut } = quirks.models ?? {};
  const listed = rows ? await rows(context) : await readRows(context, "/models");
  return leftOut ? listed.filter(({ id }) => !leftOut.test(String(id))) : listed;
}

/**
 * Reads the rows of a list in the forms in use: an array, `data`, `models`.
 * @throws ProviderError
 */
export async function readRows(context: CallContext, path: string): Promise<Row[]> {
  const response = await call(context, path, { method: "GET" });
  const body = await readJson(response, readOptions(context, "GET"), listBytes, listBounds);
  const list: unknown = Array.isArray(body)
    ? body
    : isRecord(body)
      ? (body.data ?? body.models)
      : null;
  const seen = new Set<string>();
  return rowsOf(list, sentences.connections.noModelListV1).filter(({ id }) => {
    if (typeof id !== "string" || id === "" || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/**
 * Reads the option `models`: a list of {id, task}, as JSON or as its text.
 * @throws ProviderError "invalid_input" with the reason
 */
export function readStatedModels(option: unknown): StatedModel[] {
  if (option === undefined || option === null || option === "") return [];
  const refuse = (message: string, cause?: unknown) =>
    new ProviderError("invalid_input", "no", { message, field: "options.models" }, { cause });
  let list = option;
  if (typeof option === "string") {
    try {
      list = JSON.parse(option);
    } catch (cause) {
      throw refuse(sentences.connections.furtherModelsForm, cause);
    }
  }
  if (!Array.isArray(list)) throw refuse(sentences.connections.furtherModelsList);
  return list.map((entry, index) => {
    if (!isRecord(entry) || typeof entry.id !== "string" || entry.id === "")
      throw refuse(sentences.connections.furtherModelNoId({ index: index + 1 }));
    const task = offeredTasks.find((name) => name === entry.task);
    if (!task)
      throw refuse(
        sentences.connections.furtherModelNoTask({
          model: entry.id,
          tasks: offeredTasks.join(", "),
        }),
      );
    return {
      id: entry.id,
      task,
      ...(typeof entry.name === "string" && { name: entry.name }),
      ...(isRecord(entry.capabilities) && {
        capabilities: entry.capabilities as ModelCapabilities,
      }),
    };
  });
}
