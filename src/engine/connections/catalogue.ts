import { createHash } from "node:crypto";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { Task } from "#contract/tasks.ts";
import { type CallContext, type ModelFacts, ProviderError } from "#providers/adapter.ts";
import type { Reader, Tx } from "#store/database/store.ts";
import { refreshAliases } from "#store/models/aliases.ts";
import {
  getConnection,
  listConnectionIds,
  recordCheck,
  recordList,
  type SealedConnection,
} from "#store/models/connections.ts";
import {
  countModels,
  markGone,
  markListed,
  type NewModel,
  upsertModels,
} from "#store/models/models.ts";
import { ownFactsOf } from "#store/models/own-facts.ts";
import type { EngineDeps } from "../deps.ts";
import { closeCircuits } from "./circuit.ts";
import { adapterOf, callContext, toProblem } from "./open-connection.ts";
import { isFreeAt } from "./run-place.ts";

/** The time limit for reading a provider's whole list; pages read by then are saved. */
const refreshMs = 120_000;
const checkMs = 20_000;

export const hashOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex");

export function toNewModel(connectionId: string, facts: ModelFacts, fetchedAt: number): NewModel {
  return {
    connectionId,
    modelId: facts.id,
    name: facts.name,
    description: facts.description ?? "",
    tasks: facts.tasks,
    inputModalities: facts.inputModalities,
    outputModalities: facts.outputModalities,
    inputSchema: facts.inputSchema,
    schemaHash: facts.inputSchema === null ? null : hashOf(facts.inputSchema),
    capabilities: facts.capabilities,
    limits: facts.limits,
    prices: facts.prices ?? (facts.price ? [facts.price] : []),
    toolPrices: facts.toolPrices ?? [],
    status: facts.status,
    factsSource: facts.factsSource ?? null,
    releasedAt: facts.releasedAt ?? null,
    ...(facts.runsAtOnce !== undefined && { runsAtOnce: facts.runsAtOnce }),
    fetchedAt,
  };
}

export type Tasks = ReadonlyMap<string, Task>;

/** The tasks that people have set for a connection's models. */
export async function ownTasksOf(db: Reader, connectionId: string): Promise<Tasks> {
  const facts = await ownFactsOf(db, connectionId);
  return new Map([...facts].flatMap(([modelId, { task }]) => (task ? [[modelId, task]] : [])));
}

/**
 * Reads a connection's models from its service, page by page, up to the limit per connection.
 * `tasks` overrides what the service reports.
 * @throws ProviderError
 */
export async function* readList(
  deps: EngineDeps,
  connection: SealedConnection,
  tasks: Tasks,
  since: number,
): AsyncGenerator<NewModel[]> {
  const adapter = await adapterOf(deps, connection.kind);
  const context = {
    ...callContext(deps, adapter, connection, AbortSignal.timeout(refreshMs)),
    tasks,
  };
  let left: number = limits.modelsPerConnection;
  for await (const page of adapter.models(context)) {
    const listed = page.slice(0, left);
    left -= listed.length;
    const models = isFreeAt(adapter, connection)
      ? listed
      : await withListedPrices(deps, context, listed, since);
    yield models.map((facts) => toNewModel(connection.id, facts, since));
    if (left === 0) return;
  }
}

/** Serializes the writers of a connection's models. */
export const lockModels = (
  { store }: Pick<EngineDeps, "store">,
  tx: Tx,
  connectionId: string,
): Promise<void> => store.lockName(tx, `models:${connectionId}`);

/**
 * Reads a connection's whole list of models into the store, page by page. A list that ends early
 * marks no model as gone.
 * @returns how many models the connection offers now
 * @throws ProviderError
 */
export async function refreshModels(
  deps: EngineDeps,
  connection: SealedConnection,
): Promise<number> {
  const tasks = await ownTasksOf(deps.store.db, connection.id);
  const since = deps.clock.now();
  let runsAtOnce: number | null = null;
  for await (const models of readList(deps, connection, tasks, since)) {
    runsAtOnce = models.find((model) => model.runsAtOnce !== undefined)?.runsAtOnce ?? runsAtOnce;
    await deps.commit(async ({ tx }) => {
      await lockModels(deps, tx, connection.id);
      const now = await ownTasksOf(tx, connection.id);
      // A task that a person set while the list was being read is already stored, and this page was
      // read without it.
      const isAsRead = ({ modelId }: NewModel): boolean => now.get(modelId) === tasks.get(modelId);
      await upsertModels(tx, models.filter(isAsRead));
      const others = models.filter((model) => !isAsRead(model)).map(({ modelId }) => modelId);
      await markListed(tx, connection.id, others, since);
    });
  }
  await deps.commit(async ({ tx }) => {
    await markGone(tx, connection.id, since);
    await recordList(tx, connection, { at: since, runsAtOnce });
    await refreshAliases(tx, since);
  });
  return (await countModels(deps.store.read, [connection.id])).get(connection.id) ?? 0;
}

/**
 * Looks up prices that a provider doesn't report in the bundled price list, which covers only
 * public addresses.
 */
async function withListedPrices(
  deps: EngineDeps,
  context: CallContext,
  models: ModelFacts[],
  at: number,
): Promise<ModelFacts[]> {
  const api = context.connection.addresses.api;
  const isUnpriced = ({ price, prices, pricedAs }: ModelFacts): boolean =>
    price === null && !prices?.length && pricedAs !== null;
  if (!api?.startsWith("https:") || !models.some(isUnpriced)) return models;
  const modelIds = models.filter(isUnpriced).map(({ id, pricedAs }) => pricedAs ?? id);
  const prices = await deps.priceList.pricesOf({ api, modelIds, at });
  return models.map((facts) => {
    if (!isUnpriced(facts)) return facts;
    return { ...facts, prices: prices[facts.pricedAs ?? facts.id] ?? [] };
  });
}

/**
 * Checks a connection with one free call and reads its models. Stores the outcome unless the
 * connection changed during the check.
 * @throws Problem with the provider's error
 */
export async function checkConnection(
  deps: EngineDeps,
  connectionId: string,
): Promise<{ connection: SealedConnection; message: string; models: number }> {
  const connection = await getConnection(deps.store.read, connectionId);
  if (!connection) throw new Error(`no connection ${connectionId}`);
  const adapter = await adapterOf(deps, connection.kind);
  const keep = (status: "ok" | "failing", statusDetail: string | null) =>
    deps.commit(async (unit) => {
      const kept = await recordCheck(unit.tx, connection, {
        status,
        statusDetail,
        checkedAt: unit.at,
      });
      if (kept && status === "ok") await closeCircuits(unit, connectionId);
      return kept;
    });
  try {
    const { message } = await adapter.check(
      callContext(deps, adapter, connection, AbortSignal.timeout(checkMs)),
    );
    const models = await refreshModels(deps, connection);
    const kept =
      (await keep("ok", null)) ?? (await getConnection(deps.store.db, connectionId)) ?? connection;
    return { connection: kept, message, models };
  } catch (error) {
    const problem = toProblem(error, connectionId);
    await keep("failing", problem instanceof Error ? problem.message : null);
    throw withAside(problem, error);
  }
}

/**
 * Adds the part of an error that only the caller may read. It isn't stored with the connection,
 * where others would read it.
 */
function withAside(problem: unknown, error: unknown): unknown {
  if (!(problem instanceof Problem && error instanceof ProviderError && error.aside !== null))
    return problem;
  return new Problem(
    problem.code,
    { ...problem.detail, message: `${problem.message} ${error.aside}` },
    { cause: error },
  );
}

/** Refreshes all connections in the background. A list that can't be read stays as it was. */
export async function refreshAllModels(deps: EngineDeps): Promise<void> {
  for (const id of await listConnectionIds(deps.store.read)) {
    await checkConnection(deps, id).catch((error) =>
      deps.log.warn(
        { connectionId: id, error: String(error) },
        "could not refresh the models of a connection",
      ),
    );
  }
}
