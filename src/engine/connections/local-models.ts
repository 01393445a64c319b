import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type LocalModels, ProviderError } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import type { EngineDeps } from "../deps.ts";
import { checkConnection } from "./catalogue.ts";
import { adapterOf, callContext, toProblem } from "./open-connection.ts";

const askMs = 30_000;
/** Some servers answer only once the model is in memory. */
const loadMs = 240_000;
/** Others answer at once, and report the model as loading until it is in memory. */
const lookMs = 500;

async function local(
  deps: EngineDeps,
  connectionId: string,
): Promise<{
  models: LocalModels;
  context(signal: AbortSignal): ReturnType<typeof callContext>;
  refuse(): Problem;
}> {
  const connection = await getConnection(deps.store.read, connectionId);
  if (!connection) throw new Problem("not_found");
  const adapter = await adapterOf(deps, connection.kind);
  const refuse = () =>
    new Problem("invalid_input", {
      message: sentences.connections.noLocalModels({ service: adapter.name }),
    });
  if (!adapter.local) throw refuse();
  return {
    refuse,
    models: adapter.local,
    context: (signal) => callContext(deps, adapter, connection, signal),
  };
}

/**
 * Pulls a model to a local server, and then reads the server's list again.
 * @throws Problem with the server's error
 */
export async function* pullModel(
  deps: EngineDeps,
  connectionId: string,
  model: string,
  signal: AbortSignal,
): AsyncGenerator<{ status: string; done?: number; total?: number }> {
  const { models, context, refuse } = await local(deps, connectionId);
  if (!models.pull) throw refuse();
  try {
    yield* models.pull(model, context(signal));
  } catch (error) {
    throw toProblem(error, connectionId);
  }
  await checkConnection(deps, connectionId);
}

/**
 * Loads, unloads or removes a model. The list is read again, because a loaded model can have
 * another context window.
 * @throws Problem with the server's error
 */
export async function actOnModel(
  deps: EngineDeps,
  act: "load" | "unload" | "remove",
  connectionId: string,
  model: string,
  {
    wait = sleep,
    signal = AbortSignal.timeout(act === "load" ? loadMs : askMs),
  }: { wait?: (ms: number) => Promise<unknown>; signal?: AbortSignal } = {},
): Promise<void> {
  const { models, context, refuse } = await local(deps, connectionId);
  const run = models[act];
  if (!run) throw refuse();
  try {
    await run(model, context(signal));
    if (act === "load") while (await isLoading(models, model, context(signal))) await wait(lookMs);
  } catch (error) {
    if (signal.aborted) throw new Problem("provider_timeout", { connectionId });
    throw toProblem(error, connectionId);
  }
  await checkConnection(deps, connectionId);
}

/** @throws ProviderError if the server failed to load the model */
async function isLoading(
  { list }: LocalModels,
  model: string,
  context: Parameters<LocalModels["list"]>[0],
): Promise<boolean> {
  const { models } = await list(context);
  const state = models.find((one) => one.model === model)?.state;
  if (state === "failed")
    throw new ProviderError("provider_failed", "no", {
      message: sentences.connections.modelNotLoaded({ model }),
    });
  return state === "loading" || state === "downloading";
}

export async function localModels(
  deps: EngineDeps,
  connectionId: string,
): ReturnType<LocalModels["list"]> {
  const { models, context } = await local(deps, connectionId);
  return models.list(context(AbortSignal.timeout(askMs))).catch((error) => {
    throw toProblem(error, connectionId);
  });
}
