import fc from "fast-check";
import { expect, it } from "vitest";
import { isTimeZone, periodAt } from "./periods.ts";

const hour = 60 * 60_000;
const at = (iso: string) => Date.parse(iso);

it("a day starts at midnight in its own time zone, and a month on its first day", () => {
  expect(periodAt("day", "Europe/Rome", at("2026-11-21T23:30:00Z"))).toEqual({
    startMs: at("2026-11-21T23:00:00Z"),
    endMs: at("2026-11-22T23:00:00Z"),
  });
  expect(periodAt("month", "America/New_York", at("2026-12-01T04:59:59Z"))).toEqual({
    startMs: at("2026-11-01T04:00:00Z"),
    endMs: at("2026-12-01T05:00:00Z"),
  });
});

it("a day has 23 or 25 hours where clocks change, and may start after midnight", () => {
  const hoursOf = (zone: string, iso: string) => {
    const { startMs, endMs } = periodAt("day", zone, at(iso));
    return (endMs - startMs) / hour;
  };
  expect(hoursOf("Europe/Rome", "2026-03-29T12:00:00Z")).toBe(23);
  expect(hoursOf("Europe/Rome", "2026-10-25T12:00:00Z")).toBe(25);
  // Cairo's clocks skip from midnight to one o'clock.
  expect(periodAt("day", "Africa/Cairo", at("2026-04-24T12:00:00Z")).startMs).toBe(
    at("2026-04-23T22:00:00Z"),
  );
  expect(hoursOf("Africa/Cairo", "2026-04-24T12:00:00Z")).toBe(23);
});

it("every moment lies in exactly one day and one month, and the next one starts where it ends", () => {
  const zones = [
    "UTC",
    "Europe/Rome",
    "Africa/Cairo",
    "Asia/Kolkata",
    "Pacific/Apia",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom("day" as const, "month" as const),
      fc.integer({ min: at("2005-01-01"), max: at("2040-01-01") }),
      (zone, name, moment) => {
        const { startMs, endMs } = periodAt(name, zone, moment);
        expect(startMs).toBeLessThanOrEqual(moment);
        expect(endMs).toBeGreaterThan(moment);
        expect(periodAt(name, zone, endMs).startMs).toBe(endMs);
        expect(periodAt(name, zone, endMs - 1).startMs).toBe(startMs);
      },
    ),
  );
});

it("a total budget has one period, and only known time zones are accepted", () => {
  expect(periodAt("total", "UTC", 0)).toEqual(periodAt("total", "Asia/Tokyo", at("2040-01-01")));
  expect(isTimeZone("Europe/Rome")).toBe(true);
  expect(isTimeZone("Europe/Atlantis")).toBe(false);
  expect(isTimeZone("")).toBe(false);
});
