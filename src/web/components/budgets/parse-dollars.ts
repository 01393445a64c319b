/** A dollar is a million micro-dollars. */
const digits = 6;
const written = /^\$?(\d{1,3}(?:,\d{3})+|\d+)?(?:[.](\d*))?$/;

/**
 * Parses a typed amount to micro-dollars: "25", "$0.50", "1,200", or "0,5" if the comma can only be
 * a decimal one.
 * @returns undefined for text that isn't an amount, or for less than a micro-dollar
 */
export function parseDollars(text: string): number | undefined {
  const plain = text.replaceAll(/\s/g, "").replace(/^(\$?\d+),(\d{1,2})$/, "$1.$2");
  const [, whole, part = ""] = written.exec(plain) ?? [];
  if ((whole === undefined && part === "") || part.length > digits) return undefined;
  const micros = Number(`${(whole ?? "0").replaceAll(",", "")}${part.padEnd(digits, "0")}`);
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** Formats micro-dollars for the field: 25_000_000 is "25", 500_000 is "0.50". */
export function formatDollars(micros: number): string {
  const whole = Math.floor(micros / 10 ** digits);
  const part = String(micros % 10 ** digits)
    .padStart(digits, "0")
    .replace(/0+$/, "");
  return part === "" ? String(whole) : `${whole}.${part.padEnd(2, "0")}`;
}
