import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, falUrl, readJson } from "../call.ts";
import { realtimePath } from "./realtime-path.ts";

/** Long enough for the handshake over a slow connection; a token is used once, immediately. */
const lifetimeSeconds = 120;
/** Endpoints of these owners have one more segment (fal's client 1.10.1, parseEndpointId). */
const namespaces = ["workflows", "comfy"];

/** "owner/alias/path" is the app "alias". */
function aliasOf(model: string): string {
  const parts = model.split("/");
  return parts[namespaces.includes(parts[0] ?? "") ? 2 : 1] ?? model;
}

/**
 * Creates a token that opens sockets of this one model for two minutes. Two forms are in use:
 * `app`, from fal's client 1.10.1, and `path`, from fal's newer examples, for keys whose rights
 * name whole endpoints.
 * @throws ProviderError
 */
export async function realtimeToken(model: string, context: CallContext): Promise<string> {
  const isByPath = context.connection.options.realtimeTokens === "path";
  const url = falUrl(context, "rest", isByPath ? "tokens/realtime" : "tokens/");
  const json = isByPath
    ? { allowed_apps: [realtimePath(model)], duration: lifetimeSeconds }
    : { allowed_apps: [aliasOf(model)], token_expiration: lifetimeSeconds };
  const answer = await readJson(
    await callFal(context, url, { phase: "list", method: "POST", json }),
    "list",
  );
  const token = isRecord(answer) ? (answer.token ?? answer.detail) : answer;
  if (typeof token !== "string" || token === "")
    throw new ProviderError("provider_protocol", "no", {
      message: sentences.fal.noToken,
    });
  return token;
}
