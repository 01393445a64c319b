import { expect, it } from "vitest";
import { titleFromModel, titleOf } from "./title.ts";

it("a title is the first line of a text, cut at 60 characters", () => {
  expect(titleOf("  Cover ideas\nfor May")).toBe("Cover ideas");
  expect(titleOf(" \n ")).toBeUndefined();
  expect([...titleOf("😀".repeat(70))!]).toHaveLength(60);
});

it("quotes, marks and labels around a model’s title are removed", () => {
  expect(titleFromModel("**Title:** “Lighthouse lenses.”")).toBe("Lighthouse lenses");
  expect(titleFromModel("# Lighthouse lenses\n\nA title.")).toBe("Lighthouse lenses");
  expect(titleFromModel('"What is C++?"')).toBe("What is C++?");
  expect(titleFromModel(" \n** **\n")).toBeUndefined();
});
