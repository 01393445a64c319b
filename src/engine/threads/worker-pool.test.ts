import { expect, it, onTestFinished, vi } from "vitest";
import { createWorkerPool } from "./worker-pool.ts";

// Real threads, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

/**
 * A worker that does as its task says: answer, refuse, exit, exhaust the memory, never answer,
 * throw.
 */
const source = `
  import { parentPort, threadId } from "node:worker_threads";
  parentPort.on("message", (task) => {
    if (task === "exit") process.exit(3);
    if (task === "throw") throw new Error("not caught");
    if (task === "spin") for (;;);
    if (task === "hoard") for (const kept = []; ; ) kept.push(new Array(100000).fill(Math.random()));
    if (task === "refuse") return parentPort.postMessage({ problem: { code: "too_large", detail: { message: "so large" } } });
    if (task === "fail") return parentPort.postMessage({ error: "it broke" });
    setTimeout(() => parentPort.postMessage({ result: { task, threadId } }), 20);
  });
`;

function openPool(changed: { size?: number; waitingMost?: number; timeLimitMs?: number } = {}) {
  const pool = createWorkerPool<string, { task: string; threadId: number }>({
    file: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    size: 1,
    waitingMost: 10,
    timeLimitMs: 30_000,
    idleMs: 30_000,
    memoryMegabytes: 32,
    ...changed,
  });
  onTestFinished(() => pool.close());
  return pool;
}

it.each([
  ["exit", "crashed"],
  ["throw", "crashed"],
  ["hoard", "crashed"],
])(
  "a worker lost to %j fails only that task, and the next gets a new one",
  async (task, reason) => {
    const pool = openPool();
    const before = await pool.run("before");
    const [lost, after] = await Promise.allSettled([pool.run(task), pool.run("after")]);
    expect(lost).toMatchObject({ status: "rejected", reason: { name: "WorkerLost", reason } });
    expect(after).toMatchObject({ status: "fulfilled", value: { task: "after" } });
    expect((after as PromiseFulfilledResult<{ threadId: number }>).value.threadId).not.toBe(
      before.threadId,
    );
  },
);

it("a task past its time limit is stopped, and the next one runs", async () => {
  const pool = openPool({ timeLimitMs: 300 });
  await expect(pool.run("spin")).rejects.toMatchObject({ name: "WorkerLost", reason: "too-long" });
  expect(await pool.run("after")).toMatchObject({ task: "after" });
});

it("one worker serves one task after another, and passes on Problems and errors", async () => {
  const pool = openPool();
  const first = await pool.run("first");
  await expect(pool.run("refuse")).rejects.toMatchObject({
    name: "Problem",
    code: "too_large",
    message: "so large",
  });
  await expect(pool.run("fail")).rejects.toThrow("it broke");
  expect((await pool.run("second")).threadId).toBe(first.threadId);
});

it("tasks wait up to the limit, and one more is refused as unavailable", async () => {
  const pool = openPool({ waitingMost: 2 });
  const outcomes = await Promise.allSettled(["a", "b", "c", "d"].map((task) => pool.run(task)));
  expect(outcomes.map((outcome) => outcome.status)).toEqual([
    "fulfilled",
    "fulfilled",
    "fulfilled",
    "rejected",
  ]);
  expect(outcomes[3]).toMatchObject({ reason: { code: "unavailable" } });
});

it("closing ends running and waiting tasks", async () => {
  const pool = openPool();
  const outcomes = Promise.allSettled([pool.run("spin"), pool.run("waiting")]);
  await pool.close();
  expect(await outcomes).toMatchObject([
    { reason: { name: "WorkerLost", reason: "closed" } },
    { reason: { code: "unavailable" } },
  ]);
  await expect(pool.run("late")).rejects.toMatchObject({ code: "unavailable" });
});
