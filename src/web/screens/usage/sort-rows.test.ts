import { expect, it } from "vitest";
import { sortRows, toggleSorting } from "./sort-rows.ts";

const rows = [
  { name: "model 10", micros: 5, runs: 1, tokens: 9 },
  { name: "Model 2", micros: 7, runs: 3, tokens: 0 },
  { name: "alpha", micros: 5, runs: 2, tokens: 4 },
];
const names = (by: "name" | "micros" | "runs" | "tokens", down: boolean) =>
  sortRows(rows, { by, down }).map(({ name }) => name);

it("names sort naturally, numbers by size, equal rows in their order", () => {
  expect(names("name", false)).toEqual(["alpha", "Model 2", "model 10"]);
  expect(names("micros", true)).toEqual(["Model 2", "model 10", "alpha"]);
  expect(names("tokens", false)).toEqual(["Model 2", "alpha", "model 10"]);
});

it("a second click on a column reverses its order", () => {
  expect(toggleSorting({ by: "micros", down: true }, "micros")).toEqual({
    by: "micros",
    down: false,
  });
  expect(toggleSorting({ by: "micros", down: true }, "name")).toEqual({ by: "name", down: false });
  expect(toggleSorting({ by: "name", down: false }, "runs")).toEqual({ by: "runs", down: true });
});
