import type { JsonSchema } from "#contract/json.ts";
import type { CallContext, ModelCapabilities, ModelFacts } from "../../adapter.ts";
import { chatFields, chatForm, inOrder, textField } from "../../wire/forms.ts";
import { type Row, readPages, rowsOf } from "../../wire/model-list.ts";
import { countOf, textsOf } from "../../wire/values.ts";
import { api } from "./access.ts";

/**
 * GET /v1/models (https://docs.cohere.com/reference/list-models).
 * @throws ProviderError
 */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const pages = readPages(
    ({ name }) => name,
    async (token) => {
      const from = token && `&page_token=${encodeURIComponent(token)}`;
      const body = await api.callObject(context, `/v1/models?page_size=1000${from}`);
      return { rows: rowsOf(body.models), next: body.next_page_token };
    },
  );
  for await (const rows of pages) yield rows.flatMap(toFacts);
}

/** Converts a row of the list; empty when no task fits its endpoints. */
function toFacts(row: Row): ModelFacts[] {
  const id = String(row.name);
  const [endpoints, features] = [textsOf(row.endpoints), textsOf(row.features)];
  const contextTokens = countOf(row.context_length);
  const shared = {
    id,
    name: id,
    limits: { ...(contextTokens !== undefined && { contextTokens }) },
    price: null,
    status: row.is_deprecated === true ? "deprecated" : "active",
  } as const;
  if (endpoints.includes("chat")) {
    const capabilities: ModelCapabilities = {
      imageInput: features.includes("vision") || row.supports_vision === true,
      pdfInput: false,
      reasoning: features.includes("reasoning"),
      tools: features.includes("tools"),
    };
    const inputModalities: ModelFacts["inputModalities"] = capabilities.imageInput
      ? ["text", "image"]
      : ["text"];
    return [
      {
        ...shared,
        tasks: ["chat"],
        inputModalities,
        outputModalities: ["text"],
        inputSchema: toChatForm(capabilities),
        capabilities,
      },
    ];
  }
  if (!endpoints.includes("embed")) return [];
  const media = {
    inputModalities: ["text"],
    outputModalities: ["file"],
  } satisfies Partial<ModelFacts>;
  return [
    {
      ...shared,
      ...media,
      tasks: ["embedding"],
      inputSchema: embeddingForm,
      capabilities: { seed: false },
    },
  ];
}

/** POST /v2/chat (https://docs.cohere.com/reference/chat), which has its own bounds. */
const toChatForm = (capabilities: ModelCapabilities): JsonSchema =>
  chatForm(capabilities, undefined, {
    topP: { ...chatFields.topP, minimum: 0.01, maximum: 0.99 },
    topK: {
      type: "integer",
      title: "Top K",
      description: "Samples only from this many of the most likely tokens.",
      minimum: 0,
      maximum: 500,
    },
  });

/** POST /v2/embed (https://docs.cohere.com/reference/embed). */
const embeddingForm = inOrder(
  {
    input: textField,
    inputType: {
      type: "string",
      title: "For",
      enum: ["search_document", "search_query", "classification", "clustering"],
      default: "search_document",
    },
    outputDimension: {
      type: "integer",
      title: "Dimensions",
      description: "Not every model supports this.",
      enum: [256, 512, 1_024, 1_536],
    },
  },
  ["input"],
);
