import { expect, it } from "vitest";
import { safeLink } from "./safe-link.ts";

const origin = "https://bottega.example";

it("allows links to the web, to mail and to our own pages", () => {
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

it("a link to our own pages is no link without a base", () => {
  expect(safeLink("/library")).toBeNull();
  expect(safeLink("//elsewhere.example")).toBeNull();
});
