import type { CostBasis, RunError, RunWarning } from "#contract/entities.ts";
import type { ErrorCode } from "#contract/errors.ts";

/**
 * The codes of a provider's verdict on the job itself. All others concern the network, the
 * connection or a single poll.
 */
const verdicts: ReadonlySet<string> = new Set<ErrorCode>([
  "provider_failed",
  "provider_rejected",
  "provider_context_too_long",
]);

/** The warning's feature for the late result of an earlier attempt, which says nothing of the last. */
export const earlierResult = "earlier result";

/**
 * Whether a failed run's job may have succeeded unnoticed: its provider confirmed neither a failure
 * nor a cost, and the job hasn't been checked since. A check without a result leaves the warning
 * `late`, and so does a late result.
 */
export function isUncheckedJob(run: {
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
    !run.warnings.some(({ type, feature }) => type === "late" && feature !== earlierResult)
  );
}
