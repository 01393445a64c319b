import type { ErrorCode } from "#contract/errors.ts";
import { isRecord } from "../../wire/error-fields.ts";
import type { Classify, IsOwnShape } from "../../wire/http-errors.ts";
import { createServiceApi } from "../../wire/service-api.ts";

/**
 * Errors are `{detail: "…"}` (https://docs.lumalabs.ai/docs/errors). The message refines the
 * status.
 */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [/insufficient credits|out of credits|no credits/i, "provider_quota"],
  [/moderat|blacklisted|advisory|not allowed by|content policy/i, "provider_rejected"],
  [/not authenticated|invalid api key/i, "provider_auth"],
];

const codeIn = (message: string): ErrorCode | undefined =>
  wordings.find(([pattern]) => pattern.test(message))?.[1];

const classify: Classify = ({ message = "" }) => codeIn(message);
export const codeOfFailure = (reason: string): ErrorCode =>
  codeIn(reason) ?? "provider_interrupted";

const isOwnShape: IsOwnShape = (body) =>
  isRecord(body) && typeof body.detail === "string" && !("title" in body);

export const api = createServiceApi({
  name: "Luma",
  sign: (key) => ({ authorization: `Bearer ${key}` }),
  classify,
  isOwnShape,
});
export const root = "/dream-machine/v1";
