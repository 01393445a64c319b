import type { ErrorCode } from "#contract/errors.ts";
import type { ErrorFields } from "../../wire/error-fields.ts";
import type { Classify } from "../../wire/http-errors.ts";

/**
 * The names of google.rpc.Code (https://ai.google.dev/gemini-api/docs/troubleshooting), which both
 * the Gemini API and Vertex AI use; for an unknown name, the status decides.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  UNAUTHENTICATED: "provider_auth",
  UNAVAILABLE: "provider_overloaded",
  DEADLINE_EXCEEDED: "provider_timeout",
};

/** Every invalid request has the same name; the message distinguishes them. */
const wordings: readonly [pattern: RegExp, code: ErrorCode][] = [
  [/API key (not valid|expired|not found)/i, "provider_auth"],
  [
    /token count.*exceeds|exceeds the (maximum|max|limit).*tokens?|prompt is too long|payload size exceeds/i,
    "provider_context_too_long",
  ],
  [
    /responsible AI|safety (filter|setting|polic)|sensitive words|usage guidelines|violat/i,
    "provider_rejected",
  ],
  [/billing|credits? (are|is|balance)/i, "provider_quota"],
  [/location is not supported/i, "provider_forbidden"],
  [/unexpected model name format/i, "model_gone"],
];

export const classify: Classify = (fields, status) => {
  const { type = "", message = "", reasons = [] } = fields;
  if (reasons.includes("API_KEY_INVALID")) return "provider_auth";
  if (reasons.includes("BILLING_DISABLED")) return "provider_quota";
  if (type === "RESOURCE_EXHAUSTED" || status === 429)
    return isUsedUp(fields) ? "provider_quota" : "provider_rate_limited";
  if (type === "INVALID_ARGUMENT" || type === "FAILED_PRECONDITION")
    return wordings.find(([pattern]) => pattern.test(message))?.[1];
  if (type === "PERMISSION_DENIED")
    return /billing/i.test(message) ? "provider_quota" : "provider_forbidden";
  if (type === "NOT_FOUND" && /\bmodels?\b/i.test(message)) return "model_gone";
  return codes[type];
};

/** Bottega waits for a quota per minute, not for a daily quota or new credit. */
function isUsedUp({ message = "", reasons = [] }: ErrorFields): boolean {
  if (reasons.some((name) => /PerDay/i.test(name))) return true;
  return /credits? (are|is) depleted|prepayment|spend(ing)? (cap|limit)|per day\b|limit: 0\b/i.test(
    message,
  );
}

/** Returns the code of a failed operation, whose number is its only status. */
export const codeOfOperation = (fields: ErrorFields): ErrorCode => {
  const type = fields.type ?? rpcNames[Number(fields.code)] ?? "";
  const isOfInput =
    type === "INVALID_ARGUMENT" || type === "FAILED_PRECONDITION" || type === "OUT_OF_RANGE";
  return (
    classify({ ...fields, type }, Number.NaN) ??
    (isOfInput ? "provider_invalid_input" : "provider_interrupted")
  );
};

/** google.rpc.Code by number, as in an operation. */
const rpcNames: Readonly<Record<number, string>> = {
  3: "INVALID_ARGUMENT",
  4: "DEADLINE_EXCEEDED",
  5: "NOT_FOUND",
  7: "PERMISSION_DENIED",
  8: "RESOURCE_EXHAUSTED",
  9: "FAILED_PRECONDITION",
  11: "OUT_OF_RANGE",
  13: "INTERNAL",
  14: "UNAVAILABLE",
  16: "UNAUTHENTICATED",
};
