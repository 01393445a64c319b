import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";

/**
 * Runs before each file while costs are counted: reports the process that works for the file from
 * now on.
 */
const { testPath } = expect.getState();
if (process.env.TEST_COSTS && testPath)
  appendFileSync(process.env.TEST_COSTS, `${process.pid}\t${relative(process.cwd(), testPath)}\n`);
