/**
 * Why queued runs wait after an epoch began: the database was restored from a backup or set back to
 * an older state, it was copied or moved, or another server took over its files.
 */
export const epochReasons = ["restore", "copy", "overtaken"] as const;
export type EpochReason = (typeof epochReasons)[number];
/**
 * Whose approval a queued run waits for: after the start of an epoch, any editor's of the project;
 * over a budget, its manager's or admin's; for a tool call, that of the person whose conversation
 * it is in.
 */
export const waitingReasons = [...epochReasons, "manager", "admin", "asker"] as const;
export type WaitingReason = (typeof waitingReasons)[number];
export const isEpochReason = (reason: WaitingReason | null): reason is EpochReason =>
  epochReasons.some((one) => one === reason);
