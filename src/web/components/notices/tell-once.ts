/** Held by every visible tab of this origin. */
const seenLock = "bottega-seen";

/**
 * Holds a lock while this tab is visible, so that background tabs don't notify. Without locks
 * (plain HTTP) each tab decides for itself, and notifications are unavailable too.
 */
export function holdSeenLock(): () => void {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks) return () => {};
  let release: (() => void) | undefined;
  const follow = () => {
    release?.();
    release = undefined;
    if (document.visibilityState !== "visible") return;
    const ended = new Promise<void>((resolve) => {
      release = resolve;
    });
    void locks.request(seenLock, { mode: "shared" }, () => ended);
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    release?.();
  };
}

export async function isSomeTabSeen(): Promise<boolean> {
  if (document.visibilityState === "visible") return true;
  const held = await navigator.locks?.query();
  return held?.held?.some(({ name }) => name === seenLock) ?? false;
}

/** Whether notifications are available here, and the person's permission. */
export type NoticePermission = "granted" | "denied" | "default" | "insecure" | "missing";
export function readNoticePermission(): NoticePermission {
  if (!isSecureContext) return "insecure";
  return "Notification" in window ? Notification.permission : "missing";
}
