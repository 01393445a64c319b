/**
 * Names the archive's field of each column, or says that the column stays. A new column without an entry does not compile, so
 * nobody forgets to decide. Exports and imports read these tables.
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

/** A row under the names of the archive. Values that an archive writes in another form are replaced by the caller. */
export function toArchiveRow<
  const Columns extends Record<string, string>,
  Row extends Record<Leaving<Columns>, unknown>,
>(row: Row, columns: Columns): { [C in Leaving<Columns> as FieldOf<Columns, C>]: Row[C] } {
  const fields = leavingColumns(columns).map((column) => [columns[column], row[column]]);
  return Object.fromEntries(fields);
}

/** The fields of an archive under the names of columns: the way back. */
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
