import { aliasConnectionId } from "#contract/aliases.ts";
import type { ModelDetail, ModelRef, RunWarning } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { whyNotReady } from "#domain/runs/circuit.ts";
import { asFormInput } from "#domain/runs/embedding-batch.ts";
import { checkInput, fitInput } from "#domain/schemas/input-schema.ts";
import type { Reader } from "#store/database/store.ts";
import { formOf, getAlias } from "#store/models/aliases.ts";
import { listCircuits } from "#store/models/circuits.ts";
import { getConnection } from "#store/models/connections.ts";
import { getModel } from "#store/models/models.ts";
import type { AskedOfAlias, NextModel, PassedOver } from "#store/runs/run-rows.ts";
import { doesNot, withFreePrice } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";

/** The model that a request goes to, with the fallbacks behind an alias. */
export type Routed = {
  model: ModelDetail;
  given: JsonObject;
  mostMicros: number | null;
  dropped: string[];
  alias: AskedOfAlias | null;
};

/**
 * The names of the settings that planning added to an answer's request. A retry chooses them again.
 */
export function addedTo(asked: JsonObject, given: JsonObject): { added?: string[] } {
  const added = Object.keys(given).filter((name) => !Object.hasOwn(asked, name));
  return added.length > 0 ? { added } : {};
}

/** A request that any of the models could serve. */
type Ask<Price extends Priced> = {
  /**
   * The most it can cost on a model, null if unknown, and the settings to send if planning adds a
   * limit to them.
   */
  priceOf: PriceOf<Price>;
  /** Why a model can't serve the request, apart from its form: tools, a shape. */
  whyUnable?: (model: ModelDetail) => string | null;
  /** What a model behind an alias doesn't get, apart from settings that its form lacks. */
  lackedBy?: (model: ModelDetail) => string[];
};
type PriceOf<Price> = (model: ModelDetail, given: JsonObject) => Price | Promise<Price>;
export type Priced = { mostMicros: number | null; settings?: JsonObject };

/**
 * Routes a request. A plain model stays as it is. An alias resolves to its first model that is
 * ready; each later one is planned with its own input, price and reservation, so that a fallback
 * needs no further planning. The input follows the first model's form: the other models get the
 * fields that they have, and a model that refuses those is skipped.
 * @param given has been validated against the alias's own form
 * @throws Problem model_gone if no model behind the alias can serve the request
 */
export async function routeAsk<Price extends Priced>(
  deps: EngineDeps,
  asked: ModelDetail,
  given: JsonObject,
  ask: Ask<Price>,
): Promise<Routed & { price: Price }> {
  if (asked.connectionId !== aliasConnectionId) {
    const price = await ask.priceOf(asked, given);
    return {
      model: asked,
      given: price.settings ?? given,
      mostMicros: price.mostMicros,
      price,
      dropped: [],
      alias: null,
    };
  }
  const name = asked.modelId;
  const passedOver: PassedOver[] = [];
  const able: Planned<Price>[] = [];
  const alias = await getAlias(deps.store.read, name);
  const behind = await Promise.all(
    (alias?.models ?? []).map(async (ref) => ({
      ref,
      known: await getModel(deps.store.read, ref.connectionId, ref.modelId),
    })),
  );
  const form =
    alias &&
    formOf(
      behind.map(({ known }) => known),
      alias.task,
    );
  for (const { ref, known } of behind) {
    // This model's form is the alias's own, so the validated input is passed on unchanged.
    const found = await plan(deps, ref, known, given, {
      ...ask,
      task: alias!.task,
      fits: known === form,
    });
    if ("reason" in found) passedOver.push({ alias: name, ...ref, ...found });
    else able.push(found);
  }
  // If no model is ready, the first is used anyway and waits for its service like any run.
  const ready = Math.max(
    0,
    able.findIndex(({ whyNot }) => whyNot === null),
  );
  const [first, ...next] = able.slice(ready);
  if (!first) throw new Problem("model_gone", { message: noneAvailableMessage(name, passedOver) });
  for (const { next: model, whyNot } of able.slice(0, ready))
    passedOver.push({
      alias: name,
      connectionId: model.connectionId,
      modelId: model.modelId,
      name: model.name,
      reason: whyNot ?? "",
    });
  const { given: own, mostMicros, dropped } = first.next;
  return {
    model: first.model,
    given: own,
    mostMicros,
    price: first.price,
    dropped,
    alias: { name, asked: given, passedOver, next: next.map((one) => one.next) },
  };
}

type Planned<Price> = { model: ModelDetail; next: NextModel; price: Price; whyNot: string | null };

async function plan<Price extends Priced>(
  deps: EngineDeps,
  ref: ModelRef,
  known: ModelDetail | undefined,
  given: JsonObject,
  { task, priceOf, whyUnable, lackedBy, fits }: Ask<Price> & { task: Task; fits: boolean },
): Promise<Planned<Price> | { name: string; reason: string }> {
  const connection = await getConnection(deps.store.read, ref.connectionId);
  if (!connection || !known || known.status === "gone")
    return {
      name: known?.name ?? ref.modelId,
      reason: sentences.aliases.notOffered,
    };
  const model = withFreePrice(deps, connection, known);
  const unable = model.tasks.includes(task)
    ? whyUnable?.(model)
    : `The model ${doesNot(model, task)}`;
  if (unable) return { name: model.name, reason: unable };
  const { input, dropped } = fits
    ? { input: given, dropped: [] }
    : fitInput(model.inputSchema, given);
  const [issue] = checkInput(model.inputSchema, asFormInput(task, input));
  if (issue)
    return {
      name: model.name,
      reason: `It does not accept ${issue.field || "this"}: ${issue.message}`,
    };
  const { connectionId, modelId, name, schemaHash, prices } = model;
  let price: Price;
  try {
    price = await priceOf(model, input);
  } catch (error) {
    // For example, more than the model's context window holds.
    if (fits || !(error instanceof Problem)) throw error;
    return { name, reason: error.message };
  }
  return {
    model,
    next: {
      connectionId,
      modelId,
      name,
      schemaHash,
      given: price.settings ?? input,
      dropped: [...dropped, ...(lackedBy?.(model) ?? [])],
      prices,
      mostMicros: price.mostMicros,
    },
    price,
    whyNot: whyNotReady(
      connection.status,
      await listCircuits(deps.store.read, connectionId),
      modelId,
      deps.clock.now(),
    ),
  };
}

export async function whyNotNow(
  db: Reader,
  next: NextModel,
  task: Task,
  now: number,
): Promise<string | null> {
  const model = await getModel(db, next.connectionId, next.modelId);
  if (!model || model.status === "gone") return sentences.aliases.notOffered;
  if (!model.tasks.includes(task)) return `The model ${doesNot(model, task)}`;
  const connection = await getConnection(db, next.connectionId);
  return whyNotReady(
    connection?.status,
    await listCircuits(db, next.connectionId),
    next.modelId,
    now,
  );
}

/** Lists only reasons, because the caller may have no access to an alias's models. */
const noneAvailableMessage = (name: string, passedOver: readonly PassedOver[]): string =>
  [
    sentences.aliases.noneAvailable({ alias: name }),
    ...new Set(passedOver.map(({ reason }) => reason)),
  ].join(" ");

/** Warns of each requested setting that the model's form lacks. */
export const warnOfDropped = (name: string, dropped: readonly string[]): RunWarning[] =>
  dropped.map((feature) => ({
    type: "unsupported",
    feature,
    message: sentences.settings.notInModel({ model: name, setting: feature }),
  }));
