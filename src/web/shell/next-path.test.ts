import { expect, it } from "vitest";
import { safeNext } from "./next-path.ts";

const origin = "http://studio.local:4620";

it("a sign-in leads to the requested path of this site, with its search and hash", () => {
  expect(safeNext("/library?kind=image#last", origin)).toBe("/library?kind=image#last");
});

it("a sign-in never leads to another site, however the address is written", () => {
  for (const wanted of [
    "https://evil.example/",
    "//evil.example/x",
    "/\\evil.example",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/.//evil.example/x",
    "/a/..//evil.example/x",
    "/%2e//evil.example/x",
    "",
    undefined,
  ])
    expect(safeNext(wanted, origin)).toBe("/");
});

it("a sign-in doesn't lead back to the sign-in page", () => {
  expect(safeNext("/login?next=/login", origin)).toBe("/");
  expect(safeNext("/setup", origin)).toBe("/");
});
