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

export const deviceTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
