import type { Json, JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError, type RunContext, type RunRequest } from "../../adapter.ts";
import { lifecycle } from "./files/file-access.ts";
import { uploadFile } from "./files/storage.ts";
import { splitRunHeaders } from "./run-headers.ts";

const assetPrefix = "asset:";

/** Returns a run's request: its body, and the headers shared by all ways of sending it. */
export async function toFalCall(
  request: RunRequest,
  context: RunContext,
): Promise<{ json: JsonObject; headers: Record<string, string> }> {
  const { headers, input } = splitRunHeaders(request.input);
  return {
    json: await toFalInput({ ...request, input }, context),
    headers: {
      ...onceOnly,
      ...headers,
      "x-fal-object-lifecycle-preference": lifecycle(context),
    },
  };
}

/**
 * A single attempt, ours: fal's own retry of a failed runner would be a second generation
 * (docs.fal.ai, "Queue").
 */
const onceOnly = { "x-fal-no-retry": "1" };

/**
 * Converts the input for fal: each `asset:<id>` is uploaded once and becomes a URL.
 * @throws ProviderError ("no") when a file is missing or can't be uploaded
 */
async function toFalInput(request: RunRequest, context: RunContext): Promise<JsonObject> {
  const { sync_mode: syncMode, ...input } = request.input;
  // If true, it returns the picture inside the JSON and stores no copy: a lost response would lose
  // the picture.
  const kept =
    typeof syncMode === "boolean" || syncMode === undefined
      ? input
      : { ...input, sync_mode: syncMode };
  if (syncMode === true) {
    context.warn({
      type: "changed",
      feature: "sync_mode",
      message: sentences.settings.falNotStored,
    });
  }
  const addresses = new Map<string, string>();
  for (const [path, assetId] of findAssets(kept)) {
    if (addresses.has(assetId)) continue;
    const file = request.files.get(assetId);
    if (!file)
      throw new ProviderError("provider_invalid_input", "no", {
        field: path,
        message: sentences.files.gone,
      });
    addresses.set(assetId, await uploadFile(context, file));
  }
  return replaceAssets(kept, addresses) as JsonObject;
}

function* findAssets(
  value: Json | undefined,
  path: string[] = [],
): Generator<[path: string, assetId: string]> {
  if (typeof value === "string") {
    if (isAsset(value)) yield [path.join("."), value.slice(assetPrefix.length)];
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* findAssets(inner, [...path, key]);
  }
}

function replaceAssets(value: Json, addresses: ReadonlyMap<string, string>): Json {
  if (typeof value === "string")
    return isAsset(value) ? (addresses.get(value.slice(assetPrefix.length)) ?? value) : value;
  if (Array.isArray(value)) return value.map((inner) => replaceAssets(inner, addresses));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replaceAssets(inner, addresses)]),
  );
}

/** Ids are UUIDs; a prompt that starts with "asset:" is a prompt. */
const isAsset = (value: string) => /^asset:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
