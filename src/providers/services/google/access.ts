import type { CallContext } from "../../adapter.ts";
import { createServiceApi, jsonBody } from "../../wire/service-api.ts";
import { classify } from "./errors.ts";

const api = createServiceApi({
  name: "Google",
  sign: (key) => ({ "x-goog-api-key": key }),
  classify,
});

/** A GET of the API as a JSON object. Throws ProviderError. */
export const getObject = (context: CallContext, path: string) => api.callObject(context, path);

/** The one paid POST of an attempt, answered whole. Throws ProviderError. */
export const postObject = (context: CallContext, path: string, body: object) =>
  api.callObject(context, path, { method: "POST", ...jsonBody({ ...body }) });

/** A POST that only asks, and costs nothing. Throws ProviderError. */
export const askObject = (context: CallContext, path: string, body: object) =>
  api.callObject(context, path, { method: "POST", isFree: true, ...jsonBody({ ...body }) });
