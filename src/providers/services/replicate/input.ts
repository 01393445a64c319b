import type { Json, JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type InputFile, ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { createMultipart } from "../../wire/multipart.ts";
import { api } from "./access.ts";

/** Ids are UUIDs; a prompt that starts with "asset:" is a prompt. */
const assetId = (value: string): string | undefined =>
  /^asset:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(value)?.[1];

/**
 * Uploads each file of the input once, and replaces it with its URL there.
 * @throws ProviderError "no", because nothing is paid for yet
 */
export async function toInput(request: RunRequest, context: RunContext): Promise<JsonObject> {
  const addresses = new Map<string, string>();

  async function visit(value: Json, path: string[]): Promise<Json> {
    if (Array.isArray(value)) {
      const items: Json[] = [];
      for (const [index, item] of value.entries())
        items.push(await visit(item, [...path, String(index)]));
      return items;
    }
    if (typeof value === "object" && value !== null) {
      const entries: [string, Json][] = [];
      for (const [name, inner] of Object.entries(value))
        entries.push([name, await visit(inner, [...path, name])]);
      return Object.fromEntries(entries);
    }
    const id = typeof value === "string" ? assetId(value) : undefined;
    if (id === undefined) return value;
    const file = request.files.get(id);
    if (!file)
      throw new ProviderError("provider_invalid_input", "no", {
        field: path.join("."),
        message: sentences.files.gone,
      });
    const address = addresses.get(id) ?? (await upload(file, context));
    addresses.set(id, address);
    return address;
  }

  return (await visit(request.input, [])) as JsonObject;
}

/** POST /v1/files: the file is stored for a day, for this account's predictions. */
async function upload(file: InputFile, context: RunContext): Promise<string> {
  const body = await api.callObject(context, "/v1/files", {
    method: "POST",
    isFree: true,
    ...createMultipart([["content", file]]),
  });
  if (isRecord(body.urls) && typeof body.urls.get === "string") return body.urls.get;
  throw new ProviderError("provider_protocol", "no", {
    message: sentences.files.replicateNoPlace,
  });
}
