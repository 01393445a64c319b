import { sentences } from "#contract/sentences/index.ts";
import { aliasOf, realtimePath, socketTokenSeconds } from "#domain/models/fal-apps.ts";
import { type CallContext, ProviderError, type SocketTokenAsk } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, falUrl, readJson } from "../call.ts";

/**
 * Creates a token that opens sockets of a model. Two forms are in use: by app, from fal's client
 * 1.10.1, and by endpoint, from fal's newer examples, for keys whose rights name whole endpoints.
 * @throws ProviderError
 */
export async function realtimeToken(
  model: string,
  { opens, seconds }: SocketTokenAsk,
  context: CallContext,
): Promise<string> {
  const isByPath = opens === "endpoint";
  const url = falUrl(context, "rest", isByPath ? "tokens/realtime" : "tokens/");
  const json = isByPath
    ? { allowed_apps: [realtimePath(model)], duration: seconds }
    : { allowed_apps: [aliasOf(model)], token_expiration: seconds };
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

/** The token for a session of our own, in the form that the connection names. */
export const sessionToken = (model: string, context: CallContext): Promise<string> =>
  realtimeToken(
    model,
    {
      opens: context.connection.options.realtimeTokens === "path" ? "endpoint" : "app",
      seconds: socketTokenSeconds,
    },
    context,
  );
