import { expect, it } from "vitest";
import { columns } from "../../test/support/refusals/index.ts";
import { judgeAsked, judgeLate, judgeRefusal } from "../../test/support/refusals/judge.ts";
import {
  type Column,
  type LateRefusal,
  type Refusal,
  type RowName,
  rowNames,
} from "../../test/support/refusals/table.ts";
import { kinds } from "./index.ts";

const listed = <Cell extends object>(cell: Cell | readonly Cell[] | string): readonly Cell[] =>
  typeof cell === "string" ? [] : Array.isArray(cell) ? (cell as readonly Cell[]) : [cell as Cell];
const refusalsOf = ({ before }: Column) =>
  rowNames.flatMap((row) =>
    listed(before[row]).map((cell): readonly [RowName, number, Refusal] => [
      row,
      cell.status,
      cell,
    ]),
  );
const lateOf = ({ after }: Column) =>
  typeof after === "string"
    ? []
    : rowNames.flatMap((row) =>
        listed(after[row]).map((cell): readonly [RowName, LateRefusal] => [row, cell]),
      );

/** Refusals that may also answer a poll of an accepted job. */
const askedRows: readonly RowName[] = [
  "rate limit",
  "used up",
  "wrong key",
  "missing right",
  "overload",
  "timeout",
  "broken server",
];

it("every kind of connection has its column", () => {
  // Tool servers have no models; their own tests cover their refusals.
  const withModels = kinds.filter(({ tasks }) => tasks.some((task) => task !== "tool"));
  const missing = withModels
    .map(({ kind }) => kind)
    .filter((kind) => !columns.some(({ adapter }) => adapter.kind === kind));
  expect(missing).toEqual([]);
});

it.each(columns.map((column) => [column.name, column] as const))(
  "%s has a cell for every refusal, or says why it never occurs",
  (_name, column) => {
    expect(column.reference).toMatch(/^(https:\/\/|docs\/)/);
    for (const cells of [column.before, column.after]) {
      if (typeof cells === "string") expect(cells).toMatch(/\w+ \w+ \w+/);
      else {
        expect(Object.keys(cells).toSorted()).toEqual(rowNames.toSorted());
        for (const cell of Object.values(cells)) {
          if (typeof cell === "string") expect(cell).toMatch(/\w+ \w+ \w+/);
          else if (Array.isArray(cell)) expect(cell.length).toBeGreaterThan(0);
        }
      }
    }
  },
);

for (const column of columns) {
  const refusals = refusalsOf(column);
  const late = lateOf(column);
  if (refusals.length > 0) {
    it.each(refusals)(`${column.name}: %s, reported by %i`, (row, _status, cell) =>
      judgeRefusal(column, row, cell),
    );
    it(`${column.name}: no refusal repeats the key`, async () => {
      for (const [row, , cell] of refusals) await judgeRefusal(column, row, cell, true);
    });
  }
  if (column.asks) {
    const asked = refusals.filter(([row]) => askedRows.includes(row));
    it.each(asked)(
      `${column.name}: %s, reported by %i to a job's poll: it polls again`,
      (row, _status, cell) => judgeAsked(column, row, cell),
    );
  }
  if (late.length > 0) {
    it.each(late)(`${column.name}: %s, after the first byte`, (row, cell) =>
      judgeLate(column, row, cell),
    );
    it(`${column.name}: no error inside an answer repeats the key`, async () => {
      for (const [row, cell] of late) await judgeLate(column, row, cell, true);
    });
  }
}
