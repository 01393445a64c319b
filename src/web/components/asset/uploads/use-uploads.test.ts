import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { refuseFile } from "./use-uploads.ts";

it("refuses an empty file and one over the limit before a byte is sent, and accepts one at the limit", () => {
  expect(refuseFile({ size: 0 })).toBe("This file is empty.");
  expect(refuseFile({ size: limits.uploadBytes + 1 })).toMatch(/at most 2.1 GB/);
  expect(refuseFile({ size: limits.uploadBytes })).toBeUndefined();
});
