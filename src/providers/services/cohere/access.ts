import type { ErrorCode } from "#contract/errors.ts";
import { isRecord } from "../../wire/error-fields.ts";
import type { Classify, IsOwnShape } from "../../wire/http-errors.ts";
import { createServiceApi } from "../../wire/service-api.ts";

/**
 * Errors are `{id, message}` (https://docs.cohere.com/reference/errors). The message refines the
 * status.
 */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [
    /trial key.*(month|limited to \d+ API calls)|monthly (limit|quota)|spend(ing)? limit|billing/i,
    "provider_quota",
  ],
  [
    /too many tokens|exceed.*(context|max(imum)? tokens)|maximum context length/i,
    "provider_context_too_long",
  ],
  [/model '?[\w./-]*'? (not found|was removed)|model.*does not exist/i, "model_gone"],
  [/invalid api (token|key)|no api key/i, "provider_auth"],
];

export const classify: Classify = ({ message = "" }, status) => {
  if (status === 429 && /per minute|\/ minute/i.test(message)) return "provider_rate_limited";
  return wordings.find(([pattern]) => pattern.test(message))?.[1];
};

export const isOwnShape: IsOwnShape = (body) =>
  isRecord(body) && typeof body.id === "string" && typeof body.message === "string";

export const api = createServiceApi({
  name: "Cohere",
  sign: (key) => ({ authorization: `Bearer ${key}` }),
  classify,
  isOwnShape,
});
