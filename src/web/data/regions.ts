/** Formats of dates and numbers that are offered, by BCP 47 tag; the browser names them. */
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

/** "German (Germany)", or the tag itself where the browser has no name. */
export const nameLocale = (tag: string): string =>
  new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" }).of(tag) ?? tag;

/** Every zone this browser knows, with UTC, and the one that is set even when the browser does not list it. */
export function listTimeZones(current: string): string[] {
  const zones = new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), current]);
  return [...zones].sort();
}

/** Cities whose zone has two names: browsers list the old one or the new one, and people seek both. */
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

/** A zone as a person reads it: "America/New York". */
export const nameTimeZone = (zone: string): string => zone.replaceAll("_", " ");
/** The other name of a zone that has two. */
export function otherNameOf(zone: string): string | undefined {
  const other = renamed
    .find((names) => (names as readonly string[]).includes(zone))
    ?.find((name) => name !== zone);
  return other && nameTimeZone(other);
}

export const deviceTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
