import type { ErrorCode } from "#contract/errors.ts";
import { keyErrors } from "../../aws/key-errors.ts";
import type { Classify } from "../../wire/http-errors.ts";

/**
 * The runtime's own names
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and each operation's
 * list).
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  ...keyErrors,
  ThrottlingException: "provider_rate_limited",
  TooManyRequestsException: "provider_rate_limited",
  ModelNotReadyException: "provider_rate_limited",
  ServiceQuotaExceededException: "provider_quota",
  AccessDeniedException: "provider_forbidden",
  ModelTimeoutException: "provider_timeout",
  ServiceUnavailableException: "provider_overloaded",
};

/** Every invalid request is a ValidationException; the message distinguishes them. */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [
    /input is too long|prompt is too long|too many (input )?tokens|too large for model|exceed\w* (the )?(model'?s? )?(maximum |max )?(context|input|token|number of tokens)|context (length|window)|maximum context/i,
    "provider_context_too_long",
  ],
  [
    /model identifier is invalid|model id.* (not|in)valid|model.*(not found|does not exist|end of its life)/i,
    "model_gone",
  ],
  [/content filter|content polic|moderat|blocked by|responsible ai/i, "provider_rejected"],
  // The last alternative: the key may not write to the output bucket.
  [
    /operation not allowed|not authorized|access to this model|invalid output config/i,
    "provider_forbidden",
  ],
];

/** Messages of failed jobs, a single sentence each. */
const failures: readonly [pattern: RegExp, code: ErrorCode][] = [
  [/content filter|content polic|moderat|blocked|responsible ai/i, "provider_rejected"],
  [/access ?denied|not authorized|permission/i, "provider_forbidden"],
  [/timed? ?out/i, "provider_timeout"],
  [/throttl|too many requests|capacity/i, "provider_overloaded"],
];

export const codeOfFailure = (errorMessage: string): ErrorCode =>
  failures.find(([pattern]) => pattern.test(errorMessage))?.[1] ?? "provider_interrupted";

/** A day's tokens are used up, so a retry soon would fail too. */
const usedUp = /tokens? per day|daily/i;

/** A wrong API key of Bedrock's own has the name of a missing right. */
const badApiKey = /^authentication failed\b|\binvalid api key/i;

export const classify: Classify = ({ type: name, message = "" }, status) => {
  // Within a stream, the same names start with a lowercase letter.
  const type = name && `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (type === "AccessDeniedException" && badApiKey.test(message)) return "provider_auth";
  if (type === "ThrottlingException" && usedUp.test(message)) return "provider_quota";
  if (type === "ValidationException")
    return wordings.find(([pattern]) => pattern.test(message))?.[1] ?? "provider_invalid_input";
  if (type === "ResourceNotFoundException" || (status === 404 && /model|profile/i.test(message)))
    return "model_gone";
  return codes[type ?? ""];
};
