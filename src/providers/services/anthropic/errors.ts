import type { ErrorCode } from "#contract/errors.ts";
import type { Classify } from "../../wire/http-errors.ts";

/**
 * The API's own names (https://docs.anthropic.com/en/api/errors); for an unknown name, the status
 * decides.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  authentication_error: "provider_auth",
  permission_error: "provider_forbidden",
  billing_error: "provider_quota",
  rate_limit_error: "provider_rate_limited",
  overloaded_error: "provider_overloaded",
  timeout_error: "provider_timeout",
};

/** Every invalid request is an `invalid_request_error`; the message distinguishes them. */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [
    /prompt is too long|exceeds? (the )?(maximum )?context|too many total text bytes/i,
    "provider_context_too_long",
  ],
  [/credit balance is too low|spend(ing)? limit|usage limits/i, "provider_quota"],
  [/content filtering policy/i, "provider_rejected"],
];

export const classify: Classify = ({ type, message = "" }, status) => {
  if (status === 413 || type === "request_too_large") return "provider_context_too_long";
  if (type === "not_found_error" && /\bmodel\b/i.test(message)) return "model_gone";
  if (type === "invalid_request_error")
    return wordings.find(([pattern]) => pattern.test(message))?.[1];
  return codes[type ?? ""];
};
