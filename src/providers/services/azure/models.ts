import { sentences } from "#contract/sentences/index.ts";
import type { CallContext, ModelFacts } from "../../adapter.ts";
import { ProviderError } from "../../adapter.ts";
import { baseUrl } from "../../wire/connection.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions } from "../../wire/http-errors.ts";
import { toOpenAiFacts } from "../openai/models.ts";
import { isLeftOut, knownModel, type SnapshotModel } from "../openai/snapshot.ts";
import { call } from "../openai-compatible/access.ts";
import { guessTask } from "../openai-compatible/guess-task.ts";
import { toModelFacts } from "../openai-compatible/model-facts.ts";
import { toOpenAiContext } from "./access.ts";
import { type Deployment, readDeployments } from "./deployments.ts";

type Row = { id: string; [field: string]: unknown };

/**
 * Checks the address and the key or app registration with one GET.
 * @throws ProviderError
 */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  const deployments = readDeployments(context.connection.options);
  const rows = await listRows(await toOpenAiContext(context));
  const count = deployments.length > 0 ? deployments.length : rows.length;
  if (deployments.length > 0)
    return {
      message:
        count === 1
          ? sentences.connections.oneDeployment
          : sentences.connections.deployments({ count }),
    };
  return {
    message: sentences.connections.deployableModels({ count }),
  };
}

/**
 * Lists the deployments that the connection names. No key may list deployments, so without names
 * this lists every model that could be deployed, from the v1 API.
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const azure = await toOpenAiContext(context);
  const rows = await listRows(azure);
  const named = readDeployments(context.connection.options);
  const deployments: Deployment[] =
    named.length > 0 ? named : rows.filter(answers).map(({ id }) => ({ name: id, model: id }));
  const source = { host: new URL(baseUrl(azure)).host, now: context.clock.now() };
  yield deployments.map(({ name, model, task }) => {
    const known = knownOf(model, task);
    const row = rows.find(({ id }) => id === model);
    const facts = toModelFacts(
      { id: name, ...(row?.deprecated === true && { deprecated: true }) },
      { task: "chat" },
      source,
    );
    return { ...toOpenAiFacts(facts, known, azure, model), pricedAs: model };
  });
}

/**
 * Returns the known facts of a model without prices, and without the tools those are for, because
 * both apply only at OpenAI.
 */
function knownOf(model: string, task: Deployment["task"]): SnapshotModel | undefined {
  const known = knownModel(model);
  const wanted = task as SnapshotModel["task"] | undefined;
  if (!known || (wanted && wanted !== known.task)) {
    const guessed = wanted ?? guessTask(model);
    return guessed && guessed !== "none" ? { task: guessed } : undefined;
  }
  const {
    prices: _,
    fileSearch: _search,
    codeInterpreter: _code,
    imageTool: _image,
    ...facts
  } = known;
  return facts;
}

const answers = ({ id, capabilities }: Row): boolean =>
  !isLeftOut(id) &&
  (knownModel(id) !== undefined || guessTask(id) !== "none") &&
  !(isRecord(capabilities) && capabilities.inference === false);

async function listRows(context: CallContext): Promise<Row[]> {
  const body = await readJson(
    await call(context, "/models", { method: "GET" }),
    readOptions(context, "GET"),
  );
  const rows: unknown = isRecord(body) ? body.data : null;
  if (!Array.isArray(rows)) {
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.connections.noModelListAzure,
    });
  }
  const seen = new Set<string>();
  return (rows as unknown[]).filter((row): row is Row => {
    if (!isRecord(row) || typeof row.id !== "string" || seen.has(row.id)) return false;
    seen.add(row.id);
    return true;
  });
}
