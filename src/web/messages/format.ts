import type { Run } from "#contract/entities.ts";
import type { RunPrice } from "#domain/money/prices.ts";
import { getRegion } from "./region.ts";
import { t } from "./t.ts";

const microsPerDollar = 1_000_000;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const formatters = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();
/** Caches Intl's formatters, one of each kind, because creating one takes 50 µs. */
function cached<Formatter extends Intl.NumberFormat | Intl.DateTimeFormat>(
  key: string,
  make: () => Formatter,
): Formatter {
  const id = `${getRegion().locale} ${getRegion().timeZone} ${key}`;
  const found = formatters.get(id);
  if (found) return found as Formatter;
  const formatter = make();
  formatters.set(id, formatter);
  return formatter;
}

const number = (options: Intl.NumberFormatOptions) =>
  cached(`n ${JSON.stringify(options)}`, () => new Intl.NumberFormat(getRegion().locale, options));
const date = (options: Intl.DateTimeFormatOptions) =>
  cached(
    `d ${JSON.stringify(options)}`,
    () =>
      new Intl.DateTimeFormat(getRegion().locale, { ...options, timeZone: getRegion().timeZone }),
  );

/**
 * Formats micro-dollars as dollars: "$0.16", "$0.025", "$1,204.50". Below a dollar it shows two
 * significant digits and at least two decimals; `exact` shows every micro-dollar.
 */
export function formatMoney(micros: number, precision: "short" | "exact" = "short"): string {
  const dollars = micros / microsPerDollar;
  const size = Math.abs(dollars);
  const short =
    size === 0 || size >= 1 ? 2 : Math.min(12, Math.max(2, 1 - Math.floor(Math.log10(size))));
  const most = precision === "exact" ? 6 : short;
  return number({
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: most,
  }).format(dollars);
}

/**
 * A price and how precisely it is known. `about` is an estimate, with an upper bound if one is
 * known; `at-most` is only an upper bound; `at-least` is a sum without its unknown parts;
 * `elsewhere` isn't in this ledger; `assumed` is zero because the provider refused.
 */
export type Price =
  | { kind: "exact" | "at-most" | "at-least"; micros: number }
  | { kind: "about"; micros: number; mostMicros?: number }
  | { kind: "elsewhere"; micros: number }
  | { kind: "unknown" }
  | { kind: "assumed" }
  | { kind: "free" };

/**
 * "$0.16", "about $0.16", "at most $3.20", "at least $0.16", "$0.16 paid elsewhere", "price
 * unknown", "free".
 */
export function formatPrice(price: Price): string {
  switch (price.kind) {
    case "unknown":
      return t("money.unknown");
    case "free":
      return t("money.free");
    case "assumed":
      return t("money.assumed");
    case "about":
      return t("money.about", { amount: formatMoney(price.micros) });
    case "elsewhere":
      return t("money.elsewhere", { amount: formatMoney(price.micros) });
    case "at-most":
      return t("money.atMost", { amount: formatMoney(price.micros) });
    case "at-least":
      return t("money.atLeast", { amount: formatMoney(price.micros) });
    case "exact":
      return formatMoney(price.micros);
  }
}

/**
 * A run's expected price: its likely cost, only the maximum if just a ceiling is known, or unknown.
 */
export function expectedPrice({ likelyMicros, mostMicros }: RunPrice): Price {
  if (mostMicros === 0) return { kind: "free" };
  if (likelyMicros !== null && likelyMicros > 0)
    return {
      kind: "about",
      micros: likelyMicros,
      ...(mostMicros !== null && { mostMicros }),
    };
  return mostMicros === null ? { kind: "unknown" } : { kind: "at-most", micros: mostMicros };
}

/**
 * The combined price, before or after the runs, as certain as the least certain part. With an
 * unknown part it is at least the sum of the others, without upper bounds, which may never be
 * charged in full.
 */
export function sumPrices(prices: readonly Price[]): Price {
  const [first, ...more] = prices;
  if (first && more.length === 0) return first;
  const has = (...kinds: Price["kind"][]): boolean =>
    prices.some(({ kind }) => kinds.includes(kind));
  const sum = (of: (price: Price) => number): number =>
    prices.reduce((total, price) => total + of(price), 0);
  if (has("unknown", "at-least")) {
    const least = sum((price) => (price.kind === "at-most" ? 0 : microsOf(price)));
    return least > 0 ? { kind: "at-least", micros: least } : { kind: "unknown" };
  }
  const mostMicros = sum((price) => mostOf(price) ?? Number.NaN);
  if (mostMicros === 0) return { kind: has("assumed") ? "assumed" : "free" };
  const micros = sum(microsOf);
  if (Number.isNaN(mostMicros)) return { kind: "about", micros };
  if (has("at-most")) return { kind: "at-most", micros: mostMicros };
  return has("about") ? { kind: "about", micros, mostMicros } : { kind: "exact", micros };
}

const microsOf = (price: Price): number => ("micros" in price ? price.micros : 0);
/** Null if there is no upper bound. */
const mostOf = (price: Price): number | null =>
  price.kind === "about" ? (price.mostMicros ?? null) : microsOf(price);

/**
 * An ended run's cost and how precisely it is known: an estimate is "about", a reservation booked
 * as the cost is "at most".
 */
export function costOf({
  costMicros,
  costBasis,
  imported,
}: Pick<Run, "costMicros" | "costBasis" | "imported">): Price {
  const micros = imported ? imported.costMicros : costMicros;
  if (imported && micros) return { kind: "elsewhere", micros };
  if (micros === null) return { kind: "unknown" };
  if (micros === 0) return { kind: costBasis === "assumed" ? "assumed" : "free" };
  return {
    kind: costBasis === "estimated" ? "about" : costBasis === "held" ? "at-most" : "exact",
    micros,
  };
}

/**
 * A sum with unknown parts, as a minimum: "at least $3.20", or "price unknown" if nothing else is
 * in it.
 */
export function formatSpent(micros: number, unpricedRuns: number): string {
  if (unpricedRuns === 0) return formatMoney(micros);
  return micros === 0 ? t("money.unknown") : t("money.atLeast", { amount: formatMoney(micros) });
}

/** Like `formatSpent`, for places that need a number next to a limit or a bar: "at least $0.00". */
export const formatAtLeast = (micros: number, unpricedRuns: number): string =>
  unpricedRuns > 0 ? t("money.atLeast", { amount: formatMoney(micros) }) : formatMoney(micros);

/** "12,408" */
export const formatCount = (count: number): string => number({}).format(count);
/** A share from 0 to 1: "62%" */
export const formatShare = (share: number): string =>
  number({ style: "percent", maximumFractionDigits: 0 }).format(share);

/** A share of a limit with unknown parts: "at least 62%". */
export const formatLeastShare = (share: number, unpricedRuns: number): string =>
  unpricedRuns > 0 ? t("money.atLeast", { amount: formatShare(share) }) : formatShare(share);

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
/** Decimal units, as in file managers: "940 byte", "1.2 MB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(
    byteUnits.length - 1,
    bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3),
  );
  const value = bytes / 1000 ** power;
  return number({
    style: "unit",
    unit: byteUnits[power],
    unitDisplay: power === 0 ? "long" : "short",
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value);
}

/** A duration: "0.6 s", "12 s", "3 min 4 s", "2 h 10 min". */
export function formatDuration(ms: number): string {
  if (ms < 10 * second)
    return t("duration.seconds", {
      seconds: number({ maximumFractionDigits: 1 }).format(ms / second),
    });
  if (ms < minute - 500) return t("duration.seconds", { seconds: Math.round(ms / second) });
  if (ms < hour) {
    const seconds = Math.round(ms / second);
    return t("duration.minutes", { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
  }
  const minutes = Math.round(ms / minute);
  return t("duration.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** A clip's length on its tile: "0:06", "1:02:09". */
export function formatClip(ms: number): string {
  const seconds = Math.round(ms / second);
  const pad = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0
    ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}`
    : `${minutes}:${pad(seconds % 60)}`;
}

/** The hour of a time in the person's zone, 0 to 23. */
export const hourOf = (at: number): number =>
  Number(
    new Intl.DateTimeFormat("en-US", {
      timeZone: getRegion().timeZone,
      hour: "numeric",
      hourCycle: "h23",
    }).format(at),
  );

/** The calendar day of a time in the person's zone, as [year, month, day]. */
function calendarDay(at: number): [number, number, number] {
  const parts = cached("calendar", () => {
    const { timeZone } = getRegion();
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      year: "numeric",
      month: "numeric",
      day: "numeric",
    });
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value);
  return [part("year"), part("month"), part("day")];
}
const dayNumber = (at: number): number => {
  const [year, month, dayOfMonth] = calendarDay(at);
  return Date.UTC(year, month - 1, dayOfMonth) / day;
};
const daysBetween = (at: number, now: number) => dayNumber(now) - dayNumber(at);

/**
 * A relative time: "just now", "12 minutes ago", "today 14:02", "yesterday 09:10", "3 Nov", "3 Nov
 * 2025"; for the future "in 12 minutes", "tomorrow 09:10". Times are in ms. Within a minute it is
 * "just now", because clocks differ by that much.
 */
export function formatWhen(at: number, now: number): string {
  const ago = now - at;
  if (Math.abs(ago) < minute) return t("time.now");
  if (ago < 0 && -ago < hour) return t("time.inMinutes", { count: Math.ceil(-ago / minute) });
  if (ago >= 0 && ago < hour) return t("time.minutes", { count: Math.floor(ago / minute) });
  const time = date({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
  const days = daysBetween(at, now);
  if (days === 0) return t("time.today", { time });
  if (days === 1) return t("time.yesterday", { time });
  if (days === -1) return t("time.tomorrow", { time });
  return date({
    day: "numeric",
    month: "short",
    year: isSameYear(at, now) ? undefined : "numeric",
  }).format(at);
}

const isSameYear = (at: number, now: number) => calendarDay(at)[0] === calendarDay(now)[0];

/**
 * The time left for a countdown: "in 20 s", "in 3 min 5 s", "in 2 h 10 min", then "now". Times are
 * in ms.
 */
export const formatUntil = (at: number, now: number): string =>
  at <= now
    ? t("time.due")
    : t("time.in", { duration: formatDuration(Math.ceil((at - now) / second) * second) });

/** A day as a heading: "Today", "Yesterday", "Thursday", "3 November", "3 November 2025". */
export function formatDay(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days <= 0) return t("day.today");
  if (days === 1) return t("day.yesterday");
  if (days < 7) return date({ weekday: "long" }).format(at);
  return date({
    day: "numeric",
    month: "long",
    year: isSameYear(at, now) ? undefined : "numeric",
  }).format(at);
}

/** The exact time, for a tooltip: "21 November 2026 at 14:02:11". */
export const formatExact = (at: number): string =>
  date({ dateStyle: "long", timeStyle: "medium", hourCycle: "h23" }).format(at);
