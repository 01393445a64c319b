import { expect, it } from "vitest";
import { nextDaily } from "./next-daily.ts";

const next = (hour: number, timeZone: string, after: string) =>
  new Date(nextDaily(hour, timeZone, Date.parse(after))).toISOString();

it("the next time is later today, or tomorrow if the hour has started", () => {
  expect(next(3, "UTC", "2026-11-20T02:59:59.999Z")).toBe("2026-11-20T03:00:00.000Z");
  expect(next(3, "UTC", "2026-11-20T03:00:00Z")).toBe("2026-11-21T03:00:00.000Z");
});

it("the hour follows the time zone, also on days of 23 and 25 hours", () => {
  expect(next(3, "Europe/Rome", "2026-11-20T12:00:00Z")).toBe("2026-11-21T02:00:00.000Z");
  expect(next(2, "Europe/Rome", "2026-03-28T12:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
  expect(next(2, "Europe/Rome", "2026-10-24T12:00:00Z")).toBe("2026-10-25T00:00:00.000Z");
  expect(next(2, "Europe/Rome", "2026-10-25T00:30:00Z")).toBe("2026-10-26T01:00:00.000Z");
});
