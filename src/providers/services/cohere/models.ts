import type { JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type ModelCapabilities,
  type ModelFacts,
  ProviderError,
} from "../../adapter.ts";
import { isRecord } from "../../wire/error-words.ts";
import { chatForm, inOrder } from "../../wire/forms.ts";
import { api } from "./access.ts";

type Row = Record<string, unknown>;

/** A list that gives the same page again and again is not read for ever. */
const mostPages = 20;

/** The list read once: the address is right and the key good. Throws ProviderError. */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  let count = 0;
  for await (const page of listModels(context)) count += page.length;
  return {
    message: count === 1 ? sentences.connections.oneModel : sentences.connections.models({ count }),
  };
}

/** GET /v1/models, page by page (https://docs.cohere.com/reference/list-models). Throws ProviderError. */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const seen = new Set<string>();
  let token = "";
  for (let page = 0; page < mostPages; page++) {
    const body = await api.callObject(
      context,
      `/v1/models?page_size=1000${token && `&page_token=${encodeURIComponent(token)}`}`,
    );
    if (!Array.isArray(body.models)) {
      throw new ProviderError("provider_protocol", "no", {
        message: sentences.connections.noModelList,
      });
    }
    const rows = (body.models as unknown[])
      .filter(isRecord)
      .filter(({ name }) => typeof name === "string" && name !== "");
    const fresh = rows.filter(({ name }) => !seen.has(String(name)));
    for (const { name } of fresh) seen.add(String(name));
    yield fresh.flatMap(toFacts);
    if (
      typeof body.next_page_token !== "string" ||
      body.next_page_token === "" ||
      fresh.length === 0
    )
      return;
    token = body.next_page_token;
  }
}

const strings = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];

/** What the list says of a model; none where there is no task for its endpoints. */
function toFacts(row: Row): ModelFacts[] {
  const id = String(row.name);
  const [endpoints, features] = [strings(row.endpoints), strings(row.features)];
  const contextTokens =
    Number.isInteger(row.context_length) && (row.context_length as number) > 0
      ? (row.context_length as number)
      : undefined;
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

/** POST /v2/chat (https://docs.cohere.com/reference/chat): its bounds are its own. */
const toChatForm = (capabilities: ModelCapabilities): JsonSchema =>
  chatForm(capabilities, undefined, {
    topP: {
      type: "number",
      title: "Top P",
      description: "Samples only from the most likely tokens up to this share.",
      minimum: 0.01,
      maximum: 0.99,
    },
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
    input: { type: "string", title: "Text", minLength: 1, maxLength: limits.promptCharacters },
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
