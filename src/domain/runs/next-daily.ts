import { Temporal } from "temporal-polyfill";

/**
 * The first moment after `after` at which the clocks of a time zone show this hour. If the hour is
 * skipped in spring, the moment after the gap; if it occurs twice in autumn, the first.
 * @throws RangeError for an unknown time zone
 */
export function nextDaily(hour: number, timeZone: string, after: number): number {
  const now = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone);
  for (let days = 0; ; days++) {
    const at = now
      .toPlainDate()
      .add({ days })
      .toZonedDateTime({ timeZone, plainTime: { hour } }).epochMilliseconds;
    if (at > after) return at;
  }
}
