import { aliasConnectionId } from "#contract/aliases.ts";
import type { Model } from "#contract/entities.ts";
import { whyNotReady } from "#domain/runs/circuit.ts";
import { getAlias } from "#store/models/aliases.ts";
import { listCircuits } from "#store/models/circuits.ts";
import { getConnection } from "#store/models/connections.ts";
import { getModel } from "#store/models/models.ts";
import type { EngineDeps } from "../deps.ts";
import { withFreePrice } from "./admission.ts";

type Priced = Pick<Model, "price" | "prices" | "ceilingMicros">;

/** Models with the prices and ceilings that admission counts with: an alias has those of the model that it asks now. */
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

const priceOf = ({ prices, ceilingMicros }: Priced): Priced => ({
  price: prices.length === 1 ? prices[0]! : null,
  prices,
  ceilingMicros,
});

async function asAsked(deps: EngineDeps, model: Model): Promise<Model | undefined> {
  // No kind that is free of charge prices a model of its own.
  if (!deps.kinds.get(model.connectionKind)?.free) return undefined;
  const connection = await getConnection(deps.store.read, model.connectionId);
  return connection && withFreePrice(deps, connection, model);
}

/** The first model behind an alias that can be asked now; where none can, the first. */
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
