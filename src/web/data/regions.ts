/** The offered formats of dates and numbers, as BCP 47 tags. The browser supplies their names. */
export const formatLocales = [
  "en",
  "en-GB",
  "en-US",
  "de-DE",
  "de-CH",
  "es-ES",
  "es-MX",
  "fr-FR",
  "fr-CH",
  "it-IT",
  "nl-NL",
  "pt-BR",
  "pt-PT",
  "pl-PL",
  "cs-CZ",
  "da-DK",
  "sv-SE",
  "nb-NO",
  "fi-FI",
  "tr-TR",
  "uk-UA",
  "ja-JP",
  "ko-KR",
  "zh-CN",
  "zh-TW",
  "hi-IN",
  "id-ID",
  "vi-VN",
] as const;

/** "German (Germany)", or the tag itself if the browser has no name for it. */
export const nameLocale = (tag: string): string =>
  new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" }).of(tag) ?? tag;

/**
 * Every zone that this browser knows, UTC, and the current one even if the browser doesn't list it.
 */
export function listTimeZones(current: string): string[] {
  const zones = new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), current]);
  return [...zones].sort();
}

/**
 * Zones with two names. Browsers list either the old or the new one, and people search for both.
 */
const renamed = [
  ["Europe/Kiev", "Europe/Kyiv"],
  ["Asia/Calcutta", "Asia/Kolkata"],
  ["Asia/Katmandu", "Asia/Kathmandu"],
  ["Asia/Rangoon", "Asia/Yangon"],
  ["Asia/Saigon", "Asia/Ho_Chi_Minh"],
  ["Africa/Asmera", "Africa/Asmara"],
  ["America/Godthab", "America/Nuuk"],
  ["Atlantic/Faeroe", "Atlantic/Faroe"],
  ["Pacific/Enderbury", "Pacific/Kanton"],
  ["Pacific/Ponape", "Pacific/Pohnpei"],
  ["Pacific/Truk", "Pacific/Chuuk"],
] as const;

/** A zone's readable name: "America/New York". */
export const nameTimeZone = (zone: string): string => zone.replaceAll("_", " ");
/** A zone's other name, if it has two. */
export function otherNameOf(zone: string): string | undefined {
  const other = renamed
    .find((names) => (names as readonly string[]).includes(zone))
    ?.find((name) => name !== zone);
  return other && nameTimeZone(other);
}

export const deviceTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
