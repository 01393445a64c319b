import type {
  MessagePart,
  ModelRef,
  RunError,
  RunState,
  ToolCallPart,
  ToolResultPart,
} from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { askedModel } from "#domain/runs/asked.ts";
import type { NewAsset } from "#store/content/assets.ts";
import {
  getConversation,
  getMessage,
  insertMessage,
  lockConversation,
  lockOpenMessage,
  updateConversation,
  updateOpenMessage,
} from "#store/content/conversations.ts";
import type { AttemptRow } from "#store/database/schema.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { toolsOf } from "./offer.ts";

/**
 * Inserts a message for tool results below an answer, in the unit that saves the answer's tool
 * calls. Any server that finds the message open advances it (`rounds/advance.ts`), so no step is
 * lost between two units.
 */
export async function openCalls(
  unit: Unit,
  deps: EngineDeps,
  answerId: string,
  calls: readonly ToolCallPart[],
): Promise<void> {
  const answer = await getMessage(unit.tx, answerId);
  const conversation = answer && (await getConversation(unit.tx, answer.conversationId));
  // Summaries have no tools.
  if (answer?.role !== "assistant" || !conversation) return;
  const parts = calls.map((call, index): ToolResultPart => {
    const result = {
      type: "tool-result" as const,
      callId: call.callId,
      name: call.name,
      runId: null,
      assetIds: [],
    };
    if (index >= limits.toolCallsPerAnswer)
      return {
        ...result,
        state: "failed",
        output: sentences.tools.tooManyAtOnce,
      };
    return { ...result, state: "open", output: "" };
  });
  const message = await insertMessage(unit, conversation, {
    id: deps.ids(),
    parentId: answer.id,
    role: "tool",
    state: "streaming",
    parts,
    runId: null,
    continuesId: null,
  });
  // If the person has switched to another branch in the meantime, that branch stays selected.
  if (conversation.headMessageId === answer.id)
    await updateConversation(unit, conversation.id, { headMessageId: message.id });
}

/** Allows the tool of this run without approval in its conversation, from the next answer on. */
export async function allowAlways(unit: Unit, run: OwnedRun): Promise<void> {
  const message = run.messageId === null ? undefined : await getMessage(unit.tx, run.messageId);
  const conversation = message && (await lockConversation(unit.tx, message.conversationId));
  if (!conversation) return;
  const tools = toolsOf(conversation.settings);
  const asked = askedModel(run);
  const isThis = (tool: ModelRef): boolean =>
    tool.connectionId === asked.connectionId && tool.modelId === asked.modelId;
  const models = tools.models.map((tool) => (isThis(tool) ? { ...tool, allowed: true } : tool));
  const settings = { ...(conversation.settings as object), tools: { ...tools, models } };
  await updateConversation(unit, conversation.id, { settings });
}

/** The outcome of a tool's run, as the model reads it. */
export type CallEnd = {
  result: JsonObject | null;
  error: RunError | null;
  assets: readonly { asset: NewAsset }[];
  attempt: Partial<AttemptRow>;
};

/** Writes the result of an ended tool run into its message, in the same unit. */
export async function closeCall(
  unit: Unit,
  run: OwnedRun,
  state: RunState,
  outcome: CallEnd,
): Promise<void> {
  const message =
    run.messageId === null ? undefined : await lockOpenMessage(unit.tx, run.messageId);
  if (!message) return;
  const parts = message.parts.map((part): MessagePart => {
    if (part.type !== "tool-result" || part.runId !== run.id) return part;
    const pictures = outcome.assets.filter(({ asset }) => asset.kind === "image");
    return {
      ...part,
      ...resultOf(run, state, outcome),
      assetIds: outcome.assets.map(({ asset }) => asset.id),
      ...(run.task === "tool" &&
        pictures.length > 0 && { pictureIds: pictures.map(({ asset }) => asset.id) }),
    };
  });
  await updateOpenMessage(unit, message, parts);
}

function resultOf(
  run: OwnedRun,
  state: RunState,
  outcome: CallEnd,
): Pick<ToolResultPart, "state" | "output"> {
  if (state === "cancelled") {
    const isRefused = run.waitingFor === "asker";
    return isRefused
      ? { state: "refused", output: sentences.tools.declined }
      : {
          state: "stopped",
          output: `The person stopped this.${run.attempts > 0 ? " It may have run in part." : ""}`,
        };
  }
  const toolResult = outcome.result as { text?: string; isError?: boolean } | null;
  if (run.task === "tool" && state === "succeeded")
    return {
      state: toolResult?.isError ? "failed" : "done",
      output: toolResult?.text || sentences.tools.noText,
    };
  if (state === "failed") {
    // Without this note, a model would repeat a call that has effects elsewhere.
    const mayBeDone =
      run.task === "tool" && outcome.attempt?.state === "lost"
        ? " The tool may have run. Check before calling it again."
        : "";
    return {
      state: "failed",
      output: `${outcome.error?.message ?? sentences.tools.failedPlainly}${mayBeDone}`,
    };
  }
  const files = outcome.assets.map(({ asset }) =>
    [
      `asset:${asset.id}`,
      asset.kind,
      asset.width && asset.height ? `${asset.width}x${asset.height}` : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
  const made = `Made, and shown to the person:\n${files.join("\n")}`;
  return { state: "done", output: made.slice(0, limits.toolOutputCharacters) };
}
