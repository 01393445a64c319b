const isNumber = /^-?\d+(\.\d+)?$/;
/** A cell that a table program would run as a formula is given a quote before it (OWASP, CSV injection). */
const isFormula = /^[=+\-@\t\r]/;

/** A cell of a CSV that no table program runs. Numbers stay numbers. */
export const withoutFormula = (cell: string): string =>
  isFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell;
