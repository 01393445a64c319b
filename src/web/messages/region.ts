/** How dates and numbers are written: a BCP 47 tag, and an IANA time zone; without one the device's. */
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

/** Takes over a person's choice. What this browser does not know is passed over, for Intl would throw at every date. */
export function setRegion(wanted: Region): void {
  if (isKnown(wanted)) region = wanted;
  else if (isKnown({ locale: wanted.locale })) region = { locale: wanted.locale };
}
