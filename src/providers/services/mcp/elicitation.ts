import type { ElicitResult } from "@modelcontextprotocol/client";
import { cleanText } from "#contract/entities.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { AskedQuestion, RunContext } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";

/**
 * The keywords allowed in a question's form (specification 2025-11-25, "Elicitation"): flat,
 * without patterns, which could block the process.
 */
const keywords = [
  "title",
  "description",
  "default",
  "enum",
  "enumNames",
  "oneOf",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "format",
];
const types: readonly unknown[] = ["string", "number", "integer", "boolean"];

/**
 * Passes a server's question during a call to the person in the chat. A question that isn't a form,
 * or reaches nobody, isn't answered.
 */
export async function askFor(
  params: unknown,
  context: RunContext,
  withdrawn: AbortSignal,
): Promise<ElicitResult> {
  const question = readQuestion(params);
  if (!question) return { action: "decline" };
  const answer = await context.askPerson?.(question, withdrawn);
  if (!answer) return { action: "cancel" };
  return { action: answer.action, ...(answer.content && { content: answer.content as never }) };
}

function readQuestion(params: unknown): AskedQuestion | undefined {
  if (!isRecord(params) || (params.mode !== undefined && params.mode !== "form")) return undefined;
  const { message, requestedSchema } = params;
  if (typeof message !== "string" || !isRecord(requestedSchema)) return undefined;
  const { properties, required } = requestedSchema;
  if (!isRecord(properties)) return undefined;
  const fields = Object.entries(properties).map(([name, field]) => [name, toField(field)] as const);
  if (fields.length > limits.toolQuestionFields || fields.some(([, field]) => !field))
    return undefined;
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields) as JsonObject,
    required: Array.isArray(required)
      ? required.map(String).filter((name) => name in properties)
      : [],
    additionalProperties: false,
  };
  const isShort = JSON.stringify(schema).length <= limits.toolSchemaCharacters;
  return isShort
    ? { message: cleanText(message).slice(0, limits.toolQuestionCharacters), schema }
    : undefined;
}

/**
 * Converts a field of text, a number, a switch or a choice; several choices are a list of texts.
 */
function toField(field: unknown): JsonObject | undefined {
  if (!isRecord(field)) return undefined;
  const kept = Object.fromEntries(
    keywords.flatMap((name) => (field[name] === undefined ? [] : [[name, field[name]]])),
  ) as JsonObject;
  if (field.type === "array") {
    const items = isRecord(field.items) ? field.items : {};
    const choices = items.enum ?? items.anyOf;
    return Array.isArray(choices)
      ? ({
          ...kept,
          type: "array",
          items: { type: "string", enum: choicesOf(choices) },
        } as JsonObject)
      : undefined;
  }
  if (!types.includes(field.type)) return undefined;
  const { oneOf, ...plain } = kept;
  return {
    ...plain,
    type: field.type as Json,
    ...(Array.isArray(oneOf) && { enum: choicesOf(oneOf) }),
  };
}

/** Titled choices are values with names; the answer contains the value. */
const choicesOf = (choices: readonly unknown[]): string[] =>
  choices.map((choice) => String(isRecord(choice) ? choice.const : choice));
