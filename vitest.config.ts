import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { patienceMs } from "./test/support/patience.ts";

const cores = Math.max(2, availableParallelism() - 1);
/** Tests of promises often wait: for a server to start, for a dead one to be missed. */
const waiting = cores + 2;

/** The whole time of a test that starts servers or opens pages. */
const testLimitMs = 4 * 60_000;

// Inherited by the processes of the tests: each thread that a test starts would strip and compile its modules again.
process.env.NODE_COMPILE_CACHE ??= join(
  import.meta.dirname,
  "node_modules",
  ".cache",
  "bottega",
  "compiled",
);

/** `npm test -- --costs` names a file in TEST_COSTS, and each worker writes there what it runs. */
const setupFiles = process.env.TEST_COSTS ? ["test/support/say-file.ts"] : [];

/**
 * Unit tests sit beside their files; what crosses folders is in test/, each with its own project so that one can be run alone.
 * The groups run one after the other, so that no browser waits behind two processes that compute.
 * Files share their worker's process and the modules loaded there (`isolate: false`): a new process for each file took a quarter of
 * the time. So a test undoes what it changes in the process, and src keeps no state that one instance could leave to the next.
 */
export default defineConfig({
  test: {
    globalSetup: "test/support/global-setup.ts",
    projects: [
      {
        test: {
          name: "unit",
          isolate: false,
          setupFiles,
          include: ["src/**/*.test.{ts,tsx}"],
          environment: "node",
          testTimeout: patienceMs,
          maxWorkers: cores,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "promises",
          isolate: false,
          setupFiles,
          include: ["test/promises/**/*.test.ts"],
          testTimeout: testLimitMs,
          hookTimeout: testLimitMs,
          maxWorkers: waiting,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "security",
          isolate: false,
          setupFiles,
          include: ["test/security/**/*.test.ts"],
          testTimeout: testLimitMs,
          hookTimeout: testLimitMs,
          maxWorkers: waiting,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Only by `npm run agents`, which installs them first.
        test: {
          name: "agents",
          isolate: false,
          include: ["test/agents/**/*.test.ts"],
          hookTimeout: testLimitMs,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "browser",
          isolate: false,
          setupFiles,
          include: ["test/browser/**/*.test.ts"],
          testTimeout: testLimitMs,
          hookTimeout: testLimitMs,
          // As long as Playwright waits for what should appear; what is to be soon is no promise on a busy machine.
          expect: { poll: { timeout: patienceMs } },
          maxWorkers: cores + 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
