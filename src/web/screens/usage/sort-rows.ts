export type SortColumn = "name" | "micros" | "runs" | "tokens";
export type Sorting = { by: SortColumn; down: boolean };
type Row = { name: string; micros: number; runs: number; tokens: number };

/** A new column sorts descending, names ascending; the same column reverses. */
export const toggleSorting = (sorting: Sorting, by: SortColumn): Sorting =>
  sorting.by === by ? { by, down: !sorting.down } : { by, down: by !== "name" };

export function sortRows<R extends Row>(rows: readonly R[], { by, down }: Sorting): R[] {
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const compare = (a: R, b: R) => (by === "name" ? names.compare(a.name, b.name) : a[by] - b[by]);
  return rows.toSorted((a, b) => (down ? compare(b, a) : compare(a, b)));
}
