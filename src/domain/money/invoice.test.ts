import { expect, it } from "vitest";
import { guessColumns, missingColumns, readLine, readTime } from "./invoice.ts";

it.each([
  ["request_id,timestamp,endpoint_id,cost_total", { request: 0, date: 1, model: 2, cost: 3 }],
  ["Generation ID,Created At,Model,Cost (USD)", { request: 0, date: 1, model: 2, cost: 3 }],
  ["Date;Model;Amount", { date: 0, model: 1, cost: 2 }],
  ["when,what,how much", {}],
])("columns are recognized by their names: %s", (header, columns) => {
  expect(guessColumns(header.split(/[,;]/))).toEqual(columns);
});

it("a cost is always required, day and model only without a request", () => {
  expect(missingColumns({})).toEqual(["date", "model", "cost"]);
  expect(missingColumns({ request: 0 })).toEqual(["cost"]);
  expect(missingColumns({ date: 0, model: 1, cost: 2 })).toEqual([]);
});

it.each([
  ["2026-11-30", "2026-11-30T00:00:00.000Z"],
  ["2026-11-30T23:59:59Z", "2026-11-30T23:59:59.000Z"],
  ["2026-11-30 23:59:59 UTC", "2026-11-30T23:59:59.000Z"],
  ["2026-11-30 23:59:59.5", "2026-11-30T23:59:59.500Z"],
  ["2026-11-30T23:59+01:00", "2026-11-30T22:59:00.000Z"],
  ["1795000000", "2026-11-18T11:06:40.000Z"],
  ["1795000000123", "2026-11-18T11:06:40.123Z"],
])("a time without a zone is UTC: %s", (text, iso) => {
  expect(new Date(readTime(text) ?? 0).toISOString()).toBe(iso);
});

it.each(["01/02/2026", "2026-02-30", "30 Nov 2026", "yesterday", "2026-13-01", "12"])(
  "%s is not a time, because it would have to be guessed",
  (text) => {
    expect(readTime(text)).toBeNull();
  },
);

const header = ["id", "day", "model", "cost"];
const all = { request: 0, date: 1, model: 2, cost: 3 };

it("amounts are read exactly, and a row that names nothing is skipped", () => {
  expect(readLine(["r1", "2026-11-30", "m", "$1,234.5678"], all, header)).toEqual({
    requestId: "r1",
    at: Date.parse("2026-11-30"),
    modelId: "m",
    micros: "1234567800",
  });
  expect(readLine(["", "", "", "99.00"], all, header)).toBeNull();
  expect(readLine(["r1", "2026-11-30", "m"], all, header)).toBeNull();
  expect(readLine(["Total", "", "", "99.00"], { date: 1, model: 2, cost: 3 }, header)).toBeNull();
});

it.each(["-1.20", "1,23", "0,123", "€5", "1.2.3", "n/a", "12,34,567"])(
  "%s is refused because it is ambiguous",
  (cost) => {
    expect(() => readLine(["r1", "2026-11-30", "m", cost], all, header)).toThrow(
      /under “cost” is no amount of dollars/,
    );
  },
);
