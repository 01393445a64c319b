import { expect, it } from "vitest";
import { priceOf, promptOfRun, tokensOf, tookMs } from "./run-facts.ts";

it("shows the spent amount, else the reserved one, else free or unknown", () => {
  const run = { costMicros: null, costBasis: null, heldMicros: 0 };
  const known = { ...run, costBasis: "known" as const };
  expect(priceOf({ ...known, costMicros: 0, heldMicros: 5 })).toEqual({ kind: "free" });
  expect(priceOf({ ...known, costMicros: 25_000 })).toEqual({ kind: "exact", micros: 25_000 });
  expect(priceOf({ ...run, costMicros: 0, costBasis: "assumed" })).toEqual({ kind: "assumed" });
  expect(priceOf({ ...run, costMicros: 9_000, costBasis: "estimated" })).toEqual({
    kind: "about",
    micros: 9_000,
  });
  expect(priceOf({ ...run, costMicros: 9_000, costBasis: "held" })).toEqual({
    kind: "at-most",
    micros: 9_000,
  });
  expect(priceOf({ ...run, heldMicros: 40_000 })).toEqual({ kind: "at-most", micros: 40_000 });
  expect(priceOf({ ...run, isFree: true })).toEqual({ kind: "free" });
  expect(priceOf(run)).toEqual({ kind: "unknown" });
});

it("uses the given prompt or text, and no blank one", () => {
  expect(promptOfRun({ input: { prompt: " ", text: "Good evening." } })).toBe("Good evening.");
  expect(promptOfRun({ input: { image: "asset:1" } })).toBeUndefined();
  const turn = (role: string, text: string) => ({ role, parts: [{ type: "text", text }] });
  expect(
    promptOfRun({
      input: { turns: [turn("user", "one"), turn("assistant", "two"), turn("user", "three")] },
    }),
  ).toBe("three");
});

it("measures from the claim to the end, and only if both are known", () => {
  expect(tookMs({ startedAt: 100, finishedAt: 350 })).toBe(250);
  expect(tookMs({ startedAt: null, finishedAt: 350 })).toBeNull();
});

it("a torn answer's tokens are marked as an estimate", () => {
  expect(tokensOf({ usage: { outputTokens: 12, units: { estimated: "yes" } } })).toEqual({
    input: null,
    output: 12,
    isEstimate: true,
  });
  expect(tokensOf({ usage: { inputTokens: 4, outputTokens: 2 } })).toEqual({
    input: 4,
    output: 2,
    isEstimate: false,
  });
  expect(tokensOf({ usage: null })).toEqual({ input: null, output: null, isEstimate: false });
});
