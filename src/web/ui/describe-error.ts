import { type ErrorCode, errors, isErrorCode, Problem } from "#contract/errors.ts";
import { t } from "../messages/t.ts";

/** An error described for a person. */
export type DescribedError = {
  code: ErrorCode;
  /** What happened. */
  title: string;
  /** The next step, or what was saved. Empty if the title ends with the next step. */
  advice: string;
  retryable: boolean;
  /** The provider's own message, quoted after ours. */
  quote?: string;
  /** The log entry's id, for code `internal`. */
  id?: string;
  /** The provider's HTTP status and error code. */
  httpStatus?: number;
  providerCode?: string;
  connectionId?: string;
  field?: string;
};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value ? value : undefined;

/**
 * Codes whose advice is about the common case. A message of two sentences, such as "You have 200
 * folders here, the maximum. Delete one first.", has better advice of its own.
 */
const withCommonAdvice = new Set<ErrorCode>([
  "conflict",
  "forbidden",
  "invalid_input",
  "not_found",
  "too_large",
]);
const hasNextStep = (message: string): boolean => /[.?!] [A-Z“]/.test(message);

/**
 * Whether a chunk failed to load; browsers, and Vite for style sheets, word this error differently.
 */
export const isLostPart = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|importing a module script failed|unable to preload css/i.test(
    error.message,
  );

/**
 * Describes an error in the catalog's words: a Problem, a problem body from the server, a run's
 * error, a failed fetch (which browsers throw as TypeError), or anything else, which becomes
 * `internal`.
 */
export function describeError(error: unknown): DescribedError {
  const facts =
    typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const detail = error instanceof Problem ? error.detail : facts;
  if (isErrorCode(facts.code)) {
    const { text, advice: common, retryable } = errors[facts.code];
    const quote =
      textOf(detail.providerMessage) ?? textOf(textOf(detail.cause)?.replace(text, "").trim());
    // A message that quotes the provider begins with the catalog's sentence.
    const title =
      (textOf(detail.providerMessage) === undefined
        ? (textOf(detail.message) ?? textOf(detail.detail))
        : undefined) ?? text;
    const advice = textOf(detail.advice) ?? common;
    return {
      code: facts.code,
      title,
      advice:
        advice === common && withCommonAdvice.has(facts.code) && hasNextStep(title) ? "" : advice,
      retryable,
      quote,
      id: textOf(detail.id),
      httpStatus: typeof detail.httpStatus === "number" ? detail.httpStatus : undefined,
      providerCode: textOf(detail.providerCode),
      connectionId: textOf(detail.connectionId),
      field: textOf(detail.field),
    };
  }
  if (
    isLostPart(error) ||
    (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
  ) {
    return {
      code: "unavailable",
      title: t("error.unreachable"),
      advice: t("error.unreachable.advice"),
      retryable: true,
    };
  }
  // An error of the page itself isn't in any log, so it has no id.
  return {
    code: "internal",
    title: t("error.crashed"),
    advice: t("error.crashed.advice"),
    retryable: true,
  };
}

/** The reason that an upload isn't sent yet, as a sentence; undefined once it is sent. */
export const describeHeld = (reason: unknown): string | undefined =>
  reason === null ? undefined : `${describeError(reason).title} ${t("upload.held")}`;
