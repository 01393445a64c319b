import type { ErrorCode } from "#contract/errors.ts";
import { type MessageId, t } from "../../messages/t.ts";
import { describeError } from "../../ui/describe-error.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";

const nextSteps: Partial<Record<ErrorCode, MessageId>> = {
  provider_auth: "connections.problem.key",
  provider_forbidden: "connections.problem.key",
  provider_unreachable: "connections.problem.address",
  provider_protocol: "connections.problem.address",
};

/** The provider's answer to a check, with its meaning for the fields above, if there are any. */
export function ProviderProblem({ error, isKept = true }: { error: unknown; isKept?: boolean }) {
  if (!error) return null;
  const step = isKept ? nextSteps[describeError(error).code] : undefined;
  return <ErrorState compact error={error} safe={step && t(step)} />;
}
