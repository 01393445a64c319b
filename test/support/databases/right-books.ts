import { expect } from "vitest";
import type { Reader } from "#store/database/store.ts";
import { booksChecks } from "../../../src/commands/check-books.ts";

/** Whether balances, runs, rollups of usage and results are what the books say, as `doctor` looks at them. */
export async function expectRightBooks(db: Reader): Promise<void> {
  const findings = [];
  for (const { find } of booksChecks) findings.push(...(await find(db)));
  expect(findings).toEqual([]);
}
