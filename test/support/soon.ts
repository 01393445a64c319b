import { expect } from "vitest";

/** Asks again until it holds, as long as a busy machine may take. */
export const soon = <T>(ask: () => T | Promise<T>) => expect.poll(ask, { timeout: 25_000 });
