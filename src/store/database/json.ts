/**
 * JSON is stored as text on both databases: PostgreSQL's jsonb would reorder it and refuse U+0000.
 */
export const fromJson = <T>(value: string): T => JSON.parse(value) as T;
export const fromJsonOrNull = <T>(value: string | null): T | null =>
  value === null ? null : (JSON.parse(value) as T);
export const toJson = (value: unknown): string => JSON.stringify(value);
export const toJsonOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);
/** The sign-in library's dates are text on SQLite and Date on PostgreSQL. */
export const fromDate = (value: string | Date): number => new Date(value).getTime();
