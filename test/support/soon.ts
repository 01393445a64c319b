import { expect } from "vitest";
import { patienceMs } from "./patience.ts";

/** Polls until a condition holds. */
export const soon = <T>(ask: () => T | Promise<T>) => expect.poll(ask, { timeout: patienceMs });
