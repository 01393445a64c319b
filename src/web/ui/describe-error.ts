import { type ErrorCode, errors, isErrorCode, Problem } from "#contract/errors.ts";
import { t } from "../messages/t.ts";

/** An error as a person reads it. */
export type DescribedError = {
  code: ErrorCode;
  /** What happened. */
  title: string;
  /** What to do next, or what is safe. */
  advice: string;
  retryable: boolean;
  /** The provider's own words, to be quoted after ours. */
  quote?: string;
  /** The id of the log line of an `internal`. */
  id?: string;
  /** The provider's status and its own name of the error. */
  httpStatus?: number;
  providerCode?: string;
  connectionId?: string;
  field?: string;
};

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value ? value : undefined;

/** A part of the program that did not come: browsers, and Vite for a stylesheet, each have their own words for it. */
export const isLostPart = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|importing a module script failed|unable to preload css/i.test(
    error.message,
  );

/**
 * What was thrown or answered, in the catalogue's words: a Problem, a problem body from the wire, a run's error, a failed fetch
 * (which browsers throw as TypeError), or anything else, which is `internal`.
 */
export function describeError(error: unknown): DescribedError {
  const facts =
    typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const detail = error instanceof Problem ? error.detail : facts;
  if (isErrorCode(facts.code)) {
    const { text, advice, retryable } = errors[facts.code];
    const quote =
      textOf(detail.providerMessage) ?? textOf(textOf(detail.cause)?.replace(text, "").trim());
    return {
      code: facts.code,
      // A message that quotes the provider begins with the catalogue's sentence.
      title:
        (textOf(detail.providerMessage) === undefined
          ? (textOf(detail.message) ?? textOf(detail.detail))
          : undefined) ?? text,
      advice: textOf(detail.advice) ?? advice,
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
  // The page's own mistake: it is in no log, so there is no id to give to anybody.
  return {
    code: "internal",
    title: t("error.crashed"),
    advice: t("error.crashed.advice"),
    retryable: true,
  };
}

/** Why an upload is not sent yet, in a sentence; undefined where it is. */
export const sayHeld = (reason: unknown): string | undefined =>
  reason === null ? undefined : `${describeError(reason).title} ${t("upload.held")}`;
