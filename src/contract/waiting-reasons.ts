/**
 * Why queued runs wait since an epoch began: the database was restored from a backup or set back to an older state, it was
 * copied or moved, or another server took over its files.
 */
export const epochReasons = ["restore", "copy", "overtaken"] as const;
export type EpochReason = (typeof epochReasons)[number];
/**
 * Whose approval a queued run waits for: anyone's of the project, since an epoch began; a manager's or an admin's, over
 * whose budget it is; that of the person in whose conversation a model asked for it.
 */
export const waitingReasons = [...epochReasons, "manager", "admin", "asker"] as const;
export type WaitingReason = (typeof waitingReasons)[number];
export const isEpochReason = (reason: WaitingReason | null): reason is EpochReason =>
  epochReasons.some((one) => one === reason);
