import { aliasConnectionId } from "#contract/aliases.ts";
import type { Model } from "#contract/entities.ts";
import { isFree } from "#domain/money/free.ts";
import { whyNotReady } from "#domain/runs/circuit.ts";
import { getAlias, listAliases } from "#store/models/aliases.ts";
import { listCircuits } from "#store/models/circuits.ts";
import { getConnection } from "#store/models/connections.ts";
import type { ModelFilter } from "#store/models/list-models.ts";
import { getModel } from "#store/models/models.ts";
import { withFreePrice } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";

type Priced = Pick<Model, "price" | "prices" | "ceilingMicros">;

/**
 * Sets the prices and ceilings that admission uses. An alias has those of the model that it would
 * use now.
 */
export const withPriceShown = <Shown extends Model>(
  deps: EngineDeps,
  models: readonly Shown[],
): Promise<Shown[]> =>
  Promise.all(
    models.map(async (model) => {
      const asked =
        model.connectionId === aliasConnectionId
          ? await firstBehind(deps, model.modelId)
          : await asAsked(deps, model);
      return asked ? { ...model, ...priceOf(asked) } : model;
    }),
  );

/**
 * Aliases whose current model is free where it runs, whatever its list says. Empty if the filter
 * doesn't involve prices.
 */
export async function freeAliases(
  deps: EngineDeps,
  { price, order }: Pick<ModelFilter, "price" | "order">,
): Promise<string[]> {
  if (price === undefined && order !== "price") return [];
  const free: string[] = [];
  for (const { name } of await listAliases(deps.store.read))
    if (isFree((await firstBehind(deps, name))?.prices ?? [])) free.push(name);
  return free;
}

const priceOf = ({ prices, ceilingMicros }: Priced): Priced => ({
  price: prices.length === 1 ? prices[0]! : null,
  prices,
  ceilingMicros,
});

async function asAsked(deps: EngineDeps, model: Model): Promise<Model | undefined> {
  // No free kind reports prices of its own.
  if (!deps.kinds.get(model.connectionKind)?.free) return undefined;
  const connection = await getConnection(deps.store.read, model.connectionId);
  return connection && withFreePrice(deps, connection, model);
}

/** The first ready model of an alias; if none is ready, its first model. */
async function firstBehind(deps: EngineDeps, name: string): Promise<Model | undefined> {
  const { read } = deps.store;
  const alias = await getAlias(read, name);
  let first: Model | undefined;
  for (const { connectionId, modelId } of alias?.models ?? []) {
    const connection = await getConnection(read, connectionId);
    const known = await getModel(read, connectionId, modelId);
    if (!connection || known?.status === "gone" || !known?.tasks.includes(alias!.task)) continue;
    const model = withFreePrice(deps, connection, known);
    const circuits = await listCircuits(read, connectionId);
    if (whyNotReady(connection.status, circuits, modelId, deps.clock.now()) === null) return model;
    first ??= model;
  }
  return first;
}
