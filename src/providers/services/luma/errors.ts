import type { ErrorCode } from "#contract/errors.ts";
import { isRecord } from "../../wire/error-words.ts";
import type { Classify, IsOwnShape } from "../../wire/http-errors.ts";

/** Errors are `{detail: "…"}` (https://docs.lumalabs.ai/docs/errors): the sentence says what the status does not. */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [/insufficient credits|out of credits|no credits/i, "provider_quota"],
  [/moderat|blacklisted|advisory|not allowed by|content policy/i, "provider_rejected"],
  [/not authenticated|invalid api key/i, "provider_auth"],
];

const codeIn = (message: string): ErrorCode | undefined =>
  wordings.find(([pattern]) => pattern.test(message))?.[1];

export const classify: Classify = ({ message = "" }) => codeIn(message);
export const codeOfFailure = (reason: string): ErrorCode =>
  codeIn(reason) ?? "provider_interrupted";

export const isOwnShape: IsOwnShape = (body) =>
  isRecord(body) && typeof body.detail === "string" && !("title" in body);
