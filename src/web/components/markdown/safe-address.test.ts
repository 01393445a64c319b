import { expect, it } from "vitest";
import { decodeEntities } from "./decode-entities.ts";
import { ownPicture, safeLink } from "./safe-address.ts";

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

it("shows only pictures that are files of our own origin", () => {
  expect(ownPicture("/files/a/thumb?w=2", origin)).toBe("/files/a/thumb?w=2");
  expect(ownPicture("https://bottega.example/files/a", origin)).toBe("/files/a");
});

it.for([
  "https://evil.example/files/a.png",
  "//evil.example/files/a",
  "/\\evil.example/files/a",
  "https://bottega.example@evil.example/files/a",
  "https://u:p@bottega.example/files/a",
  "/api/v1/session",
  "/files/../api/v1/me",
  "data:image/png;base64,AA",
])("does not load the picture %j by itself", (href) => {
  expect(ownPicture(href, origin)).toBeNull();
});

it("turns character references into characters once, and leaves what is none", () => {
  expect(decodeEntities("a &amp;lt; b &#x41;&#66; &nbsp;AT&T &unknown; &#xD800; &#0;")).toBe(
    "a &lt; b AB \u00a0AT&T &unknown; &#xD800; &#0;",
  );
});
