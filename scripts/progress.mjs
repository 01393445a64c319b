const BEAT_MS = 3000;

/** One line on stdout. Lines, never cursor tricks: a pipe and a terminal show the same. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** Seconds since `startMs`, for people: "0.4 s" below ten, "12 s" above. */
export function secondsSince(startMs) {
  const seconds = (Date.now() - startMs) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/**
 * Says that something began, that it still goes on every three seconds, and how long it took. npm and Vite are silent on a
 * pipe until they end, and five silent seconds look like a program that hangs.
 * @template T
 * @param {string} what for example "installing packages"
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(what, work) {
  const startMs = Date.now();
  say(`${what} ...`);
  const beat = setInterval(() => say(`still ${what}, ${secondsSince(startMs)}`), BEAT_MS);
  try {
    const result = await work();
    say(`${what}: done in ${secondsSince(startMs)}`);
    return result;
  } finally {
    clearInterval(beat);
  }
}
