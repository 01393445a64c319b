/** Longer numbers are compared by their last digits. */
export const numberDigits = 20;

/**
 * A text's key for sorting by letters and numbers, so that "take 2" precedes "take 10": each number
 * is padded with zeros. `naturalKeyIn` of the store is the same in SQL.
 */
export const naturalKey = (text: string): string =>
  text.replace(/[0-9]+/g, (number) => number.padStart(numberDigits, "0").slice(-numberDigits));
