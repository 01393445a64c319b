import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { LocalModels } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import type { EngineDeps } from "../deps.ts";
import { checkConnection } from "./catalogue.ts";
import { adapterOf, callContext, toProblem } from "./open-connection.ts";

const askMs = 30_000;

async function local(
  deps: EngineDeps,
  connectionId: string,
): Promise<{ models: LocalModels; context(signal: AbortSignal): ReturnType<typeof callContext> }> {
  const connection = await getConnection(deps.store.read, connectionId);
  if (!connection) throw new Problem("not_found");
  const adapter = await adapterOf(deps, connection.kind);
  if (!adapter.local)
    throw new Problem("invalid_input", {
      message: sentences.connections.noLocalModels({ service: adapter.name }),
    });
  return {
    models: adapter.local,
    context: (signal) => callContext(deps, adapter, connection, signal),
  };
}

/** Lets a local server pull a model; the list is read again at the end. @throws Problem what the server said */
export async function* pullModel(
  deps: EngineDeps,
  connectionId: string,
  model: string,
  signal: AbortSignal,
): AsyncGenerator<{ status: string; done?: number; total?: number }> {
  const { models, context } = await local(deps, connectionId);
  try {
    yield* models.pull(model, context(signal));
  } catch (error) {
    throw toProblem(error, connectionId);
  }
  await checkConnection(deps, connectionId);
}

export async function removeModel(
  deps: EngineDeps,
  connectionId: string,
  model: string,
): Promise<void> {
  const { models, context } = await local(deps, connectionId);
  await models.remove(model, context(AbortSignal.timeout(askMs))).catch((error) => {
    throw toProblem(error, connectionId);
  });
  await checkConnection(deps, connectionId);
}

export async function loadedModels(
  deps: EngineDeps,
  connectionId: string,
): ReturnType<LocalModels["loaded"]> {
  const { models, context } = await local(deps, connectionId);
  return models.loaded(context(AbortSignal.timeout(askMs))).catch((error) => {
    throw toProblem(error, connectionId);
  });
}
