import { until } from "./instance.ts";

/**
 * Starts a listener at a program's usual port, which two test files may want at once; the second
 * waits for the first.
 */
export const atUsualPort = <T>(start: () => Promise<T>): Promise<T> =>
  until(
    "the port is free",
    () =>
      start().catch((error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE") return undefined;
        throw error;
      }),
    100_000,
  );
