import { expect } from "vitest";

/** Polls until a condition holds, for as long as a busy machine may take. */
export const soon = <T>(ask: () => T | Promise<T>) => expect.poll(ask, { timeout: 25_000 });
