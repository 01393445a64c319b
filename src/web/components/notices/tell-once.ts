/** Held by every tab of this origin that somebody sees. */
const seenLock = "bottega-seen";

/**
 * Says for as long as this tab is seen that one is: a tab behind it tells nothing. Without locks (plain http) each tab speaks for itself,
 * and has no notifications either.
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

/** Whether this browser has notifications here, and what the person has said about them. */
export type NoticePermission = "granted" | "denied" | "default" | "insecure" | "missing";
export function readNoticePermission(): NoticePermission {
  if (!isSecureContext) return "insecure";
  return "Notification" in window ? Notification.permission : "missing";
}
