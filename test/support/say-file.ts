import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";

/** Run before each file where costs are counted: which process works for it from now on. */
const { testPath } = expect.getState();
if (process.env.TEST_COSTS && testPath)
  appendFileSync(process.env.TEST_COSTS, `${process.pid}\t${relative(process.cwd(), testPath)}\n`);
