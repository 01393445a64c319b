import { expect } from "vitest";
import type { Reader } from "#store/database/store.ts";
import { booksChecks } from "../../../src/commands/check-books.ts";

/**
 * Expects that balances, runs, usage rollups and results match the ledger, as `doctor` checks them.
 */
export async function expectRightBooks(db: Reader): Promise<void> {
  const findings = [];
  for (const { find } of booksChecks) findings.push(...(await find(db)));
  expect(findings).toEqual([]);
}
