const WATCH_MS = 500;

// Read as early as possible, so that a parent that dies before the first check is noticed too.
const parentPid = process.ppid;

function isGone() {
  if (process.ppid !== parentPid) return true;
  if (process.platform !== "win32") return false;
  try {
    process.kill(parentPid, 0);
    return false;
  } catch {
    return true;
  }
}

/**
 * Calls `onGone` once when npm, the parent, is gone: a SIGTERM to npm ends only npm and its shell,
 * and this process would continue alone. Without npm (started in the background by hand, or by
 * systemd), a vanished parent means nothing, and nothing is watched.
 * @param {() => void} onGone
 * @returns {() => void} stops watching
 */
export function watchParent(onGone) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const watch = setInterval(() => {
    if (!isGone()) return;
    clearInterval(watch);
    onGone();
  }, WATCH_MS);
  watch.unref();
  return () => clearInterval(watch);
}
