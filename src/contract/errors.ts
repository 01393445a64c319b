/** What the code can rely on for each error: HTTP status, what a person reads, whether trying again can help, what to do. */
export type ErrorFacts = {
  status: number;
  /** One sentence in the person's words: what happened. */
  text: string;
  /** What to do next, or what is safe. */
  advice: string;
  retryable: boolean;
};

/**
 * The one table of errors. A new code does not compile until it has its status, text and advice;
 * the wire carries them as RFC 9457 problem details.
 */
export const errors = {
  provider_auth: {
    status: 502,
    text: "The provider did not accept the key.",
    advice: "Check the key of this connection.",
    retryable: false,
  },
  provider_rate_limited: {
    status: 502,
    text: "The provider asks us to slow down.",
    advice: "Try again in a moment.",
    retryable: true,
  },
  provider_quota: {
    status: 502,
    text: "The account at the provider is out of credit or quota.",
    advice: "Top it up there, then try again.",
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
    text: "The provider failed to do this.",
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
    text: "The model did not accept the settings.",
    advice: "Change the setting that is named and try again.",
    retryable: false,
  },
  provider_context_too_long: {
    status: 502,
    text: "This is more than the model can read at once.",
    advice: "Shorten it, start a new conversation, or choose a model with a larger context.",
    retryable: false,
  },
  context_full: {
    status: 422,
    text: "This does not fit into the model's context.",
    advice:
      "Leave out the oldest messages, summarise them, or choose a model with a larger context.",
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
    text: "The provider took too long to answer.",
    advice: "Try again.",
    retryable: true,
  },
  provider_interrupted: {
    status: 502,
    text: "The answer stopped in the middle.",
    advice: "The partial answer is saved. Continue it, or retry.",
    retryable: true,
  },
  provider_protocol: {
    status: 502,
    text: "The address answered, but not as this kind of service does.",
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
    text: "The result was made but could not be fetched.",
    advice: "It may still be at the provider. Nothing is charged twice.",
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
    text: "You may not do this here.",
    advice: "Ask a manager of the project or an admin.",
    retryable: false,
  },
  not_found: {
    status: 404,
    text: "This does not exist, or is not yours to see.",
    advice: "Go back and look again.",
    retryable: false,
  },
  invalid_input: {
    status: 422,
    text: "Something in this is not right.",
    advice: "Change what is marked and try again.",
    retryable: false,
  },
  conflict: {
    status: 409,
    text: "This was changed in the meantime.",
    advice: "Look at it again, then repeat.",
    retryable: false,
  },
  idempotency_mismatch: {
    status: 422,
    text: "The same request key came with another request.",
    advice: "Use a new key for a new request.",
    retryable: false,
  },
  budget_exceeded: {
    status: 402,
    text: "The budget does not allow this.",
    advice: "Ask for more budget, or choose something cheaper.",
    retryable: false,
  },
  ceiling_needed: {
    status: 402,
    text: "The price of this model has no upper bound yet.",
    advice: "Someone allowed to must set a ceiling per run.",
    retryable: false,
  },
  model_gone: {
    status: 410,
    text: "This model is no longer offered by its connection.",
    advice: "Choose another model.",
    retryable: false,
  },
  /** Of what was at work on a model while it was closed; whoever only asks for one is told that it is gone. */
  model_not_allowed: {
    status: 403,
    text: "This model is no longer open to you.",
    advice: "Choose another model, or ask an admin to open it to you.",
    retryable: false,
  },
  rate_limited: {
    status: 429,
    text: "Too many requests in a short time.",
    advice: "Wait a little, then try again.",
    retryable: true,
  },
  too_large: {
    status: 413,
    text: "This is too large.",
    advice: "Make it smaller and try again.",
    retryable: false,
  },
  unsupported_media: {
    status: 415,
    text: "This kind of file can't be used here.",
    advice: "Choose another file.",
    retryable: false,
  },
  storage_full: {
    status: 507,
    text: "The disk of this server is full.",
    advice: "Nothing was lost or charged. Ask the admin to free some space.",
    retryable: true,
  },
  storage_limit: {
    status: 507,
    text: "This is more than may be stored here.",
    advice: "Delete files and empty the trash, or ask an admin for a higher limit.",
    retryable: false,
  },
  unavailable: {
    status: 503,
    text: "The server can't do this right now.",
    advice: "Try again in a moment.",
    retryable: true,
  },
  internal: {
    status: 500,
    text: "Something went wrong on our side.",
    advice: "Your input is still here. Try again. If it happens again, give the ID to your admin.",
    retryable: true,
  },
} as const satisfies Record<string, ErrorFacts>;

export type ErrorCode = keyof typeof errors;
export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === "string" && Object.hasOwn(errors, value);

/** Facts for the person and the client beside the code: the field that is wrong, a limit, a provider's own words. Never a secret. */
export type ProblemDetail = {
  /** A sentence that replaces the table's text, when we know more. */
  message?: string;
  /** Where in the input, as a path: "settings.image_size". */
  field?: string;
  connectionId?: string;
  retryAfterMs?: number;
  /** What the provider answered, in its own words; `message` may quote it. */
  providerMessage?: string;
  [fact: string]: unknown;
};

/** The one error that is thrown on purpose; caught at the edge and answered as problem details. */
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

/** RFC 9457 on the wire. `code` is ours and stable; `id` names the log line of an `internal`. */
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
