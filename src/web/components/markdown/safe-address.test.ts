import { decodeHTMLStrict } from "entities/decode";
import { expect, it } from "vitest";
import { ownPicture } from "./safe-address.ts";

const origin = "https://bottega.example";
const file = "/api/v1/assets/0199f2aa-0000-7000-8000-00000000c41a/file";

it("shows only pictures from our own origin", () => {
  expect(ownPicture(file, origin)).toBe(file);
  expect(
    ownPicture(`${origin}${file.replace("/file", "/variants/thumb-640.webp")}`, origin),
  ).toMatch(/thumb-640/);
});

it.for([
  `https://evil.example${file}`,
  `//evil.example${file}`,
  `/\\evil.example${file}`,
  `https://bottega.example@evil.example${file}`,
  `https://u:p@bottega.example${file}`,
  "/api/v1/session",
  `${file}/../../../me`,
  "data:image/png;base64,AA",
])("doesn't load the picture %j by itself", (href) => {
  expect(ownPicture(href, origin)).toBeNull();
});

it("decodes character references once, and leaves invalid ones", () => {
  expect(decodeHTMLStrict("a &amp;lt; b &#x41;&#66; &nbsp;AT&T &unknown; &#xD800; &#0;")).toBe(
    "a &lt; b AB \u00a0AT&T &unknown; \ufffd \ufffd",
  );
});
