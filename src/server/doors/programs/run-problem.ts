import { errors, Problem } from "#contract/errors.ts";

/** A run that started and did not succeed: the request may have been accepted and charged. */
export class RunProblem extends Problem {
  readonly runId: string;
  /** False only when every provider definitely refused it: then it may be sent again. */
  readonly mayBeAccepted: boolean;
  constructor(problem: Problem, runId: string, mayBeAccepted: boolean) {
    super(problem.code, problem.detail, { cause: problem });
    this.runId = runId;
    this.mayBeAccepted = mayBeAccepted;
  }
}

/** Failed Dependency: what programs do not repeat by themselves. */
const notToRepeat = 424;
/** What they do repeat: the clients of OpenAI and Anthropic, and the AI SDK. */
const isRepeated = (status: number): boolean => status >= 500 || [408, 409, 429].includes(status);

/**
 * `x-should-retry: false` is sent wherever a repeat could be charged twice. The AI SDK does not read it, but the status alone: what
 * may have been accepted has one that nobody repeats.
 * @param usual the status of such a problem in this API
 */
export function howToRepeat(
  problem: Problem,
  usual: number,
): { status: number; headers: Record<string, string> } {
  const mayBeAccepted = problem instanceof RunProblem && problem.mayBeAccepted;
  const { retryAfterMs } = problem.detail;
  // A server that does not know what it did must not be asked to do it again; one that says when to come again knows.
  const isKnown = problem instanceof RunProblem || usual < 500 || retryAfterMs !== undefined;
  const isSafe = !mayBeAccepted && isKnown && errors[problem.code].retryable;
  return {
    status: mayBeAccepted && isRepeated(usual) ? notToRepeat : usual,
    headers: {
      "cache-control": "no-store",
      "x-should-retry": String(isSafe),
      ...(problem instanceof RunProblem && { "x-request-id": problem.runId }),
      ...(retryAfterMs && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
    },
  };
}
