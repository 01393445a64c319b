import type { RunWarning } from "#contract/entities.ts";

/**
 * The last log entry of a run whose end its server couldn't save. The run stays as it is until that
 * server restarts.
 */
export const leftAloneWarning: RunWarning = {
  type: "left-alone",
  feature: "end",
  message: "The server could not save how this ended. Its log says why. Restart the server.",
};
