import type { ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { isLabel } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import type {
  AnswerShape,
  ChatPart,
  ChatTurn,
  ConnectionKind,
  InputFile,
  ToolChoice,
  ToolDefinition,
} from "#providers/adapter.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { requireAssets, requireValid } from "./checks.ts";
import { nothingCounted } from "./context/count.ts";
import { priceAnswer } from "./price.ts";
import { routeAsk } from "./route-ask.ts";
import { measureTexts } from "./text-size.ts";

export type { FinishReason, ToolCall } from "#providers/adapter.ts";

/**
 * A part as a run stores it, with files by asset id. `from` is the connection that signed the part:
 * another account, or another service of the same kind, refuses it.
 */
export type StoredPart =
  | (Exclude<ChatPart, { type: "file" }> & { from?: string })
  | { type: "file"; assetId: string };

export type StoredTurn = { role: ChatTurn["role"]; parts: StoredPart[] };

/**
 * The turns of a client's own conversation, stored in the run so that they can be shown and
 * requested again.
 */
export type TurnsInput = {
  turns: StoredTurn[];
  settings: JsonObject;
  /** The names of settings that planning added. */
  added?: string[];
  tools?: ToolDefinition[];
  toolChoice?: ToolChoice;
  answerShape?: AnswerShape;
  /**
   * The client's parameters that the model's service accepts under the same names (`passes` of its
   * kind).
   */
  passed?: JsonObject;
  /** The request's parameters other than its turns, for the API that returns them. */
  asked?: JsonObject;
};

/** The client's parameters that a model accepts (`TurnsInput.passed`). */
export const parametersOf = (
  { passes = [], lacksParameter }: Pick<ConnectionKind, "passes" | "lacksParameter">,
  modelId: string,
): readonly string[] => passes.filter((name) => !lacksParameter?.(modelId, name));

/** The same for one request: some models refuse parameters while they reason. */
export function parametersFor(
  kind: ConnectionKind,
  { modelId, capabilities }: Pick<ModelDetail, "modelId" | "capabilities">,
  settings: JsonObject,
): readonly string[] {
  const reasons = capabilities.reasoning === true && settings.reasoningEffort !== "none";
  const refused = reasons ? (kind.refusesInReasoning ?? []) : [];
  return parametersOf(kind, modelId).filter((name) => !refused.includes(name));
}

/**
 * The client's parameters that a model doesn't get, except those without effect elsewhere: labels,
 * and a budget for thinking next to the effort that stands for it.
 */
export function lackedBy(
  kind: ConnectionKind | undefined,
  model: Pick<ModelDetail, "modelId" | "capabilities">,
  { passed = {}, settings }: Pick<TurnsInput, "passed" | "settings">,
): string[] {
  const accepted = kind ? parametersFor(kind, model, settings) : [];
  const isSilent = (name: string): boolean =>
    isLabel(name) || (name === "thinking_budget" && settings.reasoningEffort !== undefined);
  return Object.keys(passed).filter((name) => !accepted.includes(name) && !isSilent(name));
}

/** @returns undefined for the input of another kind of run */
export const turnsOf = (input: unknown): TurnsInput | undefined =>
  Array.isArray((input as Partial<TurnsInput> | null)?.turns) ? (input as TurnsInput) : undefined;

/**
 * Checks and prices turns from a client.
 * @returns `settings` as requested, before planning adds a limit; `files` with their roles
 * @throws Problem invalid_input with the field, too_large, not_found for a file
 */
export async function planTurns(
  deps: EngineDeps,
  asker: Asker,
  model: ModelDetail,
  projectId: string,
  input: TurnsInput,
) {
  requireAble(deps, model, input);
  const settings = withRequiredDefaults(model.inputSchema, input.settings);
  requireValid(model, settings);
  const files = filesOf(input.turns);
  const assetIds = [...new Set(files.map(({ assetId }) => assetId))];
  await requireAssets(deps, asker, projectId, assetIds);
  const where = { projectId, branch: nothingCounted, said: measureTexts(textsOf(input)), assetIds };
  const routed = await routeAsk(deps, model, settings, {
    priceOf: (one, given) => priceAnswer(deps, asker, one, { ...where, settings: given }),
    whyUnable: (one) => whyUnable(deps, one, input),
    lackedBy: (one) => lackedBy(deps.kinds.get(one.connectionKind), one, input),
  });
  return { settings, files, routed };
}

/**
 * @throws Problem invalid_input for tools or a shape that the model would ignore; too_large beyond
 *   the size limit of one run
 */
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
      message: sentences.chat.modelNoTools({ model: model.name }),
    });
  if (answerShape && lacks.includes("answerShape"))
    throw new Problem("invalid_input", {
      field: "response_format",
      message: sentences.chat.modelNoShape({ model: model.name }),
    });
  const characters = turns
    .flatMap(({ parts }) => parts.map((part) => textOf(part).length))
    .reduce((sum, length) => sum + length, 0);
  if (characters > limits.apiTextCharacters)
    throw new Problem("too_large", {
      message: sentences.chat.tooLong({ most: limits.apiTextCharacters }),
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

const filesOf = (turns: readonly StoredTurn[]): { assetId: string; role: string }[] =>
  turns.flatMap(({ parts }, i) =>
    parts.flatMap((part, j) =>
      part.type === "file" ? [{ assetId: part.assetId, role: `turns.${i}.${j}` }] : [],
    ),
  );

/**
 * All text that the model reads, including tools and shapes, which the cost estimate is based on.
 */
function textsOf({ turns, tools, answerShape }: TurnsInput): string[] {
  const texts = turns.flatMap(({ parts }) => parts.map(textOf));
  return [
    ...texts,
    ...(tools ?? []).map((tool) => JSON.stringify(tool)),
    ...(answerShape ? [JSON.stringify(answerShape)] : []),
  ];
}

function textOf(part: StoredPart): string {
  if (part.type === "tool-call")
    return `${part.name}${part.malformed ?? part.written ?? JSON.stringify(part.input)}`;
  if (part.type === "tool-result") return `${part.name}${part.output}`;
  if (part.type === "tool-record") return JSON.stringify(part.data);
  return part.type === "file" ? "" : part.text;
}

/** The turns as a connection's adapter receives them. */
export const openTurns = (
  turns: readonly StoredTurn[],
  files: ReadonlyMap<string, InputFile>,
  connectionId: string,
): ChatTurn[] =>
  turns.map(({ role, parts }) => ({
    role,
    parts: parts.flatMap((part): ChatPart[] => {
      if (part.type === "file") {
        const file = files.get(part.assetId);
        return [
          file ? { type: "file", file } : { type: "text", text: "[a file that was deleted]" },
        ];
      }
      const { from, ...given } = part;
      const isForeign = from !== undefined && from !== connectionId;
      if (!isForeign) return [given];
      if (given.type === "reasoning") return [];
      if (given.type !== "tool-call") return [given];
      const { providerMetadata: _, ...call } = given;
      return [call];
    }),
  }));
