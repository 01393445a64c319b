import type {
  Conversation,
  Message,
  MessagePart,
  ToolCallPart,
  ToolResultPart,
} from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { decide } from "#domain/people/policy.ts";
import { askedInput, askedModel } from "#domain/runs/asked.ts";
import {
  type ChatRunInput,
  completeMessage,
  getConversation,
  getMessage,
  listBranch,
  lockConversation,
  lockOpenMessage,
  updateOpenMessage,
} from "#store/content/conversations.ts";
import { listOpenToolMessages, listOpenToolMessagesOf } from "#store/content/open-tools.ts";
import { findLivingKeyById } from "#store/people/api-keys.ts";
import { getUser } from "#store/people/people.ts";
import { findScope } from "#store/people/scopes.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { admit } from "../admit/admit.ts";
import { admitNext } from "../admit/admit-answer.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { planInput } from "../plan/input.ts";
import { toRunError } from "../settle/settle.ts";
import { libraryTools } from "../tools/library.ts";
import type { ToolBinding } from "../tools/offer.ts";

/** The tool calls of one answer. The answer's run identifies the asker and the offered tools. */
type Round = {
  message: Message;
  conversation: Conversation;
  calls: ToolCallPart[];
  run: OwnedRun;
  asker: Asker;
  bindings: ToolBinding[];
};

const isOpen = (part: MessagePart): part is ToolResultPart =>
  part.type === "tool-result" && part.state === "open";

/**
 * Advances every round of tools that is ready, after an interruption or the end of a run. Scans all
 * of them, because the oldest may be waiting for its person forever.
 */
export async function advanceAllTools(deps: EngineDeps): Promise<void> {
  let page: string[] = [];
  do {
    page = await listOpenToolMessages(deps.store.read, page.at(-1) ?? "", limits.pageSizeMost);
    await advanceEach(deps, page);
  } while (page.length === limits.pageSizeMost);
}

/** Advances the rounds of these messages, or those requested by their answers. */
export const advanceToolsOf = async (
  deps: EngineDeps,
  messageIds: readonly string[],
): Promise<void> => advanceEach(deps, await listOpenToolMessagesOf(deps.store.read, messageIds));

async function advanceEach(deps: EngineDeps, messageIds: readonly string[]): Promise<void> {
  for (const messageId of messageIds)
    await advanceTools(deps, messageId).catch((error) =>
      deps.log.warn({ messageId, error: String(error) }, "could not continue with tools"),
    );
}

/**
 * Advances one round of tools: starts the pending calls, and requests the next answer once all are
 * done. Safe to repeat and on several servers at once, because each step is a unit that does
 * nothing unless it finds the message open.
 */
async function advanceTools(deps: EngineDeps, messageId: string): Promise<void> {
  const round = await readRound(deps, messageId);
  if (!round) return;
  const may = await mayStill(deps, round);
  for (const part of round.message.parts.filter(isOpen)) {
    if (part.runId !== null) continue;
    if (may) await beginCall(deps, round, part);
    else
      await close(deps, messageId, part.callId, {
        state: "stopped",
        output: sentences.tools.noLongerAllowed,
      });
  }
  const now = await getMessage(deps.store.db, messageId);
  if (now?.state === "streaming" && !now.parts.some(isOpen))
    await continueAnswer(deps, { ...round, message: now });
}

/**
 * The asker may have been suspended, removed from the project, or lost their key during the round.
 */
async function mayStill(deps: EngineDeps, { conversation, run }: Round): Promise<boolean> {
  if (run.apiKeyId && !(await findLivingKeyById(deps.store.db, run.apiKeyId, deps.clock.now())))
    return false;
  const user = await getUser(deps.store.db, run.userId);
  const scope = await findScope(deps.store.db, "conversation", conversation.id, run.userId);
  return (
    user !== undefined &&
    decide({ userId: user.id, role: user.role, status: user.status }, "author", scope) === "allowed"
  );
}

async function readRound(deps: EngineDeps, messageId: string): Promise<Round | undefined> {
  const message = await getMessage(deps.store.db, messageId);
  if (message?.role !== "tool" || message.state !== "streaming" || message.parentId === null)
    return undefined;
  const answer = await getMessage(deps.store.db, message.parentId);
  const run = answer?.runId ? await getRun(deps.store.db, answer.runId) : undefined;
  const conversation = await getConversation(deps.store.db, message.conversationId);
  if (!answer || !run || !conversation) return undefined;
  const calls = answer.parts.filter((part) => part.type === "tool-call");
  const asker: Asker = run.apiKeyId
    ? { userId: run.userId, key: { id: run.apiKeyId } }
    : { userId: run.userId };
  return {
    message,
    conversation,
    calls,
    run,
    asker,
    bindings: ((run.input as ChatRunInput).tools ?? []) as ToolBinding[],
  };
}

/** Starts one call. The model gets the error of a call that can't start. */
async function beginCall(deps: EngineDeps, round: Round, part: ToolResultPart): Promise<void> {
  const call = round.calls.find(({ callId }) => callId === part.callId);
  const binding = round.bindings.find(({ name }) => name === part.name);
  try {
    if (!call || !binding) throw new Error(`There is no tool "${part.name}" here.`);
    if (call.malformed !== undefined) throw new Error("The input is no JSON object.");
    if (binding.is === "library") await readLibrary(deps, round, part, call.input as JsonObject);
    else await beginRun(deps, round, part, binding, call.input as JsonObject);
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof Error && error.constructor === Error))
      throw error;
    const said =
      error instanceof Problem ? toRunError(error, round.run.connectionId).message : error.message;
    await close(deps, round.message.id, part.callId, { state: "failed", output: said });
  }
}

async function readLibrary(
  deps: EngineDeps,
  { message, run }: Round,
  part: ToolResultPart,
  input: JsonObject,
): Promise<void> {
  const tool = libraryTools.find(({ name }) => name === part.name);
  if (!tool) throw new Error(`There is no tool "${part.name}" here.`);
  const output = await tool.use(deps, { projectId: run.projectId, userId: run.userId }, input);
  await close(deps, message.id, part.callId, {
    state: "done",
    output: output.slice(0, limits.toolOutputCharacters),
  });
}

/** Writes the result of an open call in a unit of its own. */
async function close(
  deps: EngineDeps,
  messageId: string,
  callId: string,
  result: Pick<ToolResultPart, "state" | "output">,
): Promise<void> {
  await deps.commit(async (unit) => {
    const message = await lockOpenMessage(unit.tx, messageId);
    if (!message) return;
    const parts = message.parts.map((part) =>
      isOpen(part) && part.callId === callId && part.runId === null ? { ...part, ...result } : part,
    );
    await updateOpenMessage(unit, message, parts);
  });
}

/**
 * Uses a model as a tool: its run is admitted, with its reservation, in the unit that writes its id
 * into the message.
 */
async function beginRun(
  deps: EngineDeps,
  { message, conversation, asker }: Round,
  part: ToolResultPart,
  binding: Extract<ToolBinding, { is: "model" }>,
  given: JsonObject,
): Promise<void> {
  const { projectId } = conversation;
  const { connectionId, modelId, allowed } = binding;
  const isThis = (known: MessagePart): known is ToolResultPart =>
    isOpen(known) && known.callId === part.callId;
  await admit<void>(
    deps,
    { asker, projectId, models: [{ ref: { connectionId, modelId } }] },
    {
      async plan([usable]) {
        const model = usable!;
        const task = model.tasks[0] ?? "other";
        const planned = await planInput(deps, asker, model, { projectId, task, input: given });
        return {
          models: [planned.model],
          async insert(admission) {
            // The conversation may have been made private or deleted since the round was read.
            const now = await lockConversation(admission.tx, conversation.id);
            const open = await lockOpenMessage(admission.tx, message.id);
            if (!now || !open?.parts.some((known) => isThis(known) && known.runId === null)) return;
            const visibility = planned.visibility === "author" ? "author" : now.visibility;
            const where = { projectId, visibility, task, batchId: null, messageId: message.id };
            const [run] = await admission.start([{ ...planned, ...where, asksFirst: !allowed }]);
            const parts = open.parts.map((known) =>
              isThis(known) ? { ...known, runId: run!.id } : known,
            );
            await updateOpenMessage(admission, open, parts);
          },
        };
      },
    },
  );
}

/**
 * Continues with the model once all calls are done, unless a person stopped a tool or the limit of
 * rounds is reached.
 */
async function continueAnswer(deps: EngineDeps, round: Round): Promise<void> {
  const { message, conversation, run, asker } = round;
  const results = message.parts.filter((part) => part.type === "tool-result");
  try {
    if (results.some(({ state }) => state === "stopped"))
      throw new Problem("conflict", { message: sentences.tools.stoppedByYou });
    if (!(await mayStill(deps, round))) throw new Problem("forbidden");
    if ((await roundsOf(deps, message)) >= limits.toolRounds)
      throw new Problem("conflict", {
        message: sentences.tools.tooManyRounds({ rounds: limits.toolRounds }),
      });
    await admitNext(deps, asker, conversation, message, {
      model: askedModel(run),
      settings: askedInput(run),
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const problem = { type: "problem" as const, error: toRunError(error, run.connectionId) };
    await deps.commit(async (unit) => {
      const open = await lockOpenMessage(unit.tx, message.id);
      if (open) await completeMessage(unit, open.id, "complete", [...open.parts, problem]);
    });
  }
}

/** How many consecutive rounds of tools the model has requested. */
async function roundsOf(deps: EngineDeps, message: Message): Promise<number> {
  const branch = await listBranch(deps.store.read, message.conversationId, message.id);
  const asked = branch.findLastIndex(({ role }) => role === "user");
  return branch.slice(asked + 1).filter(({ role }) => role === "tool").length;
}
