import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { CallContext, ModelFacts, PlainQuestion } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { chatFields, chatForm } from "../../wire/forms.ts";
import { type Row, readPages, releasedAt, rowsOf } from "../../wire/model-list.ts";
import { countOf, statedCount, textOf } from "../../wire/values.ts";
import { api } from "./access.ts";
import { sessionPrice } from "./code-execution.ts";

/**
 * GET /models (https://docs.anthropic.com/en/api/models-list).
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const pages = readPages(
    ({ id }) => id,
    async (after) => {
      const from = after && `&after_id=${encodeURIComponent(after)}`;
      const { data, has_more, last_id } = await api.callObject(
        context,
        `/models?limit=1000${from}`,
      );
      return { rows: rowsOf(data), next: has_more === true ? last_id : "" };
    },
  );
  for await (const rows of pages) yield rows.map(toModelFacts);
}

/**
 * POST /messages/count_tokens (https://docs.claude.com/en/api/messages-count-tokens), which is
 * free.
 * @throws ProviderError
 */
export async function countTokens(
  model: string,
  question: PlainQuestion,
  context: CallContext,
): Promise<number> {
  const { input_tokens } = await api.callObject(context, "/messages/count_tokens", {
    method: "POST",
    isFree: true,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, ...question }),
  });
  return statedCount(input_tokens, sentences.connections.notService({ service: "Anthropic" }));
}

/**
 * Converts a row of the list. Facts that a row omits hold for every Claude model, except code
 * execution.
 */
function toModelFacts(row: Row): ModelFacts {
  const id = String(row.id);
  const stated = isRecord(row.capabilities) ? row.capabilities : {};
  const says = (name: string): boolean | undefined => {
    const value = stated[name];
    return isRecord(value) && typeof value.supported === "boolean" ? value.supported : undefined;
  };
  const outputTokens = countOf(row.max_tokens);
  const contextTokens = countOf(row.max_input_tokens);
  const capabilities = {
    imageInput: says("image_input") ?? true,
    pdfInput: says("pdf_input") ?? true,
    tools: true,
    reasoning: says("thinking") ?? true,
    seed: false,
  };
  const runsCode = says("code_execution") === true;
  return {
    id,
    name: textOf(row.display_name) ?? id,
    tasks: ["chat"],
    inputModalities: [
      "text",
      ...(capabilities.imageInput ? (["image"] as const) : []),
      ...(capabilities.pdfInput ? (["file"] as const) : []),
    ],
    outputModalities: ["text"],
    inputSchema: chatForm(capabilities, outputTokens, {
      // Its API sets no limit like that of OpenAI's (https://docs.claude.com/en/api/messages).
      stop: { ...chatFields.stop, maxItems: limits.apiStops },
      ...(runsCode && {
        codeInterpreter: {
          type: "boolean",
          title: "Run code",
          description:
            "Claude runs Python and shell commands at Anthropic. Its files are saved. Five minutes cost $0.0042.",
          default: false,
        },
      }),
    }),
    capabilities,
    limits: {
      ...(contextTokens !== undefined && { contextTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
    },
    price: null,
    ...(runsCode && { toolPrices: [sessionPrice] }),
    status: "active",
    ...releasedAt.iso(row.created_at),
  };
}
