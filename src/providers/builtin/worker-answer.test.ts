import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  askAdapter,
  collectParts,
  fileOf,
  sha256,
} from "../../../test/support/contracts/answer.ts";
import { soon } from "../../../test/support/soon.ts";
import { builtin } from "./adapter.ts";

const started: Worker[] = [];
const watch = (worker: Worker) => void started.push(worker);
const ask = (signal?: AbortSignal) =>
  askAdapter(builtin, {
    model: "pattern",
    input: { prompt: "hills", seed: 7, image_size: { width: 64, height: 64 } },
    ...(signal && { signal }),
  });
const paint = () => collectParts(ask());
const hashOf = async () => sha256(fileOf(await paint()).bytes);

/** Ends the thread that an earlier test has left. */
async function cancelOne(): Promise<void> {
  const canceller = new AbortController();
  const run = async () => {
    for await (const _ of ask(canceller.signal)) canceller.abort();
  };
  await expect(run()).rejects.toThrow(/aborted/);
}

beforeEach(async () => {
  await cancelOne();
  started.length = 0;
  process.on("worker", watch);
});
afterEach(() => {
  vi.useRealTimers();
  process.off("worker", watch);
});

it("the next run gets the kept thread and the same bytes; runs at the same time get one each", async () => {
  const first = await hashOf();
  expect(await hashOf()).toBe(first);
  expect(started).toHaveLength(1);
  expect(await Promise.all([hashOf(), hashOf()])).toEqual([first, first]);
  expect(started).toHaveLength(2);
  // One of them is kept.
  await paint();
  expect(started).toHaveLength(2);
});

it("a canceled run's thread is not used again, and nothing of it reaches the next run", async () => {
  const first = await hashOf();
  await cancelOne();
  expect(started[0]!.threadId).toBe(-1);
  expect(await hashOf()).toBe(first);
  expect(started).toHaveLength(2);
});

it("a run that starts as the kept thread's time ends gets another thread", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await paint();
  vi.advanceTimersByTime(19_999);
  await paint();
  expect(started).toHaveLength(1);
  vi.advanceTimersByTime(20_000);
  await paint();
  expect(started).toHaveLength(2);
  await soon(() => started[0]!.threadId).toBe(-1);
});

it("a kept thread that dies is not given to a run", async () => {
  await paint();
  await started[0]!.terminate();
  await paint();
  expect(started).toHaveLength(2);
});
