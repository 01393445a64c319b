import type { JsonObject } from "./json.ts";

/**
 * The facts of each error: HTTP status, the message for people, whether a retry can help, and
 * advice.
 */
export type ErrorFacts = {
  status: number;
  /** What happened, in one sentence. */
  text: string;
  /** What to do next, or what is safe. */
  advice: string;
  retryable: boolean;
};

/**
 * The only table of errors. A new code doesn't compile until it has a status, text and advice; the
 * API returns them as RFC 9457 problem details.
 */
export const errors = {
  provider_auth: {
    status: 502,
    text: "The provider rejected the key.",
    advice: "Check the key of this connection.",
    retryable: false,
  },
  provider_forbidden: {
    status: 502,
    text: "The provider refused access with this key.",
    advice: "Check what this key and its account may use, or choose another model.",
    retryable: false,
  },
  provider_rate_limited: {
    status: 502,
    text: "The provider’s rate limit was reached.",
    advice: "Try again in a moment.",
    retryable: true,
  },
  provider_quota: {
    status: 502,
    text: "The provider account has no credit or quota left.",
    advice: "Add credit at the provider, then try again.",
    retryable: false,
  },
  provider_overloaded: {
    status: 502,
    text: "The provider is overloaded.",
    advice: "Try again in a moment, or choose another model.",
    retryable: true,
  },
  provider_failed: {
    status: 502,
    text: "The provider failed.",
    advice: "Try again in a moment, or choose another model.",
    retryable: true,
  },
  provider_rejected: {
    status: 502,
    text: "The provider refused this content.",
    advice: "Change the prompt or the files and try again.",
    retryable: false,
  },
  provider_invalid_input: {
    status: 502,
    text: "The model rejected the settings.",
    advice: "Change the named setting and try again.",
    retryable: false,
  },
  provider_context_too_long: {
    status: 502,
    text: "The input exceeds the model’s context window.",
    advice: "Shorten it, start a new conversation, or choose a model with a larger context window.",
    retryable: false,
  },
  context_full: {
    status: 422,
    text: "The conversation exceeds the model’s context window.",
    advice:
      "Leave out or summarize the oldest messages, or choose a model with a larger context window.",
    retryable: false,
  },
  provider_unreachable: {
    status: 502,
    text: "The provider could not be reached.",
    advice: "Check the address of the connection and the network, then try again.",
    retryable: true,
  },
  provider_timeout: {
    status: 504,
    text: "The provider did not answer in time.",
    advice: "Try again.",
    retryable: true,
  },
  provider_interrupted: {
    status: 502,
    text: "The answer was interrupted.",
    advice: "Try again.",
    retryable: true,
  },
  provider_protocol: {
    status: 502,
    text: "The address responded, but not with the API of this service.",
    advice: "Check the address of the connection.",
    retryable: false,
  },
  outcome_unknown: {
    status: 502,
    text: "The provider did not confirm this.",
    advice: "It may have run and been charged. Check before paying again.",
    retryable: false,
  },
  output_unavailable: {
    status: 502,
    text: "The result was made but could not be downloaded.",
    advice: "The provider may still have it. Retrying the download costs nothing.",
    retryable: false,
  },
  not_signed_in: {
    status: 401,
    text: "You are not signed in.",
    advice: "Sign in and try again.",
    retryable: false,
  },
  forbidden: {
    status: 403,
    text: "You don’t have permission to do this.",
    advice: "Ask a manager of the project or an admin.",
    retryable: false,
  },
  not_found: {
    status: 404,
    text: "This does not exist, or you have no access to it.",
    advice: "Check the address, or ask for access.",
    retryable: false,
  },
  invalid_input: {
    status: 422,
    text: "The input is not valid.",
    advice: "Change the marked fields and try again.",
    retryable: false,
  },
  conflict: {
    status: 409,
    text: "This has changed since you opened it.",
    advice: "Reload it and try again.",
    retryable: false,
  },
  idempotency_mismatch: {
    status: 422,
    text: "This idempotency key was used for another request.",
    advice: "Use a new key for each request.",
    retryable: false,
  },
  budget_exceeded: {
    status: 402,
    text: "The budget does not allow this.",
    advice: "Ask for a higher budget, or choose a cheaper model.",
    retryable: false,
  },
  ceiling_needed: {
    status: 402,
    text: "The price of this model has no upper bound yet.",
    advice: "Ask a manager or an admin to set a ceiling per run.",
    retryable: false,
  },
  model_gone: {
    status: 410,
    text: "The connection no longer offers this model.",
    advice: "Choose another model.",
    retryable: false,
  },
  /** For active work whose access to the model ended. A new request gets model_gone instead. */
  model_not_allowed: {
    status: 403,
    text: "You no longer have access to this model.",
    advice: "Choose another model, or ask an admin for access.",
    retryable: false,
  },
  rate_limited: {
    status: 429,
    text: "Too many requests in a short time.",
    advice: "Wait a minute, then try again.",
    retryable: true,
  },
  too_large: {
    status: 413,
    text: "The content is too large.",
    advice: "Make it smaller and try again.",
    retryable: false,
  },
  unsupported_media: {
    status: 415,
    text: "This type of file is not supported here.",
    advice: "Choose another file.",
    retryable: false,
  },
  storage_full: {
    status: 507,
    text: "The server’s disk is full.",
    advice: "Nothing was lost or charged. Ask an admin to free some space.",
    retryable: true,
  },
  storage_limit: {
    status: 507,
    text: "The storage limit is reached.",
    advice: "Delete files and empty the trash, or ask an admin to raise the limit.",
    retryable: false,
  },
  unavailable: {
    status: 503,
    text: "The server is temporarily unavailable.",
    advice: "Try again in a moment.",
    retryable: true,
  },
  internal: {
    status: 500,
    text: "The server failed unexpectedly.",
    advice: "Try again. If it happens again, give the ID to your admin.",
    retryable: true,
  },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof errors;
/** Whether the provider refused the key: entirely, or for this model or feature. */
export const isKeyRefusal = (code: string | undefined): boolean =>
  code === "provider_auth" || code === "provider_forbidden";

const atConnection: ReadonlySet<string> = new Set<ErrorCode>([
  "provider_auth",
  "provider_forbidden",
  "provider_quota",
  "provider_unreachable",
  "provider_protocol",
  "model_gone",
]);
/** Whether the fix is at the connection: its key, address or account. */
export const isFixedAtConnection = (code: string): boolean => atConnection.has(code);

export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === "string" && Object.hasOwn(errors, value);

/** Facts in addition to the code: the field, a limit, the provider's message. Never a secret. */
export type ProblemDetail = {
  /** A more specific sentence that replaces the table's text. */
  message?: string;
  /** The path of the input field: "settings.image_size". */
  field?: string;
  connectionId?: string;
  retryAfterMs?: number;
  /** The provider's own message; `message` may quote it. */
  providerMessage?: string;
  /** The provider's unmodified response: its status and JSON. */
  providerAnswer?: { status: number; body: JsonObject };
  [fact: string]: unknown;
};

/** The only error thrown on purpose. Caught at the edge and returned as problem details. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly detail: ProblemDetail;
  constructor(code: ErrorCode, detail: ProblemDetail = {}, options?: { cause?: unknown }) {
    super(detail.message ?? errors[code].text, options);
    this.name = "Problem";
    this.code = code;
    this.detail = detail;
  }
}

/** The JSON of RFC 9457. `code` is stable; `id` identifies the log line of an `internal` error. */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  advice: string;
  retryable: boolean;
  id?: string;
} & Omit<ProblemDetail, "message">;

export function toProblemBody(problem: Problem): ProblemBody {
  const facts = errors[problem.code];
  const { message, ...rest } = problem.detail;
  return {
    type: `urn:bottega:${problem.code}`,
    title: facts.text,
    status: facts.status,
    code: problem.code,
    detail: message ?? facts.text,
    advice: facts.advice,
    retryable: facts.retryable,
    ...rest,
  };
}
