import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Markdown } from "./markdown.tsx";

it.each([
  "a picture <img src=x onerror=alert(1)> in a line",
  "<script>alert(1)</script>",
  "| a |\n|---|\n| <svg onload=alert(1)> |",
  "- <iframe src=javascript:alert(1)>",
])("HTML in a model's text is shown as text: %s", (text) => {
  const shown = renderToStaticMarkup(createElement(Markdown, { text }));
  expect(shown).toMatch(/&lt;(img|script|svg|iframe)/);
  expect(shown).not.toMatch(/<(img|script|svg|iframe)/);
});
