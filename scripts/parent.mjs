const WATCH_MS = 500;

// As early as can be: a parent that dies before the first watch begins is noticed too.
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
 * Calls `onGone` once when npm, our parent, is gone: a SIGTERM to npm ends npm and its shell, and we would go on alone. Started
 * without npm (by hand in the background, by systemd), a vanished parent means nothing, and nothing is watched.
 * @param {() => void} onGone
 * @returns {() => void} ends the watch
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
