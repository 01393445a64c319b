import { expect, it } from "vitest";
import { screens } from "#contract/screens.ts";
import { compileCatalogue } from "./compile-messages.ts";
import * as areas from "./en.ts";
import { t } from "./t.ts";

const en: Record<string, string> = Object.assign({}, ...Object.values(areas));

it("every text compiles", () => {
  expect(Object.keys(compileCatalogue(en))).toHaveLength(Object.keys(en).length);
});

it("a text that isn't valid ICU fails the build", () => {
  expect(() => compileCatalogue({ broken: "{count, plural, one {#}" })).toThrow();
});

it("every screen has a name", () => {
  for (const { title } of Object.values(screens)) expect(t(title)).not.toBe(title);
});

it("fills in values and chooses plurals", () => {
  expect(t("shell.running", { count: 3 })).toBe("3 running");
  expect(t("shell.running.queued", { place: 2 })).toBe("2nd in the queue");
  expect(t("time.minutes", { count: 1 })).toBe("1 minute ago");
});

it("no text ends with an exclamation mark or says oops", () => {
  for (const text of Object.values(en)) expect(text).not.toMatch(/!$|oops/i);
});
