import { afterAll, beforeAll, expect, it } from "vitest";
import { run as runTexts } from "../../../messages/en/making/run.ts";
import { setRegion } from "../../../messages/region.ts";
import { addTexts } from "../../../messages/t.ts";
import { formatMoment, sayUnconfirmed } from "./unconfirmed-facts.ts";

const at = Date.parse("2026-11-21T14:02:11Z");
beforeAll(() => {
  addTexts(runTexts);
  setRegion({ locale: "en", timeZone: "UTC" });
});
afterAll(() => setRegion({ locale: "en", timeZone: "UTC" }));

it("says when the run was sent and what it may have cost", () => {
  const run = { heldMicros: 400_000, startedAt: at - 5_000, createdAt: at - 9_000 };
  expect(sayUnconfirmed({ run, sentAt: at }, at)).toBe(
    "Sent at 14:02:11. It may have cost up to $0.40.",
  );
});

it("claims neither that it was sent nor a price if these are unknown", () => {
  const run = { heldMicros: 0, startedAt: at, createdAt: at };
  expect(sayUnconfirmed({ run, sentAt: null }, at)).toBe(
    "The server stopped while it was sending this at 14:02:11. Its price is unknown.",
  );
  expect(sayUnconfirmed({ run, sentAt: at }, at)).not.toContain("$");
});

it("calls a free model free, not of unknown price", () => {
  const run = { heldMicros: 0, isFree: true, startedAt: at, createdAt: at } as const;
  expect(sayUnconfirmed({ run, sentAt: at }, at)).toBe("Sent at 14:02:11. It is free.");
  expect(sayUnconfirmed({ run, sentAt: null }, at)).toBe(
    "The server stopped while it was sending this at 14:02:11. It is free.",
  );
});

it("names the day if it isn't today, in the person's own zone", () => {
  setRegion({ locale: "en", timeZone: "Asia/Tokyo" });
  expect(formatMoment(at, at)).toBe("at 23:02:11");
  expect(formatMoment(at, at + 3_600_000)).toBe("on November 21, 2026 at 23:02:11");
  setRegion({ locale: "en", timeZone: "UTC" });
});
