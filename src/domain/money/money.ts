/** A decimal number as text, without an exponent: the format of providers' units and rates. */
const decimal = /^(\d+)(?:\.(\d+))?$/;

/**
 * A number of units at a price in micro-dollars for each, or for each `per` of them (a whole
 * number). Both are decimal text.
 */
export type Product = { units: string; micros: string; per?: number };

/** A million dollars. No call costs more, and sums below it stay exact. */
const maxMicros = 1e12;

/**
 * The sum of products in micro-dollars, added exactly and rounded up to a micro once.
 * @returns null if a value isn't a plain decimal number or exceeds the cost of any call: unknown,
 *   never 0
 */
export function sumToMicros(products: readonly Product[]): number | null {
  let sum = 0n;
  let scale = 0;
  let divided = 1n;
  for (const { units, micros, per = 1 } of products) {
    const a = decimal.exec(units);
    const b = decimal.exec(micros);
    if (!a || !b) return null;
    const ownScale = (a[2]?.length ?? 0) + (b[2]?.length ?? 0);
    const product = BigInt(`${a[1]}${a[2] ?? ""}`) * BigInt(`${b[1]}${b[2] ?? ""}`) * divided;
    const common = Math.max(scale, ownScale);
    sum =
      sum * BigInt(per) * 10n ** BigInt(common - scale) +
      product * 10n ** BigInt(common - ownScale);
    divided *= BigInt(per);
    scale = common;
  }
  const divisor = divided * 10n ** BigInt(scale);
  const micros = Number((sum + divisor - 1n) / divisor);
  return micros <= maxMicros ? micros : null;
}

/**
 * Converts a provider's dollars, as text or number, to exact micro-dollars: 0.00111 is "1110",
 * "2.5e-7" is "0.25". Null for anything else.
 */
export function dollarsToMicros(dollars: unknown): string | null {
  if (typeof dollars !== "number" && typeof dollars !== "string") return null;
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i.exec(String(dollars).trim()) ?? [];
  if (whole === "") return null;
  const point = whole.length + Number(exponent) + 6;
  const digits = (whole + fraction)
    .padStart((whole + fraction).length + Math.max(0, -point), "0")
    .padEnd(point, "0");
  const at = Math.max(point, 0);
  const integer = digits.slice(0, at).replace(/^0+(?=\d)/, "") || "0";
  const rest = digits.slice(at).replace(/0+$/, "");
  return rest ? `${integer}.${rest}` : integer;
}

/**
 * Micro-dollars as text, exact to the micro and at least to the cent: "$0.12", "$1,204.50",
 * "$0.0004".
 */
export function formatDollars(micros: number): string {
  const dollars = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
  return dollars.format(micros / 1_000_000);
}

/**
 * Converts nano-dollars to exact micro-dollars as text: 1_234_500 is "1234.5". Null for anything
 * that isn't a number.
 */
export const nanoDollarsToMicros = (nano: unknown): string | null =>
  typeof nano === "number" || typeof nano === "string" ? dollarsToMicros(`${nano}e-9`) : null;

/** Thousands separators in groups of three, or none: "1,23" is ambiguous. */
const writtenDollars = /^(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i;

/**
 * Converts an invoice's dollars ("$1,234.5678", "0.00012", "12 USD") to exact micro-dollars as
 * text. Null for anything else.
 */
export function readDollars(text: string): string | null {
  const [, plain = ""] = /^(?:usd|us\$|\$)?\s*([^\s$]+)\s*(?:usd)?$/i.exec(text.trim()) ?? [];
  return writtenDollars.test(plain) ? dollarsToMicros(plain.replaceAll(",", "")) : null;
}
