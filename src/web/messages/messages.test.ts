import { expect, it } from "vitest";
import { screens } from "#contract/screens.ts";
import { compileCatalogue } from "./compile-messages.ts";
import * as areas from "./en.ts";
import { t } from "./t.ts";

const en: Record<string, string> = Object.assign({}, ...Object.values(areas));

it("compiles every text", () => {
  expect(Object.keys(compileCatalogue(en))).toHaveLength(Object.keys(en).length);
});

it("refuses a text that is no ICU at build", () => {
  expect(() => compileCatalogue({ broken: "{count, plural, one {#}" })).toThrow();
});

it("names every screen", () => {
  for (const { title } of Object.values(screens)) expect(t(title)).not.toBe(title);
});

it("fills in values and chooses plurals", () => {
  expect(t("shell.running", { count: 3 })).toBe("3 running");
  expect(t("shell.running.queued", { place: 2 })).toBe("2nd in the queue");
  expect(t("time.minutes", { count: 1 })).toBe("1 minute ago");
});

it("ends no text with an exclamation mark and says no oops", () => {
  for (const text of Object.values(en)) expect(text).not.toMatch(/!$|oops/i);
});
