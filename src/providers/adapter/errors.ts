import type { ErrorCode, ProblemDetail } from "#contract/errors.ts";
import type { Accepted } from "#domain/runs/repeat.ts";

export type ProviderErrorDetail = ProblemDetail & {
  httpStatus?: number;
  /**
   * The error has the provider's own form, so it is the provider's verdict, not a gateway's. A 5xx
   * without it leaves a paid request unconfirmed, and so does a failure after a 2xx without it.
   */
  ownShape?: boolean;
  /** The provider can't find the requested job. */
  gone?: boolean;
  /**
   * The job's documented time is over, and its provider reports neither success nor failure: no
   * result is expected any more.
   */
  overdue?: boolean;
  /**
   * A 503 in the provider's own form, with its overload code or Retry-After: the program may send
   * the request again.
   */
  overloaded?: boolean;
};

/**
 * Any failure of a call. `accepted` states whether the provider accepted the request, as far as the
 * response proves it (domain/runs/repeat.ts): "no" only when that is certain.
 */
export class ProviderError extends Error {
  readonly code: ErrorCode;
  readonly accepted: Accepted;
  readonly detail: ProviderErrorDetail;
  /**
   * A sentence for the manager of the connection who made the request. It is shown once and never
   * saved.
   */
  readonly aside: string | null;
  constructor(
    code: ErrorCode,
    accepted: Accepted,
    detail: ProviderErrorDetail = {},
    options: { cause?: unknown; aside?: string } = {},
  ) {
    super(detail.message ?? code, options);
    this.name = "ProviderError";
    this.code = code;
    this.accepted = accepted;
    this.detail = detail;
    this.aside = options.aside ?? null;
  }
}
