import { expect, it } from "vitest";
import { titleFromModel, titleOf } from "./title.ts";

it("a title is the first line of a text, cut at 60 characters", () => {
  expect(titleOf("  Cover ideas\nfor May")).toBe("Cover ideas");
  expect(titleOf(" \n ")).toBeUndefined();
  expect([...titleOf("😀".repeat(70))!]).toHaveLength(60);
});

it("a title has the words of its line without Markdown, and no colon at the end", () => {
  expect(titleOf("## Answer in **two** `short` points:\n- color")).toBe(
    "Answer in two short points",
  );
  expect(titleOf("```py\nprint(2**3 + 4**5)\n```")).toBe("print(2**3 + 4**5)");
  expect(titleOf("What does __init__ do? *args: 3:4")).toBe("What does __init__ do? *args: 3:4");
  expect(titleOf(":\n\nShip it")).toBe("Ship it");
});

it("quotes, marks and labels around a model’s title are removed", () => {
  expect(titleFromModel("**Title:** “Lighthouse lenses.”")).toBe("Lighthouse lenses");
  expect(titleFromModel("# Lighthouse lenses\n\nA title.")).toBe("Lighthouse lenses");
  expect(titleFromModel('"What is C++?"')).toBe("What is C++?");
  expect(titleFromModel(" \n** **\n")).toBeUndefined();
});
