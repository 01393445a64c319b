/** The format of dates and numbers: a BCP 47 tag and an IANA time zone, by default the device's. */
export type Region = { locale: string; timeZone?: string };

const isKnown = (region: Region): boolean => {
  try {
    new Intl.DateTimeFormat(region.locale, { timeZone: region.timeZone });
    return true;
  } catch {
    return false;
  }
};

let region: Region = { locale: "en" };

export const getRegion = (): Region => region;

/**
 * Applies a person's choice. Values that this browser doesn't know are ignored, because Intl would
 * throw for every date.
 */
export function setRegion(wanted: Region): void {
  if (isKnown(wanted)) region = wanted;
  else if (isKnown({ locale: wanted.locale })) region = { locale: wanted.locale };
}
