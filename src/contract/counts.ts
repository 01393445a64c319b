/** Writes a number as the server's sentences do: 100,000. */
export const grouped = (value: number): string => value.toLocaleString("en-US");
