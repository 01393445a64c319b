import { errors, Problem } from "#contract/errors.ts";

/** A run that started and didn't succeed: the request may have been accepted and charged. */
export class RunProblem extends Problem {
  readonly runId: string;
  /**
   * False only when every provider definitely refused the request, so that it may be sent again.
   */
  readonly mayBeAccepted: boolean;
  /**
   * True when this server has already retried the request. A client's retries would multiply the
   * attempts.
   */
  readonly wasRepeated: boolean;
  constructor(problem: Problem, runId: string, mayBeAccepted: boolean, wasRepeated = false) {
    super(problem.code, problem.detail, { cause: problem });
    this.runId = runId;
    this.mayBeAccepted = mayBeAccepted;
    this.wasRepeated = wasRepeated;
  }
}

/**
 * Returns the failure to report for a request of several runs: one that may have been accepted, if
 * there is any, because a retry sends all of them again.
 */
export const failureOf = (failures: readonly unknown[]): unknown =>
  failures.find((error) => error instanceof RunProblem && error.mayBeAccepted) ?? failures[0];

/** Failed Dependency, a status that programs don't repeat by themselves. */
const notToRepeat = 424;
/** The statuses that the clients of OpenAI and Anthropic, and the AI SDK, repeat. */
const isRepeated = (status: number): boolean => status >= 500 || [408, 409, 429].includes(status);

/** OpenAI's client ignores a longer wait and retries at once. Anthropic's waits for all of it. */
const maxHeededMs = 60_000;

/**
 * Sets the headers that the clients of OpenAI and Anthropic obey. `x-should-retry` is false where a
 * retry could be charged twice, repeats what this server has retried, or would come too early. The
 * AI SDK only reads the status and the time, so what may have been accepted gets 424.
 * @param usual the status of such a problem in this API
 */
export function howToRepeat(
  problem: Problem,
  usual: number,
): { status: number; headers: Record<string, string> } {
  const mayBeAccepted = problem instanceof RunProblem && problem.mayBeAccepted;
  const { retryAfterMs } = problem.detail;
  // A server that doesn't know what it did must not be asked to do it again. One that gives a time
  // to retry does know.
  const isKnown = problem instanceof RunProblem || usual < 500 || retryAfterMs !== undefined;
  const isDone = problem instanceof RunProblem && problem.wasRepeated;
  const isSoon = retryAfterMs === undefined || retryAfterMs <= maxHeededMs;
  const isWise = !mayBeAccepted && isKnown && !isDone && isSoon && errors[problem.code].retryable;
  return {
    status: mayBeAccepted && isRepeated(usual) ? notToRepeat : usual,
    headers: {
      "cache-control": "no-store",
      "x-should-retry": String(isWise),
      ...(problem instanceof RunProblem && { "x-request-id": problem.runId }),
      ...(retryAfterMs && {
        "retry-after": String(Math.ceil(retryAfterMs / 1000)),
        "retry-after-ms": String(Math.ceil(retryAfterMs)),
      }),
    },
  };
}
