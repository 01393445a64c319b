import type { ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import type {
  AnswerShape,
  ChatPart,
  ChatTurn,
  InputFile,
  ToolChoice,
  ToolDefinition,
} from "#providers/adapter.ts";
import { insertRunInputs } from "#store/content/assets.ts";
import { hashOf } from "../connections/catalogue.ts";
import type { EngineDeps } from "../deps.ts";
import { refuseWhenFull } from "../room.ts";
import {
  type Asker,
  admitOnce,
  admitRuns,
  foundUnderKey,
  newRun,
  requireAssets,
  requireConnections,
  requireValid,
  usableModel,
} from "./admission.ts";
import { priceAnswer, wordsOf } from "./hold.ts";
import { addedTo, routeAsk } from "./route-ask.ts";

export type { FinishReason, ToolCall } from "#providers/adapter.ts";

/** A part as a run keeps it: a file by its asset's id. */
export type KeptPart = Exclude<ChatPart, { type: "file" }> | { type: "file"; assetId: string };
export type KeptTurn = { role: ChatTurn["role"]; parts: KeptPart[] };
/** What a program gave of a conversation that is its own: kept in the run itself, so that it can be shown and asked again. */
export type TurnsInput = {
  turns: KeptTurn[];
  settings: JsonObject;
  /** The names of settings that were chosen here and not by the program. */
  added?: string[];
  tools?: ToolDefinition[];
  toolChoice?: ToolChoice;
  answerShape?: AnswerShape;
  /** What the request said beside its turns, for the door that has to say it again. */
  asked?: JsonObject;
};
export type TurnsAsk = TurnsInput & {
  projectId: string;
  model: ModelRef;
  retryOf?: string;
  /** With what the program sent: the same key and the same words are one run. */
  idempotency?: { key: string; request: unknown };
};

/** @returns undefined for the input of a run of another kind */
export const turnsOf = (input: unknown): TurnsInput | undefined =>
  Array.isArray((input as Partial<TurnsInput> | null)?.turns) ? (input as TurnsInput) : undefined;

/**
 * The run of one answer without a conversation of ours: its turns are in the run. It is its author's alone.
 * @throws Problem as admitBatch does
 */
export function admitTurns(deps: EngineDeps, asker: Asker, ask: TurnsAsk): Promise<Run> {
  const { projectId, model: ref, retryOf, idempotency: given, added: _, ...input } = ask;
  const scope = `${projectId}:${asker.userId}`;
  const idempotency = given && { scope, key: given.key, requestHash: hashOf(given.request) };
  const existing = async (): Promise<Run | undefined> =>
    idempotency && (await foundUnderKey(deps, idempotency)).run;
  return admitOnce(existing, async () => {
    await refuseWhenFull(deps);
    const model = await usableModel(deps, asker, projectId, ref, "chat");
    requireAble(deps, model, input);
    const settings = withRequiredDefaults(model.inputSchema, input.settings);
    requireValid(model, settings);
    const files = filesOf(input.turns);
    const assetIds = [...new Set(files.map(({ assetId }) => assetId))];
    await requireAssets(deps, asker, projectId, assetIds);
    const said = wordsOf(textsOf(input));
    const where = { projectId, branch: [], said, assetIds };
    const routed = await routeAsk(deps, model, settings, {
      priceOf: (one, given) => priceAnswer(deps, asker, one, { ...where, settings: given }),
      whyUnable: (one) => whyUnable(deps, one, input),
    });
    return deps.commit(async (tx, outbox) => {
      await requireConnections(deps, tx, [routed.model]);
      const kept = {
        ...input,
        settings: routed.given,
        ...addedTo(settings, routed.given),
      } as unknown as JsonObject;
      const wanted = {
        projectId,
        visibility: "author",
        model: routed.model,
        task: "chat",
        input: kept,
        mostMicros: routed.mostMicros,
        routed,
        batchId: null,
        messageId: null,
      } as const;
      const [run] = await admitRuns(deps, tx, outbox, [
        newRun(deps, asker, { ...wanted, retryOf, idempotency }, deps.clock.now()),
      ]);
      await insertRunInputs(tx, run!.id, files);
      return run!;
    });
  });
}

/** @throws Problem invalid_input for tools or a shape that would be left out; too_large for more than is kept of one run */
function requireAble(
  deps: EngineDeps,
  model: ModelDetail,
  { turns, tools, answerShape }: TurnsInput,
): void {
  const lacks = deps.kinds.get(model.connectionKind)?.lacks ?? [];
  const { tools: callsTools } = model.capabilities as { tools?: boolean };
  if (tools && (callsTools === false || lacks.includes("tools")))
    throw new Problem("invalid_input", {
      field: "tools",
      message: `${model.name} does not call tools here.`,
    });
  if (answerShape && lacks.includes("answerShape"))
    throw new Problem("invalid_input", {
      field: "response_format",
      message: `${model.name} does not answer in a given shape here.`,
    });
  const characters = turns
    .flatMap(({ parts }) => parts.map((part) => textOf(part).length))
    .reduce((sum, length) => sum + length, 0);
  if (characters > limits.apiTextCharacters)
    throw new Problem("too_large", {
      message: `A conversation has at most ${limits.apiTextCharacters} characters.`,
    });
}

function whyUnable(deps: EngineDeps, model: ModelDetail, input: TurnsInput): string | null {
  try {
    requireAble(deps, model, input);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

const filesOf = (turns: readonly KeptTurn[]): { assetId: string; role: string }[] =>
  turns.flatMap(({ parts }, i) =>
    parts.flatMap((part, j) =>
      part.type === "file" ? [{ assetId: part.assetId, role: `turns.${i}.${j}` }] : [],
    ),
  );

/** Every word that the model will read, tools and shapes with it: what it may cost is counted from them. */
function textsOf({ turns, tools, answerShape }: TurnsInput): string[] {
  const texts = turns.flatMap(({ parts }) => parts.map(textOf));
  return [
    ...texts,
    ...(tools ?? []).map((tool) => JSON.stringify(tool)),
    ...(answerShape ? [JSON.stringify(answerShape)] : []),
  ];
}

function textOf(part: KeptPart): string {
  if (part.type === "tool-call")
    return `${part.name}${part.malformed ?? JSON.stringify(part.input)}`;
  if (part.type === "tool-result") return `${part.name}${part.output}`;
  return part.type === "file" ? "" : part.text;
}

/** The turns as the adapter gets them. */
export const openTurns = (
  turns: readonly KeptTurn[],
  files: ReadonlyMap<string, InputFile>,
): ChatTurn[] =>
  turns.map(({ role, parts }) => ({
    role,
    parts: parts.map((part): ChatPart => {
      if (part.type !== "file") return part;
      const file = files.get(part.assetId);
      return file ? { type: "file", file } : { type: "text", text: "[a file that was deleted]" };
    }),
  }));
