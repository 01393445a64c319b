import { expect, it } from "vitest";
import { fromHex, toHex } from "./color-control.tsx";
import { withKey } from "./object-values.ts";

it("writes three numbers as a color and reads them back", () => {
  expect(toHex({ r: 255, g: 8, b: 0 })).toBe("#ff0800");
  expect(fromHex("#ff0800")).toEqual({ r: 255, g: 8, b: 0 });
});

it("keeps a color's numbers within their bounds", () => {
  expect(toHex({ r: 300, g: -4, b: "x" })).toBe("#ff0000");
});

it("reads no color from an incomplete one", () => {
  expect(fromHex("#ff08")).toBeNull();
});

it("removes a setting without a value, so that the model's default applies", () => {
  const before = { a: 1, b: 2 };
  expect(withKey(before, "a", undefined)).toEqual({ b: 2 });
  expect(withKey(before, "a", null)).toEqual({ a: null, b: 2 });
  expect(before).toEqual({ a: 1, b: 2 });
});
