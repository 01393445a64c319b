import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Adapter, ModelFacts, Workflow, WorkflowsAdapter } from "#providers/adapter.ts";
import { getConnection, lockConnection, type SealedConnection } from "#store/models/connections.ts";
import { markModelGone, upsertModels } from "#store/models/models.ts";
import { deleteWorkflow, listWorkflowNames, putWorkflow } from "#store/models/workflows.ts";
import type { EngineDeps } from "../deps.ts";
import { toNewModel } from "./catalogue.ts";
import { adapterOf, callContext, toProblem } from "./open-connection.ts";

const askMs = 30_000;

type WorkflowService = {
  connection: SealedConnection;
  adapter: Adapter;
  workflows: WorkflowsAdapter;
};

async function openWorkflowService(
  deps: EngineDeps,
  connectionId: string,
): Promise<WorkflowService> {
  const connection = await getConnection(deps.store.db, connectionId);
  if (!connection) throw new Problem("not_found");
  const adapter = await adapterOf(deps, connection.kind);
  if (!adapter.workflows)
    throw new Problem("invalid_input", {
      message: sentences.connections.noWorkflows({ service: adapter.name }),
    });
  return { connection, adapter, workflows: adapter.workflows };
}

export const listWorkflows = (deps: EngineDeps, connectionId: string) =>
  listWorkflowNames(deps.store.read, connectionId);

export type WorkflowWish = { connectionId: string; name: string; text: string; userId: string };

/**
 * Adds a workflow as a model of the connection. The model's id is derived from the name, so a
 * workflow added again under the same name is the model that older recipes refer to.
 * @throws Problem if the text isn't a workflow or the server can't run it
 */
export async function addWorkflow(deps: EngineDeps, wish: WorkflowWish): Promise<ModelFacts> {
  const of = await openWorkflowService(deps, wish.connectionId);
  const document = of.workflows.parse(wish.text);
  const facts = await describe(deps, of, { id: idOf(wish.name), name: wish.name, document });
  return keep(deps, { ...wish, facts, document }, (known) => {
    const same = known.find(({ id }) => id === facts.id);
    if (same) {
      const message = sentences.workflows.nameTaken({ workflow: same.name });
      throw new Problem("conflict", { field: "name", message });
    }
    const most = sentences.workflows.tooMany({ most: limits.workflowsPerConnection });
    if (known.length >= limits.workflowsPerConnection)
      throw new Problem("invalid_input", { message: most });
  });
}

/**
 * Replaces a workflow's document or name.
 * @throws Problem as `addWorkflow`, and not_found
 */
export async function replaceWorkflow(
  deps: EngineDeps,
  wish: WorkflowWish & { id: string },
): Promise<ModelFacts> {
  const of = await openWorkflowService(deps, wish.connectionId);
  const document = of.workflows.parse(wish.text);
  const facts = await describe(deps, of, { id: wish.id, name: wish.name, document });
  return keep(deps, { ...wish, facts, document }, (known) => {
    if (!known.some(({ id }) => id === wish.id)) throw new Problem("not_found");
  });
}

/**
 * Removes a workflow. Its results stay.
 * @throws Problem not_found
 */
export async function removeWorkflow(
  deps: EngineDeps,
  connectionId: string,
  id: string,
): Promise<void> {
  const removed = await deps.commit(async ({ tx }) => {
    await lockConnection(tx, connectionId);
    await markModelGone(tx, connectionId, id);
    return deleteWorkflow(tx, connectionId, id);
  });
  if (!removed) throw new Problem("not_found");
}

async function describe(
  deps: EngineDeps,
  { connection, adapter, workflows }: WorkflowService,
  workflow: Workflow,
): Promise<ModelFacts> {
  const context = callContext(deps, adapter, connection, AbortSignal.timeout(askMs));
  return workflows.describe(workflow, context).catch((error) => {
    throw toProblem(error, connection.id);
  });
}

/**
 * Writes the workflow and its model in one unit, so that the form always matches the workflow that
 * is sent.
 */
async function keep(
  deps: EngineDeps,
  wish: WorkflowWish & { facts: ModelFacts; document: Workflow["document"] },
  refuse: (known: { id: string; name: string }[]) => void,
): Promise<ModelFacts> {
  const { connectionId, name, facts, document, userId } = wish;
  await deps.commit(async ({ tx, at }) => {
    await lockConnection(tx, connectionId);
    refuse(await listWorkflowNames(tx, connectionId));
    await putWorkflow(tx, { connectionId, id: facts.id, name, document, updatedBy: userId, at });
    await upsertModels(tx, [toNewModel(connectionId, facts, at)]);
  });
  return facts;
}

const idOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "") || "workflow";
