import { expect, it } from "vitest";
import { safeLink } from "./safe-link.ts";

const origin = "https://bottega.example";

it("lets a link lead to the web, to mail and to our own places", () => {
  expect(safeLink("https://example.org/a?b", origin)).toBe("https://example.org/a?b");
  expect(safeLink("mailto:ada@example.org", origin)).toBe("mailto:ada@example.org");
  expect(safeLink("/library", origin)).toBe("https://bottega.example/library");
});

it.for([
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  " \u0001javascript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "blob:https://x/y",
  "file:///etc/passwd",
])("makes no link of %j", (href) => {
  expect(safeLink(href, origin)).toBeNull();
});

it("a place of our own is no link where there is no base", () => {
  expect(safeLink("/library")).toBeNull();
  expect(safeLink("//elsewhere.example")).toBeNull();
});
