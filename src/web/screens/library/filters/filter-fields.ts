import type { AssetRange } from "#contract/filters/asset-filters.ts";
import { formatDollars, parseDollars } from "../../../components/budgets/parse-dollars.ts";
import { formatBytes, formatClip, formatMoney } from "../../../messages/format.ts";
import { locale, t } from "../../../messages/t.ts";

const megapixels = 1_000_000;
const second = 1_000;
const minute = 60 * second;

/** A field filtered by a range: its display format, its input format, and its common ranges. */
export type RangeField = {
  format: (value: number) => string;
  /** @returns undefined for invalid text */
  parse: (text: string, isEnd: boolean) => number | undefined;
  /** The text for the input. */
  write: (value: number) => string;
  inputType?: "date";
  usual: readonly string[];
};

const parseNumber = (unit: number) => (text: string) => {
  const value = Number(text.trim().replace(",", "."));
  return text.trim() !== "" && value >= 0 && Number.isFinite(value)
    ? Math.round(value * unit)
    : undefined;
};
const writeNumber = (unit: number) => (value: number) => String(value / unit);

const dayText = (at: number): string => {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

export const rangeFields: Record<AssetRange, RangeField> = {
  createdAt: {
    format: (at) =>
      new Intl.DateTimeFormat(locale(), {
        day: "numeric",
        month: "short",
        year: "numeric",
      }).format(at),
    parse: (text, isEnd) => {
      const [year, month, day] = text.split("-").map(Number);
      if (!year || !month || !day) return undefined;
      const at = new Date(year, month - 1, day + (isEnd ? 1 : 0)).getTime() - (isEnd ? 1 : 0);
      return at >= 0 ? at : undefined;
    },
    write: dayText,
    inputType: "date",
    usual: [],
  },
  rating: {
    format: (stars) => t("library.filter.stars", { stars }),
    parse: parseNumber(1),
    write: writeNumber(1),
    usual: ["5..", "4..", "3..", "1..", "..0"],
  },
  costMicros: {
    format: (micros) => (micros === 0 ? t("money.free") : formatMoney(micros)),
    parse: parseDollars,
    write: formatDollars,
    usual: ["..0", "1..10000", "10000..100000", "100000..1000000", "1000000.."],
  },
  bytes: {
    format: formatBytes,
    parse: parseNumber(1_000_000),
    write: writeNumber(1_000_000),
    usual: ["..1000000", "1000000..10000000", "10000000..100000000", "100000000.."],
  },
  pixels: {
    format: (pixels) => t("library.filter.megapixels", { count: pixels / megapixels }),
    parse: parseNumber(megapixels),
    write: writeNumber(megapixels),
    usual: ["..1000000", "1000000..4000000", "4000000..16000000", "16000000.."],
  },
  durationMs: {
    format: formatClip,
    parse: parseNumber(second),
    write: writeNumber(second),
    usual: [
      `..${10 * second}`,
      `${10 * second}..${minute}`,
      `${minute}..${10 * minute}`,
      `${10 * minute}..`,
    ],
  },
};
