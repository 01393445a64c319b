const BEAT_MS = 3000;

/**
 * Writes one line to stdout, without cursor movements, so that a pipe and a terminal show the same.
 */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** The seconds since `startMs`: "0.4 s" below ten, "12 s" above. */
export function secondsSince(startMs) {
  const seconds = (Date.now() - startMs) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/**
 * Reports that work has started, every three seconds that it continues, and how long it took. npm
 * and Vite write nothing to a pipe until they end, and five silent seconds look like a hanging
 * program.
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
