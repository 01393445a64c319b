import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import styles from "./thread.module.css";

export type UnreadProps = {
  isAnswer: boolean;
  error: unknown;
  retry: () => void;
};

/** An item whose messages are loading. */
export function Unread({ isAnswer, error, retry }: UnreadProps) {
  return (
    <div className={styles.message} aria-busy={error === null}>
      {error === null ? (
        <SkeletonText lines={isAnswer ? 10 : 2} />
      ) : (
        <ErrorState compact error={error} onRetry={retry} />
      )}
    </div>
  );
}
