/**
 * How long a test waits for something without a deadline of its own. A machine whose page faults
 * are slow takes several times as long as another; only a failing test waits this long.
 */
export const patienceMs = 90_000;
