import type { ErrorCode } from "#contract/errors.ts";
import { isRecord } from "../../wire/error-fields.ts";
import type { Classify, IsOwnShape } from "../../wire/http-errors.ts";
import { createServiceApi } from "../../wire/service-api.ts";

/**
 * Errors are `{title, detail, status}` (https://replicate.com/docs/reference/http). The status
 * decides, with these exceptions.
 */
const classify: Classify = ({ message = "" }, status) => {
  if (status === 404) return "model_gone";
  if (status === 429 && /spend limit/i.test(message)) return "provider_quota";
  return undefined;
};

/** Cloudflare, in front of Replicate, uses the same fields with a mark of its own. */
const isOwnShape: IsOwnShape = (body) =>
  isRecord(body) &&
  typeof body.title === "string" &&
  typeof body.detail === "string" &&
  !("cloudflare_error" in body);

/**
 * Errors of a failed prediction: the model's message, or a code
 * (https://replicate.com/docs/reference/error-codes).
 */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [
    /\bNSFW\b|flagged|sensitive|content (policy|moderation)|safety (filter|check)|E005\b/i,
    "provider_rejected",
  ],
  [/out of (GPU )?memory|capacity|overloaded|E003\b|E1001\b/i, "provider_overloaded"],
  [/timed? ?out/i, "provider_timeout"],
  [/(input|prompt) is too long|maximum context length/i, "provider_context_too_long"],
];

export const codeOfFailure = (message: string): ErrorCode =>
  wordings.find(([pattern]) => pattern.test(message))?.[1] ?? "provider_interrupted";

export const api = createServiceApi({
  name: "Replicate",
  sign: (key) => ({ authorization: `Bearer ${key}` }),
  classify,
  isOwnShape,
});

/** Returns `owner/name` as a path. */
export const modelPath = (id: string) =>
  `/v1/models/${id.split("/").map(encodeURIComponent).join("/")}`;
