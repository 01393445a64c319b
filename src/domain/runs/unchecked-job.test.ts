import { expect, it } from "vitest";
import { earlierResult, isUncheckedJob } from "./unchecked-job.ts";

const lost = {
  task: "image",
  state: "failed",
  costBasis: "held",
  error: { code: "provider_unreachable" },
  warnings: [],
} as const;
const late = (feature: string) => ({ type: "late", feature, message: "" });

it("a failed job that nobody confirmed may be checked until its own result, or none, is known", () => {
  expect(isUncheckedJob(lost)).toBe(true);
  expect(isUncheckedJob({ ...lost, warnings: [late("result")] })).toBe(false);
  expect(isUncheckedJob({ ...lost, warnings: [late(earlierResult)] })).toBe(true);
  expect(isUncheckedJob({ ...lost, error: { code: "provider_failed" } })).toBe(false);
  expect(isUncheckedJob({ ...lost, costBasis: "known" })).toBe(false);
});
