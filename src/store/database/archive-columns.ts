/**
 * Maps each column to its field in the archive, or marks it as not exported. A new column without
 * an entry does not compile. Exports and imports both read these maps.
 */
export type ArchiveColumns<Row, ArchiveRow> = Record<keyof Row, keyof ArchiveRow | "stays">;

type Leaving<Columns> = {
  [C in keyof Columns]: Columns[C] extends "stays" ? never : C;
}[keyof Columns];
type FieldOf<Columns, C extends keyof Columns> = Extract<Columns[C], string>;

export function leavingColumns<Columns extends Record<string, string>>(
  columns: Columns,
): Leaving<Columns>[] {
  return Object.keys(columns).filter((column) => columns[column] !== "stays") as Leaving<Columns>[];
}

/**
 * Renames a row's columns to the archive's fields. The caller replaces values that the archive
 * writes in another form.
 */
export function toArchiveRow<
  const Columns extends Record<string, string>,
  Row extends Record<Leaving<Columns>, unknown>,
>(row: Row, columns: Columns): { [C in Leaving<Columns> as FieldOf<Columns, C>]: Row[C] } {
  const fields = leavingColumns(columns).map((column) => [columns[column], row[column]]);
  return Object.fromEntries(fields);
}

/** Renames an archive's fields back to columns. */
export function fromArchiveRow<
  const Columns extends Record<string, string>,
  ArchiveRow extends Record<FieldOf<Columns, Leaving<Columns>>, unknown>,
>(
  archiveRow: ArchiveRow,
  columns: Columns,
): { [C in Leaving<Columns>]: ArchiveRow[FieldOf<Columns, C>] } {
  const values = leavingColumns(columns).map((column) => [
    column,
    archiveRow[columns[column] as FieldOf<Columns, Leaving<Columns>>],
  ]);
  return Object.fromEntries(values);
}
