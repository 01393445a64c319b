const isNumber = /^-?\d+(\.\d+)?$/;
/**
 * Cells that spreadsheets would run as a formula are prefixed with a quote (OWASP, CSV injection).
 */
const isFormula = /^[=+\-@\t\r]/;

/** A CSV cell that no spreadsheet executes. Numbers stay numbers. */
export const withoutFormula = (cell: string): string =>
  isFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell;
