import type { ReactNode } from "react";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";

type WholeBranchProps = {
  isRead: boolean;
  error: unknown;
  onRetry: () => void;
  children: ReactNode;
};

/** Content that needs every message of a branch, shown once they are loaded. */
export function WholeBranch({ isRead, error, onRetry, children }: WholeBranchProps) {
  if (isRead) return children;
  if (error !== null) return <ErrorState compact error={error} onRetry={onRetry} />;
  return (
    <div aria-busy>
      <SkeletonText lines={6} />
    </div>
  );
}
