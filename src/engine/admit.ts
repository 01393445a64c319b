import type { Batch, Conversation, Message, MessagePart, ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Task } from "#contract/tasks.ts";
import { assetsInInput, checkInput, withRequiredDefaults } from "#domain/input-schema.ts";
import { inputsOfVariants } from "#domain/variants.ts";
import { getAssetsIn, insertRunInputs } from "#store/assets.ts";
import { getBatch, insertBatch } from "#store/batches.ts";
import { getUsableConnection, keepConnections } from "#store/connections.ts";
import {
  findMessageByIdempotencyKey,
  getConversation,
  getMessage,
  type Idempotency,
  insertMessage,
  lockConversation,
  updateConversation,
} from "#store/conversations.ts";
import { getModel } from "#store/models.ts";
import type { Outbox } from "#store/outbox.ts";
import { getInstructions } from "#store/projects.ts";
import { findByIdempotencyKey, getRunsOfBatches, insertRun, type NewRun, type OwnedRun } from "#store/runs.ts";
import type { Tx } from "#store/store.ts";
import { hashOf } from "./catalogue.ts";
import type { EngineDeps } from "./deps.ts";

/** Below so much free space no new paid work is taken on: what was paid for must still find room. */
const freeBytesFloor = 512 * 1024 ** 2;

export type Asker = { userId: string };

/** A model that this person may use in this project. @throws Problem model_gone, forbidden */
async function usableModel(deps: EngineDeps, asker: Asker, projectId: string, ref: ModelRef, task?: Task): Promise<ModelDetail> {
  const connection = await getUsableConnection(deps.store.read, ref.connectionId, asker.userId, projectId);
  if (!connection || connection.status === "disabled")
    throw new Problem("model_gone", { message: "The connection of this model is not there any more, or is switched off." });
  const model = await getModel(deps.store.read, ref.connectionId, ref.modelId);
  if (!model || model.status === "gone") throw new Problem("model_gone", { connectionId: ref.connectionId });
  if (task && !model.tasks.includes(task))
    throw new Problem("invalid_input", { field: "task", message: `${model.name} does not do this.` });
  return model;
}

/** Once more in the admitting unit: a connection that was removed or switched off meanwhile would leave its runs queued for ever. */
async function requireConnections(deps: EngineDeps, tx: Tx, models: readonly ModelDetail[]): Promise<void> {
  const ids = models.map((model) => model.connectionId);
  const kept = await keepConnections(deps.store, tx, ids);
  const gone = ids.find((id) => !kept.has(id));
  if (gone) throw new Problem("model_gone", { connectionId: gone });
}

async function requireConversation(deps: EngineDeps, tx: Tx, id: string): Promise<Conversation> {
  const conversation = await lockConversation(deps.store, tx, id);
  if (!conversation) throw new Problem("not_found");
  return conversation;
}

async function refuseWhenFull(deps: EngineDeps): Promise<void> {
  const free = await deps.freeBytes?.();
  if (free !== undefined && free < freeBytesFloor) throw new Problem("storage_full");
}

/** The hold of a run in the books, taken in the admitting unit at every budget above it. Nothing is held while no budget exists. */
function holdMicros(_model: ModelDetail, _input: JsonObject): number {
  return 0;
}

type Ask = {
  projectId: string;
  visibility: "author" | "project";
  model: ModelDetail;
  task: Task;
  input: JsonObject;
  batchId: string | null;
  messageId: string | null;
  retryOf?: string | null;
  remixOf?: string | null;
  idempotency?: Idempotency;
};

/** The row of a run to be: nothing of it is durable before its unit commits. */
function newRun(deps: EngineDeps, asker: Asker, ask: Ask, at: number): NewRun {
  const inputHash = hashOf(ask.input);
  return {
    id: deps.ids(),
    projectId: ask.projectId,
    userId: asker.userId,
    visibility: ask.visibility,
    connectionId: ask.model.connectionId,
    modelId: ask.model.modelId,
    schemaHash: ask.model.schemaHash,
    task: ask.task,
    input: ask.input,
    inputHash,
    requestHash: ask.idempotency?.requestHash ?? hashOf([ask.model.connectionId, ask.model.modelId, ask.task, inputHash]),
    idempotencyScope: ask.idempotency?.scope ?? null,
    idempotencyKey: ask.idempotency?.key ?? null,
    batchId: ask.batchId,
    messageId: ask.messageId,
    retryOf: ask.retryOf ?? null,
    remixOf: ask.remixOf ?? null,
    priceSnapshot: ask.model.prices,
    heldMicros: holdMicros(ask.model, ask.input),
    at,
  };
}

/** The same key and request: what is already there. Another request under the key: refused. */
function sameRequest<T extends { requestHash: string | null }>(found: T | undefined, requestHash: string): T | undefined {
  if (found && found.requestHash !== requestHash) throw new Problem("idempotency_mismatch");
  return found;
}

export type MediaAsk = {
  projectId: string;
  models: ModelRef[];
  task: Task;
  input: JsonObject;
  variants: number;
  remixOf?: string;
  retryOf?: string;
  idempotencyKey?: string;
};

/**
 * Admits a form of Create: one batch, one run for each model and variant, all in one unit.
 * @throws Problem invalid_input with the field, model_gone, storage_full, idempotency_mismatch
 */
export async function admitBatch(deps: EngineDeps, asker: Asker, ask: MediaAsk): Promise<{ batch: Batch; runs: Run[] }> {
  const { idempotencyKey, ...request } = ask;
  const requestHash = hashOf(request);
  const scope = `${ask.projectId}:${asker.userId}`;
  const existing = async (): Promise<{ batch: Batch; runs: Run[] } | undefined> => {
    if (!idempotencyKey) return undefined;
    const run = sameRequest(await findByIdempotencyKey(deps.store.read, scope, idempotencyKey), requestHash);
    const batch = run?.batchId ? await getBatch(deps.store.read, run.batchId) : undefined;
    return batch && { batch, runs: await getRunsOfBatches(deps.store.read, [batch.id]) };
  };
  const before = await existing();
  if (before) return before;
  await refuseWhenFull(deps);
  const models = await Promise.all(ask.models.map((ref) => usableModel(deps, asker, ask.projectId, ref, ask.task)));
  const files = assetsInInput(ask.input);
  await requireAssets(
    deps,
    asker,
    ask.projectId,
    files.map((file) => file.assetId),
  );
  const planned = models.flatMap((model) => {
    const inputs = inputsOfVariants(
      withRequiredDefaults(model.inputSchema, ask.input),
      ask.variants,
      { inputSchema: model.inputSchema, countField: model.capabilities.countField as { name: string; most: number } | undefined },
      deps.random,
    );
    for (const input of inputs) requireValid(model, input);
    return inputs.map((input) => ({ model, input }));
  });
  try {
    return await deps.commit(async (tx, outbox) => {
      await requireConnections(deps, tx, models);
      const at = deps.clock.now();
      const kind = models.length > 1 ? "models" : planned.length > 1 || ask.variants > 1 ? "variants" : "one";
      const batch = await insertBatch(tx, {
        id: deps.ids(),
        projectId: ask.projectId,
        kind,
        task: ask.task,
        input: { models: ask.models, input: ask.input, variants: ask.variants },
        createdBy: asker.userId,
        at,
      });
      const runs: Run[] = [];
      for (const [i, { model, input }] of planned.entries()) {
        const idempotency = idempotencyKey ? { scope, key: i === 0 ? idempotencyKey : `${idempotencyKey}#${i}`, requestHash } : undefined;
        const run = newRun(
          deps,
          asker,
          {
            projectId: ask.projectId,
            visibility: "project",
            model,
            task: ask.task,
            input,
            batchId: batch.id,
            messageId: null,
            remixOf: ask.remixOf,
            retryOf: ask.retryOf,
            idempotency,
          },
          at,
        );
        runs.push(await insertRun(tx, outbox, run));
        await insertRunInputs(tx, run.id, files);
      }
      return { batch, runs };
    });
  } catch (error) {
    const winner = await existing();
    if (winner) return winner;
    throw error;
  }
}

function requireValid(model: ModelDetail, input: JsonObject): void {
  const issue = checkInput(model.inputSchema, input)[0];
  if (issue)
    throw new Problem("invalid_input", { field: `input.${issue.field}`, message: `${model.name} does not accept this: ${issue.message}` });
}

async function requireAssets(deps: EngineDeps, asker: Asker, projectId: string, ids: readonly string[]): Promise<void> {
  const found = await getAssetsIn(deps.store.read, projectId, asker.userId, ids);
  const known = new Set(found.map((asset) => asset.id));
  if (ids.some((id) => !known.has(id))) throw new Problem("not_found", { message: "One of the files is not in this project any more." });
}

export type TurnAsk = { model: ModelRef; settings: JsonObject };
export type MessageAsk = {
  conversationId: string;
  parentId: string | null;
  text: string;
  attachments: string[];
  ask?: TurnAsk;
  idempotencyKey?: string;
};
export type Said = { message: Message; answer: Message | null; run: Run | null };

/** A message of a person and, when asked for, the run of its answer: one unit. @throws Problem as admitBatch does */
export async function admitMessage(deps: EngineDeps, asker: Asker, said: MessageAsk): Promise<Said> {
  const known = await getConversation(deps.store.read, said.conversationId);
  if (!known) throw new Problem("not_found");
  if (said.text.trim() === "" && said.attachments.length === 0)
    throw new Problem("invalid_input", { field: "text", message: "Write something, or attach a file." });
  const { idempotencyKey, ...request } = said;
  const requestHash = hashOf(request);
  const idempotency = idempotencyKey ? { scope: `${known.projectId}:${asker.userId}`, key: idempotencyKey, requestHash } : undefined;
  const existing = async (): Promise<Said | undefined> => {
    if (!idempotency) return undefined;
    const { scope, key } = idempotency;
    const run = sameRequest(await findByIdempotencyKey(deps.store.read, scope, key), requestHash);
    const found = sameRequest(await findMessageByIdempotencyKey(deps.store.read, scope, key), requestHash);
    if (!found) return undefined;
    const answer = run?.messageId ? await getMessage(deps.store.read, run.messageId) : undefined;
    return { message: found.message, answer: answer ?? null, run: run ?? null };
  };
  const before = await existing();
  if (before) return before;
  if (said.parentId) await requireMessage(deps, said.conversationId, said.parentId);
  await requireAssets(deps, asker, known.projectId, said.attachments);
  const turn = said.ask && (await prepareTurn(deps, asker, known.projectId, said.ask));
  const parts: MessagePart[] = [
    ...said.attachments.map((assetId): MessagePart => ({ type: "file", assetId })),
    ...(said.text ? [{ type: "text" as const, text: said.text }] : []),
  ];
  try {
    return await deps.commit(async (tx, outbox) => {
      if (turn) await requireConnections(deps, tx, [turn.model]);
      const conversation = await requireConversation(deps, tx, known.id);
      const at = deps.clock.now();
      const message = await insertMessage(tx, {
        id: deps.ids(),
        conversationId: conversation.id,
        parentId: said.parentId,
        role: "user",
        state: "complete",
        parts,
        runId: null,
        continuesId: null,
        idempotency,
        at,
      });
      const asked = turn && (await insertAnswer(deps, tx, outbox, asker, { conversation, parentId: message.id, turn, idempotency, at }));
      const title = conversation.title === "" ? titleOf(said.text) : undefined;
      await updateConversation(tx, outbox, conversation.id, { headMessageId: asked?.answer.id ?? message.id, updatedAt: at, title }, at);
      if (asked)
        await insertRunInputs(
          tx,
          asked.run.id,
          said.attachments.map((assetId, i) => ({ assetId, role: `attachments.${i}` })),
        );
      return { message, answer: asked?.answer ?? null, run: asked?.run ?? null };
    });
  } catch (error) {
    const winner = await existing();
    if (winner) return winner;
    throw error;
  }
}

const titleOf = (text: string): string | undefined => {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  if (line === "") return undefined;
  const characters = [...line];
  return characters.length <= 60 ? line : `${characters.slice(0, 59).join("").trimEnd()}…`;
};

/** `instructions` are the project's: they stand before the conversation's own system prompt. */
type Turn = { model: ModelDetail; settings: JsonObject; instructions: string };

async function prepareTurn(deps: EngineDeps, asker: Asker, projectId: string, ask: TurnAsk): Promise<Turn> {
  await refuseWhenFull(deps);
  const model = await usableModel(deps, asker, projectId, ask.model, "chat");
  const settings = withRequiredDefaults(model.inputSchema, { maxOutputTokens: limits.chatOutputTokens, ...ask.settings });
  requireValid(model, settings);
  return { model, settings, instructions: await getInstructions(deps.store.read, projectId) };
}

async function insertAnswer(
  deps: EngineDeps,
  tx: Tx,
  outbox: Outbox,
  asker: Asker,
  ask: {
    conversation: { id: string; projectId: string; visibility: "author" | "project"; systemPrompt: string };
    parentId: string;
    turn: Turn;
    continueFrom?: string;
    idempotency?: Ask["idempotency"];
    at: number;
  },
): Promise<{ answer: Message; run: Run }> {
  const { conversation, turn } = ask;
  const answerId = deps.ids();
  const input: JsonObject = {
    conversationId: conversation.id,
    parentMessageId: ask.parentId,
    systemPrompt: [turn.instructions, conversation.systemPrompt].filter(Boolean).join("\n\n"),
    settings: turn.settings,
    ...(ask.continueFrom && { continueFrom: ask.continueFrom }),
  };
  const run = newRun(
    deps,
    asker,
    {
      projectId: conversation.projectId,
      visibility: conversation.visibility,
      model: turn.model,
      task: "chat",
      input,
      batchId: null,
      messageId: answerId,
      idempotency: ask.idempotency,
    },
    ask.at,
  );
  const answer = await insertMessage(tx, {
    id: answerId,
    conversationId: conversation.id,
    parentId: ask.parentId,
    role: "assistant",
    state: "streaming",
    parts: [],
    runId: run.id,
    continuesId: ask.continueFrom ?? null,
    at: ask.at,
  });
  return { answer, run: await insertRun(tx, outbox, run) };
}

async function requireMessage(deps: EngineDeps, conversationId: string, messageId: string): Promise<Message> {
  const message = await getMessage(deps.store.read, messageId);
  if (message?.conversationId !== conversationId)
    throw new Problem("not_found", { message: "The message this answers is not in this conversation." });
  return message;
}

/** Another answer to a person's message, beside those there are; or one that goes on from an interrupted answer. */
export async function admitAnswer(
  deps: EngineDeps,
  asker: Asker,
  ask: { messageId: string; turn: TurnAsk; continueFrom?: string; idempotencyKey?: string },
): Promise<{ answer: Message; run: Run }> {
  const asked = await getMessage(deps.store.read, ask.messageId);
  const known = asked && (await getConversation(deps.store.read, asked.conversationId));
  if (!asked || !known) throw new Problem("not_found");
  if (asked.role !== "user") throw new Problem("conflict", { message: "Only a message of a person can be answered." });
  if (ask.continueFrom) {
    const part = await requireMessage(deps, known.id, ask.continueFrom);
    if (part.state !== "interrupted" || part.parentId !== asked.id)
      throw new Problem("conflict", { message: "Only an interrupted answer can be continued." });
  }
  const requestHash = hashOf(ask);
  const idempotency = ask.idempotencyKey
    ? { scope: `${known.projectId}:${asker.userId}`, key: ask.idempotencyKey, requestHash }
    : undefined;
  const existing = async (): Promise<{ answer: Message; run: Run } | undefined> => {
    const run = idempotency && sameRequest(await findByIdempotencyKey(deps.store.read, idempotency.scope, idempotency.key), requestHash);
    const answer = run?.messageId ? await getMessage(deps.store.read, run.messageId) : undefined;
    return run && answer && { answer, run };
  };
  const before = await existing();
  if (before) return before;
  const turn = await prepareTurn(deps, asker, known.projectId, ask.turn);
  try {
    return await deps.commit(async (tx, outbox) => {
      await requireConnections(deps, tx, [turn.model]);
      const conversation = await requireConversation(deps, tx, known.id);
      const at = deps.clock.now();
      const made = await insertAnswer(deps, tx, outbox, asker, {
        conversation,
        parentId: asked.id,
        turn,
        continueFrom: ask.continueFrom,
        idempotency,
        at,
      });
      await updateConversation(tx, outbox, conversation.id, { headMessageId: made.answer.id, updatedAt: at }, at);
      return made;
    });
  } catch (error) {
    const winner = await existing();
    if (winner) return winner;
    throw error;
  }
}

/** Try again: a new run with the same input, which points at the old one. @throws Problem conflict for a run that has not ended badly */
export async function admitAgain(
  deps: EngineDeps,
  asker: Asker,
  run: OwnedRun,
  seed: "same" | "another",
  idempotencyKey?: string,
): Promise<Run> {
  if (run.messageId) throw new Problem("conflict", { message: "Ask for another answer in the conversation instead." });
  if (run.state !== "unknown" && run.state !== "failed" && run.state !== "cancelled")
    throw new Problem("conflict", {
      message: run.state === "succeeded" ? "This run succeeded. Make it again as a new one." : "This run has not ended yet.",
    });
  const { seed: _, ...rest } = run.input as JsonObject;
  const input = seed === "same" ? (run.input as JsonObject) : rest;
  const { runs } = await admitBatch(deps, asker, {
    projectId: run.projectId,
    models: [{ connectionId: run.connectionId, modelId: run.modelId }],
    task: run.task,
    input,
    variants: 1,
    retryOf: run.id,
    idempotencyKey,
  });
  return runs[0]!;
}
