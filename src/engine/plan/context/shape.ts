import { conversationShape, type ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { checkShape } from "#domain/schemas/answer-shape.ts";
import type { AnswerShape } from "#providers/adapter.ts";
import type { EngineDeps } from "../../deps.ts";

/** Providers require a name for the shape, which people don't enter. */
const name = "answer";

export const shapesAnswers = (
  deps: Pick<EngineDeps, "kinds">,
  model: Pick<ModelDetail, "connectionKind">,
): boolean => deps.kinds.get(model.connectionKind)?.lacks?.includes("answerShape") !== true;

/**
 * Reads the answer shape from a conversation's settings.
 * @throws Problem invalid_input if the model doesn't support shapes or the value isn't a schema
 */
export function shapeOf(
  deps: Pick<EngineDeps, "kinds">,
  model: ModelDetail,
  settings: unknown,
): AnswerShape | undefined {
  const kept = (settings as { shape?: unknown } | null)?.shape;
  if (kept === undefined || kept === null) return undefined;
  const read = conversationShape.safeParse(kept);
  if (read.success && JSON.stringify(read.data.schema).length > limits.shapeCharacters)
    throw new Problem("too_large", {
      field: "settings.shape",
      message: sentences.chat.shapeTooLong({ most: limits.shapeCharacters }),
    });
  const issue = read.success ? checkShape(read.data.schema) : { message: sentences.chat.notSchema };
  if (!read.success || issue)
    throw new Problem("invalid_input", {
      field: "settings.shape",
      message: `The JSON Schema for the answers is not valid: ${issue?.message}`,
    });
  if (!shapesAnswers(deps, model))
    throw new Problem("invalid_input", {
      field: "settings.shape",
      message: sentences.chat.shapeNotSupported({ model: model.name }),
    });
  return { name, schema: read.data.schema as JsonSchema };
}
