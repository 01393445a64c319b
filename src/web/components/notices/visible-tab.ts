/** Held by every visible tab of this origin. */
const visibleTabLock = "bottega-seen";

/**
 * Holds a lock while this tab is visible, so that background tabs don't notify. Without locks
 * (plain HTTP) each tab decides for itself, and notifications are unavailable too.
 */
export function holdVisibleTabLock(): () => void {
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
    void locks.request(visibleTabLock, { mode: "shared" }, () => ended);
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    release?.();
  };
}

export async function isAnyTabVisible(): Promise<boolean> {
  if (document.visibilityState === "visible") return true;
  const held = await navigator.locks?.query();
  return held?.held?.some(({ name }) => name === visibleTabLock) ?? false;
}

/** Whether notifications are available here, and the person's permission. */
export type NoticePermission = "granted" | "denied" | "default" | "insecure" | "missing";
export function readNoticePermission(): NoticePermission {
  if (!isSecureContext) return "insecure";
  return "Notification" in window ? Notification.permission : "missing";
}
