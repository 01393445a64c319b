import { type CallContext, ProviderError } from "../adapter.ts";
import { unpaid } from "../outbound/unpaid.ts";
import { authorization, call, endpoint } from "../services/openai-compatible/access.ts";
import { classify } from "../services/openai-compatible/errors.ts";
import { baseUrl } from "../wire/connection.ts";
import { readErrorFields } from "../wire/error-fields.ts";
import { readJson, readOptions, readText, toHttpError } from "../wire/http-errors.ts";

/** Returns the same server's root outside of /v1, where it states more than the shared API. */
export const serverRoot = (context: CallContext): CallContext => {
  const api = baseUrl(context).replace(/\/v1$/, "");
  return {
    ...context,
    connection: { ...context.connection, addresses: { ...context.connection.addresses, api } },
  };
};

/** Reads an endpoint that not every version of a server has; null if it is missing. */
export async function readOptional(context: CallContext, path: string): Promise<unknown> {
  try {
    return await readJson(
      await call(context, path, { method: "GET" }),
      readOptions(context, "GET"),
    );
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether a server lacks an endpoint, in this version or with its start options. */
const isMissing = (error: unknown): boolean =>
  error instanceof ProviderError &&
  (error.code === "provider_protocol" ||
    [403, 404, 405, 501].includes(error.detail.httpStatus ?? 0));

/**
 * Makes a free request to the server.
 * @throws ProviderError
 */
export async function postFree(context: CallContext, path: string, body: object): Promise<void> {
  const response = await post(context, path, body);
  if (!response.ok) throw await toHttpError(response, readOptions(context, "GET"), classify);
  await response.body?.cancel();
}

/** Returns the status and message of a free POST, even if it is refused. */
export async function postForStatus(
  context: CallContext,
  path: string,
  body: object,
): Promise<{ status: number; message: string }> {
  const response = await post(context, path, body);
  const { message = "" } = readErrorFields(await readText(response, 64 * 1024).catch(() => ""));
  return { status: response.status, message };
}

const post = (context: CallContext, path: string, body: object): Promise<Response> =>
  context.fetch(
    endpoint(context, path),
    unpaid({
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        ...authorization(context),
      },
      body: JSON.stringify(body),
      signal: context.signal,
    }),
  );
