import type { CostBasis, RunError, RunWarning } from "#contract/entities.ts";
import type { ErrorCode } from "#contract/errors.ts";

/** With these a provider judges the job itself; every other failure is of the line, the connection or a single question. */
const verdicts: ReadonlySet<string> = new Set<ErrorCode>([
  "provider_failed",
  "provider_rejected",
  "provider_context_too_long",
]);

/**
 * Whether a failed run's job may have been made without anyone knowing: its provider confirmed neither a failure nor what it costs, and
 * nobody has asked about the job since. A look that found nothing leaves the warning `late`, and so does a result that came.
 */
export function isUnasked(run: {
  task: string;
  state: string;
  costBasis: CostBasis | null;
  error: Pick<RunError, "code"> | null;
  warnings: readonly RunWarning[];
}): boolean {
  if (
    run.state !== "failed" ||
    run.task === "chat" ||
    run.error === null ||
    verdicts.has(run.error.code)
  )
    return false;
  return (
    (run.costBasis === "held" || run.costBasis === null) &&
    !run.warnings.some(({ type }) => type === "late")
  );
}
