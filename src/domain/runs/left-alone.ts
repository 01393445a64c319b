import type { RunWarning } from "#contract/entities.ts";

/** The last word in the log of a run whose end its server could not write: nothing moves it until that server is restarted. */
export const leftAloneWarning: RunWarning = {
  type: "left-alone",
  feature: "end",
  message: "The server could not save how this ended. Its log says why. Restart the server.",
};
