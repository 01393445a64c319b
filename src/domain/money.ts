/** A decimal number as text, without an exponent: how providers give units and rates. */
const decimal = /^(\d+)(?:\.(\d+))?$/;

/**
 * Units times a rate in micro-dollars a unit, multiplied exactly and rounded up to a micro once.
 * @returns null when one of the two is no plain decimal number: unknown, never 0
 */
export function multiplyToMicros(units: string, rateMicros: string): number | null {
  const a = decimal.exec(units);
  const b = decimal.exec(rateMicros);
  if (!a || !b) return null;
  const scale = (a[2]?.length ?? 0) + (b[2]?.length ?? 0);
  const product = BigInt(`${a[1]}${a[2] ?? ""}`) * BigInt(`${b[1]}${b[2] ?? ""}`);
  const divisor = 10n ** BigInt(scale);
  return Number((product + divisor - 1n) / divisor);
}
