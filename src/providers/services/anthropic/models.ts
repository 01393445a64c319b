import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, type ModelFacts, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-words.ts";
import { chatForm } from "../../wire/forms.ts";
import { releasedAt } from "../../wire/release-date.ts";
import { getObject } from "./access.ts";

type Row = Record<string, unknown>;

const pageRows = 1_000;
/** A list that gives the same page again and again is not read for ever. */
const mostPages = 20;

/** One GET: the address is right and the key good. Throws ProviderError. */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  let count = 0;
  for await (const page of listModels(context)) count += page.length;
  return {
    message: count === 1 ? sentences.connections.oneModel : sentences.connections.models({ count }),
  };
}

/** GET /models, page by page (https://docs.anthropic.com/en/api/models-list). Throws ProviderError. */
export async function* listModels(context: CallContext): AsyncGenerator<ModelFacts[]> {
  const seen = new Set<string>();
  let after = "";
  for (let page = 0; page < mostPages; page++) {
    const body = await getObject(
      context,
      `/models?limit=${pageRows}${after && `&after_id=${encodeURIComponent(after)}`}`,
    );
    if (!Array.isArray(body.data)) {
      throw new ProviderError("provider_protocol", "no", {
        message: sentences.connections.noModelList,
      });
    }
    const rows = (body.data as unknown[]).filter(
      (row): row is Row => isRecord(row) && typeof row.id === "string" && row.id !== "",
    );
    const fresh = rows.filter((row) => !seen.has(String(row.id)));
    for (const row of fresh) seen.add(String(row.id));
    yield fresh.map(toModelFacts);
    if (body.has_more !== true || typeof body.last_id !== "string" || fresh.length === 0) return;
    after = body.last_id;
  }
}

/** What the API says of a model; where it says nothing, what is true of every model that it lists. */
function toModelFacts(row: Row): ModelFacts {
  const id = String(row.id);
  const stated = isRecord(row.capabilities) ? row.capabilities : {};
  const says = (name: string): boolean | undefined => {
    const value = stated[name];
    return isRecord(value) && typeof value.supported === "boolean" ? value.supported : undefined;
  };
  const outputTokens = whole(row.max_tokens);
  const contextTokens = whole(row.max_input_tokens);
  const capabilities = {
    imageInput: says("image_input") ?? true,
    pdfInput: says("pdf_input") ?? true,
    tools: true,
    reasoning: says("thinking") ?? true,
    seed: false,
  };
  return {
    id,
    name: typeof row.display_name === "string" && row.display_name ? row.display_name : id,
    tasks: ["chat"],
    inputModalities: [
      "text",
      ...(capabilities.imageInput ? (["image"] as const) : []),
      ...(capabilities.pdfInput ? (["file"] as const) : []),
    ],
    outputModalities: ["text"],
    inputSchema: chatForm(capabilities, outputTokens),
    capabilities,
    limits: {
      ...(contextTokens !== undefined && { contextTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
    },
    price: null,
    status: "active",
    ...releasedAt.iso(row.created_at),
  };
}

const whole = (value: unknown) =>
  Number.isInteger(value) && (value as number) > 0 ? (value as number) : undefined;
