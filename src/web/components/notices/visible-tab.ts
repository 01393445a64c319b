/** Held by every visible tab of this origin that shows the project. */
const lockOf = (projectId: string) => `bottega-seen:${projectId}`;

/**
 * Holds a lock while this tab is visible and shows the project, so that other tabs don't notify of
 * its runs. Without locks (plain HTTP) each tab decides for itself, and notifications are
 * unavailable too.
 */
export function holdSeenLock(projectId: string): () => void {
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
    void locks.request(lockOf(projectId), { mode: "shared" }, () => ended);
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    release?.();
  };
}

/** Whether a visible tab shows the project. */
export async function isProjectSeen(projectId: string): Promise<boolean> {
  const held = await navigator.locks?.query();
  return held?.held?.some(({ name }) => name === lockOf(projectId)) ?? false;
}

/** Whether notifications are available here, and the person's permission. */
export type NoticePermission = "granted" | "denied" | "default" | "insecure" | "missing";
export function readNoticePermission(): NoticePermission {
  if (!isSecureContext) return "insecure";
  return "Notification" in window ? Notification.permission : "missing";
}
