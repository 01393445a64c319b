import type { CallContext } from "../../adapter.ts";
import { createServiceApi, jsonBody } from "../../wire/service-api.ts";
import { classify } from "./errors.ts";

const api = createServiceApi({
  name: "Google",
  sign: (key) => ({ "x-goog-api-key": key }),
  classify,
});

/**
 * Reads a JSON object with GET.
 * @throws ProviderError
 */
export const getObject = (context: CallContext, path: string) => api.callObject(context, path);

/**
 * Makes the one paid POST of an attempt, with a whole response.
 * @throws ProviderError
 */
export const postObject = (context: CallContext, path: string, body: object) =>
  api.callObject(context, path, { method: "POST", ...jsonBody({ ...body }) });

/**
 * Makes a free POST that only queries.
 * @throws ProviderError
 */
export const askObject = (context: CallContext, path: string, body: object) =>
  api.callObject(context, path, { method: "POST", isFree: true, ...jsonBody({ ...body }) });
